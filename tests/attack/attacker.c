// SPDX-License-Identifier: GPL-2.0-or-later
/* Plays another user of the machine who attacks what root does in a directory that he may write to.
 * Started as root, it becomes user nobody before anything else.
 *
 *     attacker run DIR FACE
 *         Waits until somebody makes a private directory in DIR, and exchanges it for FACE at once.
 *
 *     attacker watch DIR PREFIX FACE
 *         Does that to whatever begins with PREFIX.
 *
 *     attacker told DIR FACE
 *         Does that to every name in DIR that it reads in a line from standard input, and prints
 *         "struck" or "missed".
 *
 *     attacker flip PATH FACE...
 *         Keeps exchanging what is at PATH for each FACE in turn, as fast as it can.
 *
 *     attacker link PATH TARGET
 *         Keeps making a hard link to TARGET at PATH, and removing it, as fast as it can. Where
 *         fs.protected_hardlinks is not 0 it stays root, which does what any user may do elsewhere.
 *
 *     attacker own PATH
 *         Keeps making a file of its own at PATH, and removing it, as fast as it can. "entered" is
 *         how often somebody else has removed or replaced it.
 *
 * A FACE is made beside what it is exchanged for, and belongs to the attacker:
 *
 *     dir=TARGET   a directory that everybody may write to. Whatever somebody makes in it is
 *                  counted; if that is a metadata directory, a link to TARGET takes its place.
 *     link=TARGET  a symbolic link
 *     file         a plain file
 *     fifo         a named pipe
 *     name=NAME    nothing new: the entry of that name that is already there
 *
 * Prints "ready" when it is. Ends when its standard input ends, and then prints how many exchanges
 * succeeded ("struck") and how often something was made in a directory of its own ("entered"). */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/fs.h>
#include <poll.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PRIVATE_PREFIX "bonnie."
#define NAME_SIZE      64

struct attack {
    int dir_fd;     /* directory in which the exchanges are made */
    int events;     /* inotify's descriptor */
    int watched;    /* inotify's number for that directory */
    unsigned faces; /* number of faces made so far */
    unsigned long struck;
    unsigned long entered;
    const char *prefix;   /* prefix of the names to exchange when somebody makes them; NULL: private
                             directories */
    const char *target;   /* target of the links that are planted */
    char bait[NAME_SIZE]; /* name of the next face */
    int bait_fd;          /* its descriptor, if the face is a directory */
    int led_fd;           /* the directory of ours that somebody works in, or -1 */
};

static void fail(const char *what)
{
    fprintf(stderr, "attacker: %s: %s\n", what, strerror(errno));
    exit(EXIT_FAILURE);
}

static bool hardlinks_are_protected(void)
{
    int fd = open("/proc/sys/fs/protected_hardlinks", O_RDONLY | O_CLOEXEC);
    char value = '1';
    if (fd >= 0 && read(fd, &value, 1) < 0)
        fail("fs.protected_hardlinks");
    close(fd);
    return value != '0';
}

static void become_nobody(void)
{
    const struct passwd *nobody = getpwnam("nobody");
    if (geteuid() != 0)
        return;
    if (!nobody || setgroups(0, NULL) != 0 || setgid(nobody->pw_gid) != 0 ||
        setuid(nobody->pw_uid) != 0)
        fail("become nobody");
}

/* ---- faces: what replaces something -------------------------------------------------------- */

static void make_bait(struct attack *a, const char *target)
{
    a->target = target;
    if (mkdirat(a->dir_fd, a->bait, 0777) != 0)
        fail("make a directory");
    a->bait_fd = openat(a->dir_fd, a->bait, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (a->bait_fd < 0 || fchmod(a->bait_fd, 0777) != 0)
        fail("open a directory");
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", a->bait_fd);
    if (a->events >= 0 && inotify_add_watch(a->events, path, IN_CREATE) < 0)
        fail("watch a directory");
}

/* Makes a face and stores its name in a->bait. */
static void make_face(struct attack *a, const char *face)
{
    const char *value = strchr(face, '=');
    value = value ? value + 1 : "";
    snprintf(a->bait, sizeof a->bait, "face.%d.%u", (int)getpid(), a->faces++);
    int rc = 0;
    if (strncmp(face, "dir=", 4) == 0)
        make_bait(a, value);
    else if (strncmp(face, "link=", 5) == 0)
        rc = symlinkat(value, a->dir_fd, a->bait);
    else if (strcmp(face, "file") == 0)
        rc = openat(a->dir_fd, a->bait, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    else if (strcmp(face, "fifo") == 0)
        rc = mkfifoat(a->dir_fd, a->bait, 0666);
    else
        snprintf(a->bait, sizeof a->bait, "%s", value);
    if (rc < 0)
        fail(face);
    if (rc > 0)
        close(rc);
}

/* Exchanges `name` and the bait, in two steps where the filesystem cannot exchange names. */
static bool exchange(struct attack *a, const char *name)
{
    char aside[NAME_SIZE + 8];
    if (syscall(SYS_renameat2, a->dir_fd, a->bait, a->dir_fd, name, RENAME_EXCHANGE) == 0)
        return true;
    if (errno != EINVAL)
        return false;
    snprintf(aside, sizeof aside, "aside.%s", a->bait);
    return renameat(a->dir_fd, name, a->dir_fd, aside) == 0 &&
           renameat(a->dir_fd, a->bait, a->dir_fd, name) == 0 &&
           renameat(a->dir_fd, aside, a->dir_fd, a->bait) == 0;
}

/* ---- run, told: strike once at every private directory --------------------------------------- */

/* Exchanges `name` for the bait. If `name` is gone, the bait stays for the next one. */
static bool strike(struct attack *a, const char *name, const char *face)
{
    if (!exchange(a, name))
        return false;
    a->struck++;
    if (a->led_fd >= 0)
        close(a->led_fd);
    a->led_fd = a->bait_fd;
    a->bait_fd = -1;
    if (strncmp(face, "name=", 5) != 0)
        make_face(a, face);
    return true;
}

/* Called when somebody works in a directory of ours. Replaces it by the link, so that he goes on in
 * the link's target. */
static void lead_astray(struct attack *a, const char *name)
{
    a->entered++;
    if (name[0] != 'd' || strlen(name) != 6)
        return;
    char aside[NAME_SIZE];
    snprintf(aside, sizeof aside, "was.%.32s", name);
    if (renameat(a->led_fd, name, a->led_fd, aside) == 0 &&
        symlinkat(a->target, a->led_fd, name) != 0)
        fail("plant a link");
}

static void on_event(struct attack *a, const struct inotify_event *event, const char *face)
{
    if (event->len == 0)
        return;
    if (event->wd != a->watched)
        lead_astray(a, event->name);
    else if (a->prefix && strncmp(event->name, a->prefix, strlen(a->prefix)) == 0)
        strike(a, event->name, face);
    else if (!a->prefix && strncmp(event->name, PRIVATE_PREFIX, strlen(PRIVATE_PREFIX)) == 0 &&
             (event->mask & IN_ISDIR))
        strike(a, event->name, face);
}

static void take_events(struct attack *a, const char *face)
{
    _Alignas(struct inotify_event) char buffer[8192];
    ssize_t bytes = read(a->events, buffer, sizeof buffer);
    for (ssize_t at = 0; at < bytes;) {
        const struct inotify_event *event =
            (const struct inotify_event *)(const void *)(buffer + at);
        on_event(a, event, face);
        at += (ssize_t)(sizeof *event + event->len);
    }
}

/* True when the descriptor can be read without waiting, or has ended. */
static bool is_ready(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

/* Does what the next line says. Returns false when the input has ended. */
static bool obey(struct attack *a, const char *face)
{
    char line[NAME_SIZE];
    ssize_t length = read(STDIN_FILENO, line, sizeof line - 1);
    if (length <= 1)
        return false;
    line[length - 1] = '\0';
    puts(strike(a, line, face) ? "struck" : "missed");
    return true;
}

static void attack_runs(struct attack *a, const char *dir, bool by_itself, const char *face)
{
    a->events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    a->watched = by_itself && a->events >= 0 ? inotify_add_watch(a->events, dir, IN_CREATE) : 0;
    if (a->events < 0 || a->watched < 0)
        fail("watch the directory");
    make_face(a, face);
    puts("ready");
    for (unsigned look = 0; look % 64 != 0 || !is_ready(STDIN_FILENO) || obey(a, face); look++)
        take_events(a, face);
}

/* ---- flip: a path leads to something else each time ---------------------------------------- */

#define MOST_FACES 8

static void attack_path(struct attack *a, const char *name, char *faces[], int count)
{
    char baits[MOST_FACES][NAME_SIZE];
    for (int i = 0; i < count && i < MOST_FACES; i++) {
        make_face(a, faces[i]);
        memcpy(baits[i], a->bait, sizeof a->bait);
    }
    puts("ready");
    for (unsigned turn = 0; turn % 64 != 0 || !is_ready(STDIN_FILENO); turn++) {
        memcpy(a->bait, baits[turn % (unsigned)count], sizeof a->bait);
        a->struck += exchange(a, name);
    }
}

/* A name of somebody else's file comes and goes. */
static void attack_names(struct attack *a, const char *name, const char *target)
{
    puts("ready");
    for (unsigned turn = 0; turn % 64 != 0 || !is_ready(STDIN_FILENO); turn++) {
        a->struck += linkat(AT_FDCWD, target, a->dir_fd, name, 0) == 0;
        unlinkat(a->dir_fd, name, 0);
    }
}

/* A file of one's own comes and goes, in a sticky directory, where nobody else may remove it. */
static void attack_with_own(struct attack *a, const char *name)
{
    puts("ready");
    for (unsigned turn = 0; turn % 64 != 0 || !is_ready(STDIN_FILENO); turn++) {
        int fd = openat(a->dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0)
            continue;
        close(fd);
        a->struck++;
        a->entered += unlinkat(a->dir_fd, name, 0) != 0;
    }
}

/* Opens the directory of a path. Returns the part after the last slash. */
static const char *open_parent(struct attack *a, const char *path)
{
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    a->dir_fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (a->dir_fd < 0)
        fail(parent);
    return slash ? slash + 1 : path;
}

int main(int argc, char *argv[])
{
    struct attack a = {.dir_fd = -1, .events = -1, .bait_fd = -1, .led_fd = -1};
    bool links = argc == 4 && strcmp(argv[1], "link") == 0;
    if (!links || !hardlinks_are_protected())
        become_nobody();
    umask(0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    bool by_itself = argc == 4 && strcmp(argv[1], "run") == 0;
    if (by_itself || (argc == 4 && strcmp(argv[1], "told") == 0)) {
        a.dir_fd = open(argv[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (a.dir_fd < 0)
            fail(argv[2]);
        attack_runs(&a, argv[2], by_itself, argv[3]);
    } else if (argc == 5 && strcmp(argv[1], "watch") == 0) {
        a.dir_fd = open(argv[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (a.dir_fd < 0)
            fail(argv[2]);
        a.prefix = argv[3];
        attack_runs(&a, argv[2], true, argv[4]);
    } else if (argc >= 4 && argc <= 3 + MOST_FACES && strcmp(argv[1], "flip") == 0) {
        const char *name = open_parent(&a, argv[2]);
        attack_path(&a, name, argv + 3, argc - 3);
    } else if (argc == 3 && strcmp(argv[1], "own") == 0) {
        attack_with_own(&a, open_parent(&a, argv[2]));
    } else if (links) {
        const char *name = open_parent(&a, argv[2]);
        attack_names(&a, name, argv[3]);
    } else {
        fprintf(stderr, "usage: attacker run|told DIR FACE | watch DIR PREFIX FACE | "
                        "flip PATH FACE... | link PATH TARGET | own PATH\n");
        return EXIT_FAILURE;
    }
    printf("struck %lu entered %lu\n", a.struck, a.entered);
    return EXIT_SUCCESS;
}
