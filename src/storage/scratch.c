// SPDX-License-Identifier: GPL-2.0-or-later
#include "storage/scratch.h"

#include <linux/magic.h>
#include <linux/openat2.h>
#include <regex.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "measure/clock.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/portable.h"
#include "util/printable.h"
#include "util/rng.h"
#include "util/units.h"

#define HEX          "0123456789abcdef"
#define LETTERS      "abcdefghijklmnopqrstuvwxyz234567" /* 32 letters, so each takes 5 random bits */
#define INDEX_DIGITS 10
#define MAX_LETTERS  12
#define CHECK_BITS   16

/* The number that the name of a private directory has in place of this one. */
static uint64_t checked_number(uint64_t number)
{
    number >>= CHECK_BITS;
    return number << CHECK_BITS | (rng_mix(number) & ((1U << CHECK_BITS) - 1));
}

void private_name(char name[PRIVATE_NAME_SIZE], uint64_t number)
{
    snprintf(name, PRIVATE_NAME_SIZE, "%s.%016" PRIx64, program_name, checked_number(number));
}

bool private_name_is_made(const char *name)
{
    uint64_t number = strtoull(strrchr(name, '.') + 1, NULL, 16);
    return number == checked_number(number);
}

struct made_name made_name(enum made_kind kind, uint64_t number)
{
    static const char *const letters[] = {
        [MADE_FILE] = "data", [MADE_DIRECTORY] = "d", [MADE_TARGET] = "o"};
    int digits = kind == MADE_TARGET ? 1 : 5;
    struct made_name name;
    snprintf(name.text, sizeof name.text, "%s%0*" PRIu64, letters[kind], digits, number);
    return name;
}

/* Formats without printf, because every timed file needs a name. */
void file_name(char name[FILE_NAME_SIZE], enum name_order order, uint64_t seed, uint64_t index)
{
    uint64_t bits = rng_mix(seed ^ rng_mix(index));
    size_t count = (size_t)(bits % (MAX_LETTERS + 1));
    char *letters = name + (order == NAMES_SORTED ? INDEX_DIGITS : 0);
    char *digits = name + (order == NAMES_SORTED ? 0 : count);
    name[INDEX_DIGITS + count] = '\0';
    for (size_t i = 0; i < count; i++) {
        bits >>= 5;
        letters[i] = LETTERS[bits % 32];
    }
    for (int i = INDEX_DIGITS - 1; i >= 0; i--) {
        digits[i] = HEX[index % 16];
        index /= 16;
    }
}

size_t owner_text(char text[OWNER_TEXT_SIZE], const char *private_directory)
{
    int length =
        snprintf(text, OWNER_TEXT_SIZE, "scratch directory of %.*s: %s\n",
                 (int)strcspn(private_directory, "."), private_directory, private_directory);
    return length < OWNER_TEXT_SIZE ? (size_t)length : OWNER_TEXT_SIZE - 1;
}

bool name_has_form(const char *name, const char *form)
{
    regex_t compiled;
    if (regcomp(&compiled, form, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    bool has_form = regexec(&compiled, name, 0, NULL, 0) == 0;
    regfree(&compiled);
    return has_form;
}

/* Not by a regular expression, because it is asked of all names in the user's directory. */
static bool has_private_form(const char *name)
{
    size_t program = strspn(name, "abcdefghijklmnopqrstuvwxyz_");
    const char *digits = name + program + 1;
    return program > 0 && program <= 16 && name[program] == '.' && strlen(digits) == 16 &&
           strspn(digits, HEX) == 16;
}

bool is_private_name(const char *name)
{
    size_t length = strlen(program_name);
    return has_private_form(name) && strncmp(name, program_name, length) == 0 &&
           name[length] == '.';
}

bool is_private_name_of_any(const char *name)
{
    return is_private_name(name) || (has_private_form(name) && private_name_is_made(name));
}

/* Whether the name is one that a FUSE server or an NFS client gives to a file that is removed while
 * it is open. Such a file vanishes by itself when it has been closed. */
static bool is_vanishing_name(const char *name)
{
    return strncmp(name, ".fuse_hidden", 12) == 0 || strncmp(name, ".nfs", 4) == 0;
}

#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

int directory_open(int fd, const char *name)
{
    const struct open_how how = {
        .flags = OPEN_DIRECTORY,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
    };
    int below;
    do
        below = (int)syscall(SYS_openat2, fd, name, &how, sizeof how);
    while (stop_retries(below));
    if (below < 0 && (errno == ENOSYS || errno == EPERM)) /* before Linux 5.6, or by a filter */
        below = openat(fd, name, OPEN_DIRECTORY);
    return below >= 0 ? below : -errno;
}

DIR *directory_list(int fd, const char *name)
{
    int opened = directory_open(fd, name);
    DIR *all = opened >= 0 ? fdopendir(opened) : NULL;
    int code = opened < 0 ? -opened : errno;
    if (!all)
        descriptor_close(&opened);
    errno = code;
    return all;
}

/* Returns 0 if that name in the directory behind fd is that of what is open as `other`, or an
 * errno: ENOENT also if something else has it. */
static int check_name(int fd, const char *name, int other)
{
    struct stat named, open;
    if (fstat(other, &open) != 0 || fstatat(fd, name, &named, AT_SYMLINK_NOFOLLOW) != 0)
        return errno;
    return named.st_dev == open.st_dev && named.st_ino == open.st_ino ? 0 : ENOENT;
}

/* Uses getdents64(2), because readdir(3) takes a removed directory for an empty one. */
int directory_state(int fd, const char *except)
{
    _Alignas(struct dirent64) char entries[1024];
    ssize_t bytes;
    int state = DIRECTORY_EMPTY;
    if (lseek(fd, 0, SEEK_SET) < 0)
        return -errno;
    while ((bytes = getdents64(fd, (void *)entries, sizeof entries)) > 0) {
        for (ssize_t at = 0; at < bytes;) {
            const struct dirent64 *entry = (const struct dirent64 *)(const void *)(entries + at);
            at += entry->d_reclen;
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                (except && strcmp(entry->d_name, except) == 0))
                continue;
            if (!is_vanishing_name(entry->d_name))
                return DIRECTORY_IN_USE;
            state = DIRECTORY_VANISHING;
        }
    }
    if (bytes < 0)
        return errno == ENOENT || errno == ESTALE ? DIRECTORY_REMOVED : -errno;
    return state;
}

int private_directory_ownership(int parent_fd, int fd, bool trusts, char found[FOUND_SIZE])
{
    struct stat parent, st, made;
    char name[PRIVATE_NAME_SIZE];
    uint64_t number;
    if (fstat(parent_fd, &parent) != 0 || fstat(fd, &st) != 0)
        return -errno;
    bool is_here = st.st_dev == parent.st_dev;
    /* the set-group-ID bit comes from the parent, and has no meaning here */
    if (is_here && st.st_uid == geteuid() && (st.st_mode & (07777 & ~(S_ISGID | S_IRWXU))) == 0)
        return OWNERSHIP_OURS;
    snprintf(found, FOUND_SIZE, "it belongs to uid %u with mode %04o%s", st.st_uid,
             st.st_mode & 07777, is_here ? "" : ", on another filesystem");
    if (!is_here)
        return OWNERSHIP_OTHER;
    /* Whether files have the owner and the mode that they were made with; in doubt they do. This
     * opens the test file when it makes it, so no other can be mistaken for it. */
    int probe = openat(parent_fd, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (probe < 0 && getrandom(&number, sizeof number, 0) == (ssize_t)sizeof number) {
        private_name(name, number);
        probe = openat(parent_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (probe >= 0)
            unlinkat(parent_fd, name, 0);
    }
    bool keeps_owners = probe < 0 || fstat(probe, &made) != 0 ||
                        (made.st_uid == geteuid() && (made.st_mode & 0777) == 0600);
    descriptor_close(&probe);
    if (keeps_owners)
        return OWNERSHIP_OTHER;
    /* whether only root and this user can make, rename or remove anything in the parent */
    bool is_for_us_alone = (parent.st_uid == 0 || parent.st_uid == geteuid()) &&
                           (parent.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    bool is_trusted = is_for_us_alone || (trusts && geteuid() != 0);
    return is_trusted ? OWNERSHIP_OURS : OWNERSHIP_UNKNOWN;
}

/* Waits take one millisecond at first, then twice as long each, and these times at last: half a
 * second in all, or eight for files that vanish, whose server may be busy or far away. */
#define MAX_WAIT_MS           256
#define MAX_VANISHING_WAIT_MS 4096

int private_directory_remove(int parent_fd, const char *name, int fd)
{
    for (uint64_t ms = 1;; ms *= 2) {
        /* nothing removes it by its descriptor, so its name is checked before and after */
        int code = check_name(parent_fd, name, fd);
        if (code == 0 && unlinkat(parent_fd, name, AT_REMOVEDIR) != 0)
            code = errno;
        int state = directory_state(fd, NULL);
        if (code == 0)
            return state < 0 || state == DIRECTORY_REMOVED ? 0 : -ESTALE;
        if (code == ENOENT || code == ENOTDIR)
            return state == DIRECTORY_REMOVED ? -ENOENT : -ESTALE;
        /* empty: the last file has vanished since the removal was tried */
        bool vanishes = state == DIRECTORY_VANISHING || state == DIRECTORY_EMPTY;
        if (code != ENOTEMPTY && code != EEXIST)
            return -code;
        if (ms > (vanishes ? MAX_VANISHING_WAIT_MS : MAX_WAIT_MS))
            return -ENOTEMPTY;
        clock_sleep(ms * MILLION);
    }
}

/* Takes the lock of an open owner file. Returns -EWOULDBLOCK when its run is alive, and -ENOLCK
 * when the filesystem has no locks (Lustre mounted without `flock`), so that nobody knows. */
static int owner_file_lock(int owner_fd)
{
    if (flock(owner_fd, LOCK_EX | LOCK_NB) == 0)
        return 0;
    bool has_locks = errno != ENOSYS && errno != ENOLCK && errno != EOPNOTSUPP;
    return has_locks ? -errno : -ENOLCK;
}

/* Explains -ESTALE in e: says where the directory path/name is now. Returns a negative errno. */
static int say_moved(struct err *e, const char *path, const char *name, int fd)
{
    char place[PATH_MAX];
    bool is_known = kernel_file_link(descriptor_path(fd).text, place, sizeof place);
    return err_say(e, "directory %s/%s was moved by somebody; it is left as %s", path, name,
                   is_known ? place : "it is");
}

/* Refuses a directory, and leaves alone what cannot be ours. If it is unknown whose it is, this may
 * remove it if it is empty and has the name that this run chose: nobody will miss it. */
static int refuse_directory(struct scratch *s, int ownership, const char *found, struct err *e)
{
    struct stat st;
    bool is_squashed = fstat(s->fd, &st) == 0 && geteuid() == 0 && (st.st_mode & 0777) == 0700;
    descriptor_close(&s->fd);
    if (ownership == OWNERSHIP_OTHER)
        return err_say(e, "%s/%s is not the directory that was made; somebody has replaced it: %s",
                       s->path, s->name, found);
    unlinkat(s->parent_fd, s->name, AT_REMOVEDIR);
    if (is_squashed)
        return err_say(e, "%s: the server takes root for another user (root squash): use -u USER",
                       s->path);
    return err_say(e,
                   "%s: the filesystem keeps no owners and modes, and users other than root and "
                   "this one may write there: the files of a run would not be safe, unless you "
                   "trust all of them (trust-directory, not as root)",
                   s->path);
}

int scratch_make_file(const struct scratch *s, const char *name, struct err *e)
{
    int fd = openat(s->fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return fd >= 0 ? fd : err_system(e, errno, "make %s/%s/%s", s->path, s->name, name);
}

/* Makes the owner file, and takes its lock, which shows that the run is alive. Before that,
 * --cleanup may take the directory for that of a killed run; then it is gone, or will be, and this
 * returns -ENOENT. If there are no locks, --cleanup removes nothing. */
static int make_owner_file(struct scratch *s, struct err *e)
{
    char text[OWNER_TEXT_SIZE];
    size_t length = owner_text(text, s->name);
    s->owner_fd = scratch_make_file(s, OWNER_FILE_NAME, e);
    if (s->owner_fd < 0)
        return s->owner_fd;
    int locked = owner_file_lock(s->owner_fd);
    int code = check_name(s->fd, OWNER_FILE_NAME, s->owner_fd);
    if (locked < 0 && locked != -ENOLCK)
        code = locked == -EWOULDBLOCK ? ENOENT : -locked;
    if (code != 0)
        return err_system(e, code, "lock %s/%s/%s", s->path, s->name, OWNER_FILE_NAME);
    ssize_t written = write(s->owner_fd, text, length);
    if (written != (ssize_t)length)
        return err_system(e, written < 0 ? errno : ENOSPC, "write %s/%s/%s", s->path, s->name,
                          OWNER_FILE_NAME);
    return 0;
}

/* Makes the directory, checks that it is the one that was opened, and makes its owner file.
 * -ENOENT: it was removed. */
static int make_private_directory(struct scratch *s, uint64_t number, struct err *e)
{
    char found[FOUND_SIZE];
    private_name(s->name, number);
    if (mkdirat(s->parent_fd, s->name, 0700) != 0) {
        bool is_squashed = errno == EACCES && geteuid() == 0;
        return err_system(e, errno, "make a directory in %s%s", s->path,
                          is_squashed ? " as root, whom servers take for nobody (use -u USER)"
                                      : "");
    }
    s->fd = directory_open(s->parent_fd, s->name);
    if (s->fd < 0) {
        int code = -s->fd;
        /* does not remove what is no longer a directory */
        unlinkat(s->parent_fd, s->name, AT_REMOVEDIR);
        if (code == ELOOP || code == ENOTDIR || code == EXDEV)
            return refuse_directory(s, OWNERSHIP_OTHER, portable_reason(code), e);
        return err_system(e, code, "open directory %s/%s", s->path, s->name);
    }
    int ownership = private_directory_ownership(s->parent_fd, s->fd, s->trusts, found);
    if (ownership < 0)
        return err_system(e, -ownership, "check directory %s/%s", s->path, s->name);
    if (ownership != OWNERSHIP_OURS)
        return refuse_directory(s, ownership, found, e);
    int state = directory_state(s->fd, NULL);
    if (state < 0 || state == DIRECTORY_REMOVED)
        return err_system(e, state < 0 ? -state : ENOENT, "list directory %s/%s", s->path, s->name);
    if (state != DIRECTORY_EMPTY)
        return refuse_directory(s, OWNERSHIP_OTHER, "it is not empty", e);
    return make_owner_file(s, e);
}

/* Removes the private directory, which --cleanup may have done. If it is not empty, or the storage
 * fails, gives it an owner file again, so that --cleanup recognises it. Closes the owner file
 * before, because some filesystems keep the name of an open file. */
static int remove_private_directory(struct scratch *s, struct err *e)
{
    bool has_owner = s->owner_fd >= 0;
    descriptor_close(&s->owner_fd);
    if (s->fd < 0)
        return 0;
    if (has_owner && unlinkat(s->fd, OWNER_FILE_NAME, 0) != 0 && errno != ENOENT)
        return err_system(e, errno, "remove %s/%s/%s", s->path, s->name, OWNER_FILE_NAME);
    int rc = private_directory_remove(s->parent_fd, s->name, s->fd);
    if (rc == 0 || rc == -ENOENT)
        return 0;
    if (rc == -ESTALE)
        return say_moved(e, s->path, s->name, s->fd);
    err_system(e, -rc, "remove directory %s/%s", s->path, s->name);
    make_owner_file(s, NULL);
    return rc;
}

/* Number of names that are tried if --cleanup removes the directory each time. */
#define TRIES 5

int scratch_open(struct scratch *s, const char *path, enum path_missing missing, bool trusts,
                 struct err *e)
{
    *s = (struct scratch){
        .path = path,
        .parent_fd = -1,
        .fd = -1,
        .owner_fd = -1,
        .trusts = trusts,
    };
    if (trusts && geteuid() == 0)
        return err_say(e, "trust-directory: root trusts no directory; use -u USER");
    s->parent_fd = path_open_to_list(path, missing, e);
    return s->parent_fd >= 0 ? 0 : s->parent_fd;
}

int scratch_make(struct scratch *s, uint64_t number, struct err *e)
{
    if (number == 0 && getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return err_system(e, errno, "draw a random name for a directory in %s", s->path);
    s->umask = umask(077);
    int rc = -ENOENT;
    for (int tries = 0; rc == -ENOENT && tries < TRIES; tries++) {
        err_init(e);
        rc = make_private_directory(s, number, e);
        if (rc != 0) {
            remove_private_directory(s, e); /* the first error is reported */
            descriptor_close(&s->owner_fd);
            descriptor_close(&s->fd);
        }
        number = rng_mix(number); /* as random as the first */
    }
    if (rc != 0)
        umask(s->umask);
    return rc;
}

int scratch_close(struct scratch *s, struct err *e)
{
    bool was_made = s->fd >= 0;
    struct err left = {0};
    int rc = s->is_guest ? 0 : remove_private_directory(s, &left);
    err_append(e, &left); /* also after an error, so that what stays is named */
    descriptor_close(&s->owner_fd);
    descriptor_close(&s->fd);
    descriptor_close(&s->parent_fd);
    if (was_made)
        umask(s->umask);
    return rc;
}

int scratch_join(struct scratch *s, uint64_t number, struct err *e)
{
    char found[FOUND_SIZE];
    private_name(s->name, number);
    s->is_guest = true;
    s->umask = umask(077);
    s->fd = directory_open(s->parent_fd, s->name);
    if (s->fd < 0)
        return err_system(e, -s->fd, "open directory %s/%s", s->path, s->name);
    int ownership = private_directory_ownership(s->parent_fd, s->fd, s->trusts, found);
    if (ownership < 0)
        return err_system(e, -ownership, "check directory %s/%s", s->path, s->name);
    return ownership == OWNERSHIP_OURS
               ? 0
               : err_say(e, "%s/%s is not the directory that was made: %s", s->path, s->name,
                         ownership == OWNERSHIP_OTHER ? found : "nobody can tell whose it is");
}

bool scratch_is_abandoned(const char *path, uint64_t number, char name[PRIVATE_NAME_SIZE])
{
    struct stat st;
    struct err ignored = {0};
    private_name(name, number);
    int parent = path_open_to_list(path, PATH_FAILS, &ignored);
    int fd = parent >= 0 ? directory_open(parent, name) : -1;
    /* O_NONBLOCK, because somebody may have put a pipe in the file's place */
    int owner =
        fd < 0 ? -1 : openat(fd, OWNER_FILE_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool is_abandoned =
        owner >= 0 && fstat(owner, &st) == 0 && S_ISREG(st.st_mode) && owner_file_lock(owner) == 0;
    descriptor_close(&owner);
    descriptor_close(&fd);
    descriptor_close(&parent);
    return is_abandoned;
}

/* A name of a dozen characters takes 32 bytes in a directory of ext4, and more in other
 * filesystems. A filesystem that reports no number of inodes takes them from its space: an inode of
 * btrfs has 160 bytes (struct btrfs_inode_item), and 25 for each of its four keys. */
#define NAME_BYTES  32
#define INODE_BYTES 256

int scratch_space(const struct scratch *s, struct scratch_space *space, struct err *e)
{
    struct statvfs fs;
    struct statfs type;
    if (fstatvfs(s->parent_fd, &fs) != 0 || fstatfs(s->parent_fd, &type) != 0)
        return err_system(e, errno, "examine directory %s", s->path);
    /* Root may use the blocks that are reserved for it. */
    uint64_t blocks = geteuid() == 0 ? fs.f_bfree : fs.f_bavail;
    uint64_t files = geteuid() == 0 ? fs.f_ffree : fs.f_favail;
    bool is_tmpfs = type.f_type == TMPFS_MAGIC;
    *space = (struct scratch_space){
        .bytes = fs.f_blocks == 0 ? UINT64_MAX : blocks * fs.f_frsize,
        .files = fs.f_files == 0 ? UINT64_MAX : files,
        .allocation_bytes = fs.f_frsize > 0 ? fs.f_frsize : 1,
        /* tmpfs and ramfs do not count names and inodes as used space */
        .file_bytes = is_tmpfs || fs.f_blocks == 0 ? 0
                      : fs.f_files == 0            ? NAME_BYTES + INODE_BYTES
                                                   : NAME_BYTES,
        .links_are_files = is_tmpfs,
        .is_read_only = fs.f_flag & ST_RDONLY,
    };
    return 0;
}

/* Without /proc, files are opened again by their names. */
#define DESCRIPTORS "/proc/self/fd"

int scratch_make_data_file(const struct scratch *s, unsigned number, bool *is_named, struct err *e)
{
    int fd = openat(s->fd, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    *is_named = false;
    if (fd >= 0 && kernel_file_exists(DESCRIPTORS))
        return fd;
    if (fd < 0 && errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT)
        return err_system(e, errno, "make data file in %s/%s", s->path, s->name);
    descriptor_close(&fd);
    /* the filesystem has no O_TMPFILE: removes the name at once, if the file can then be opened */
    fd = scratch_make_file(s, made_name(MADE_FILE, number).text, e);
    if (fd < 0)
        return fd;
    int rc = scratch_remove_data_file(s, number, e);
    int again = rc == 0 ? kernel_file_reopen(fd, O_RDWR) : -1;
    *is_named = rc == 0 && again < 0 && (errno == ENOENT || errno == ESTALE);
    descriptor_close(&again);
    if (rc == 0 && !*is_named)
        return fd;
    close(fd);
    return rc == 0 ? scratch_make_file(s, made_name(MADE_FILE, number).text, e) : rc;
}

int scratch_remove(const struct scratch *s, const char *name, int flags, const char *verb,
                   struct err *e)
{
    if (unlinkat(s->fd, name, flags) != 0)
        return err_system(e, errno, "%s %s/%s/%s", verb, s->path, s->name, name);
    return 0;
}

int scratch_remove_data_file(const struct scratch *s, unsigned number, struct err *e)
{
    return scratch_remove(s, made_name(MADE_FILE, number).text, 0, "unlink", e);
}

int scratch_reopen(int fd, int flags, const char *name, struct err *e)
{
    int again = kernel_file_reopen(fd, flags);
    int code = again < 0 ? errno : 0;
    if (code == EINVAL && (flags & O_DIRECT))
        return err_system(e, EINVAL, "open %s: this filesystem refuses O_DIRECT", name);
    if (code == ENOENT && !kernel_file_exists(DESCRIPTORS))
        return err_system(e, ENOENT, "open %s again: /proc is not mounted", name);
    return code == 0 ? again
                     : err_system(e, code, "open %s again through /proc/self/fd/%d", name, fd);
}

int scratch_reopen_data_file(const struct scratch *s, unsigned number, int fd, int flags,
                             const char *name, struct err *e)
{
    const struct made_name named = made_name(MADE_FILE, number);
    if (!s || kernel_file_exists(DESCRIPTORS))
        return scratch_reopen(fd, flags, name, e);
    int again = openat(s->fd, named.text, flags | O_NOFOLLOW | O_CLOEXEC);
    if (again < 0)
        return err_system(e, errno, "open %s", name);
    if (check_name(s->fd, named.text, fd) == 0)
        return again;
    close(again);
    return err_say(e, "open %s again: it has another name", name);
}

uint32_t scratch_direct_alignment(int fd)
{
    struct portable_statx facts;
    bool is_known = portable_statx(fd, PORTABLE_STATX_ALIGNMENT, &facts) &&
                    (facts.mask & PORTABLE_STATX_ALIGNMENT) && facts.direct_alignment > 0;
    return is_known ? facts.direct_alignment : 4096;
}

int scratch_open_directory(const struct scratch *s, unsigned number, bool makes, struct err *e)
{
    const struct made_name name = made_name(MADE_DIRECTORY, number);
    if (makes && mkdirat(s->fd, name.text, 0700) != 0)
        return err_system(e, errno, "make directory %s/%s/%s", s->path, s->name, name.text);
    int fd = directory_open(s->fd, name.text);
    if (fd < 0 && makes)
        unlinkat(s->fd, name.text, AT_REMOVEDIR);
    return fd >= 0 ? fd
                   : err_system(e, -fd, "open directory %s/%s/%s", s->path, s->name, name.text);
}

/* ---- --cleanup ------------------------------------------------------------------------------- */

/* The next entry except "." and ".."; NULL: there are no more, or errno says what has failed. */
static const char *next_name(DIR *directory)
{
    const struct dirent *entry;
    do {
        errno = 0;
        entry = readdir(directory);
    } while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry ? entry->d_name : NULL;
}

static const char in_use[] = "a run is using it";

/* Whether a name is absent, or is something that cannot be opened. Otherwise storage has failed. */
static bool is_of_others(int code)
{
    return code == ENOENT || code == EACCES || code == EPERM || code == ENOTDIR || code == ELOOP ||
           code == EISDIR || code == ENXIO || code == EXDEV;
}

/* Why the directory is not ours to remove; NULL: it is. *failure becomes an errno if that is
 * unknown. A run makes the owner file right after the directory. If it was killed between the two,
 * the directory has nothing, or only an empty owner file; then only the name can tell. */
static const char *why_not_ours(DIR *parent, DIR *directory, const char *name, bool trusts,
                                int *owner_fd, int *failure)
{
    char found[FOUND_SIZE];
    char expected[OWNER_TEXT_SIZE];
    char text[OWNER_TEXT_SIZE];
    struct stat of_directory, st;
    int fd = dirfd(directory);
    int ownership = private_directory_ownership(dirfd(parent), fd, trusts, found);
    *failure = ownership < 0 ? -ownership : 0;
    if (ownership != OWNERSHIP_OURS)
        return "it is not a private directory of this user";
    *owner_fd = openat(fd, OWNER_FILE_NAME, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (*owner_fd < 0) {
        if (!is_of_others(errno))
            *failure = errno;
        int state = directory_state(fd, NULL);
        bool is_empty = state == DIRECTORY_EMPTY || state == DIRECTORY_REMOVED;
        return private_name_is_made(name) && is_empty ? NULL : "it has no owner file";
    }
    if (fstat(fd, &of_directory) != 0 || fstat(*owner_fd, &st) != 0 || !S_ISREG(st.st_mode) ||
        st.st_uid != of_directory.st_uid)
        return "its owner file is not one of ours";
    int locked = owner_file_lock(*owner_fd);
    if (locked == -ENOLCK)
        return "the filesystem has no locks that would tell whether a run is using it";
    if (locked < 0)
        return in_use;
    ssize_t length = (ssize_t)owner_text(expected, name);
    ssize_t got = read(*owner_fd, text, sizeof text);
    if (got < 0)
        *failure = errno;
    if (got == 0 && private_name_is_made(name) &&
        directory_state(fd, OWNER_FILE_NAME) == DIRECTORY_EMPTY)
        return NULL;
    bool names_it = got == length && memcmp(text, expected, (size_t)length) == 0;
    return names_it ? NULL : "its owner file does not name it";
}

static int remove_subdirectory(int fd, const char *name)
{
    regex_t ours;
    if (regcomp(&ours, FORM_ENTRY, REG_EXTENDED | REG_NOSUB) != 0)
        return -ENOMEM;
    DIR *directory = directory_list(fd, name);
    int rc = directory ? 0 : -errno;
    bool removed = true;
    while (rc == 0 && directory && removed) {
        removed = false; /* a filesystem may skip entries while others are removed */
        rewinddir(directory);
        for (const char *entry; rc == 0 && (entry = next_name(directory));) {
            if (regexec(&ours, entry, 0, NULL, 0) != 0)
                continue;
            removed = true;
            if (unlinkat(dirfd(directory), entry, 0) == 0)
                continue;
            rc = -errno; /* a unit of boncut's may be an empty directory */
            if ((rc == -EISDIR || rc == -EPERM) &&
                unlinkat(dirfd(directory), entry, AT_REMOVEDIR) == 0)
                rc = 0;
        }
        rc = rc ? rc : -errno;
    }
    regfree(&ours);
    if (directory)
        closedir(directory);
    if (rc == 0 && unlinkat(fd, name, AT_REMOVEDIR) != 0)
        rc = -errno;
    return rc;
}

int cleanup_entry(int fd, const char *name)
{
    if (name_has_form(name, FORM_DIRECTORY))
        return remove_subdirectory(fd, name);
    int rc = name_has_form(name, FORM_WORKER) ? remove_subdirectory(fd, name)
             : name_has_form(name, FORM_FILE) ? -ENOTDIR
                                              : -EEXIST;
    return rc != -ENOTDIR ? rc : unlinkat(fd, name, 0) == 0 ? 0 : -errno;
}

/* Removes a private directory: everything that a run makes in it, then the owner file, which stays
 * locked until then, and the directory itself, when the owner file is closed, because some
 * filesystems keep the name of an open file. If there is no owner file (*owner_fd is negative), a
 * run may just have begun; then the directory is no longer empty, or the run has removed it. */
static int remove_left_directory(DIR *parent, DIR *directory, const char *path, const char *name,
                                 int *owner_fd, struct err *e)
{
    bool was_locked = *owner_fd >= 0;
    rewinddir(directory);
    for (const char *entry; was_locked && (entry = next_name(directory));) {
        if (is_vanishing_name(entry) || strcmp(entry, OWNER_FILE_NAME) == 0)
            continue;
        int failed = cleanup_entry(dirfd(directory), entry);
        if (failed == -EEXIST || failed == -ENOTEMPTY)
            return err_say(e, "%s/%s/%s: contains something that no run makes; left as it is", path,
                           name, entry);
        if (failed != 0)
            return err_system(e, -failed, "remove %s/%s/%s", path, name, entry);
    }
    if (was_locked && errno != 0)
        return err_system(e, errno, "list directory %s/%s", path, name);
    if (was_locked && unlinkat(dirfd(directory), OWNER_FILE_NAME, 0) != 0 && errno != ENOENT)
        return err_system(e, errno, "remove %s/%s/%s", path, name, OWNER_FILE_NAME);
    descriptor_close(owner_fd);
    int rc = private_directory_remove(dirfd(parent), name, dirfd(directory));
    if (rc == 0)
        printf("removed %s/%s\n", printable(path).text, name);
    else if (rc == -ENOTEMPTY && !was_locked)
        message("left %s/%s: %s", path, name, in_use);
    else if (rc == -ESTALE)
        return say_moved(e, path, name, dirfd(directory));
    else if (rc != -ENOENT)
        return err_system(e, -rc, "remove %s/%s", path, name);
    return 0;
}

/* Whether the directory has files of promises, which are not checked yet. */
static bool has_promises(DIR *directory)
{
    const char *entry;
    rewinddir(directory);
    do
        entry = next_name(directory);
    while (entry && !name_has_form(entry, FORM_WORKER));
    return entry;
}

int cleanup_directory(const char *path, bool trusts, struct err *e)
{
    int fd = path_open_to_list(path, PATH_FAILS, e);
    struct path_directory above = {.fd = fd};
    char closed[sizeof e->text];
    if (fd < 0)
        return fd;
    DIR *parent = fdopendir(fd);
    if (!parent) {
        close(fd);
        return err_system(e, ENOMEM, "open directory %s", path);
    }
    int rc = 0;
    for (const char *name; (name = next_name(parent));) {
        if (!is_private_name_of_any(name))
            continue;
        struct err one = {0};
        int owner_fd = -1;
        int failure = 0;
        int failed = 0;
        DIR *directory = directory_list(fd, name);
        const char *reason =
            directory ? why_not_ours(parent, directory, name, trusts, &owner_fd, &failure)
            : is_of_others(errno) ? portable_reason(errno)
                                  : NULL;
        if (!directory && !reason)
            failed = err_system(&one, errno, "open directory %s/%s", path, name);
        else if (failure != 0)
            failed = err_system(&one, failure, "read %s/%s/%s", path, name, OWNER_FILE_NAME);
        else if (reason)
            message("left %s/%s: %s", path, name, reason);
        else if (has_promises(directory) &&
                 path_check_removed(&above, name, false) == -PATH_CLOSED) {
            path_explain(&above, NULL, PATH_CLOSED, closed, sizeof closed);
            failed = err_say(&one, "remove %s/%s: %s", path, name, closed);
        } else
            failed = remove_left_directory(parent, directory, path, name, &owner_fd, &one);
        descriptor_close(&owner_fd);
        if (directory)
            closedir(directory);
        if (failed != 0 && rc == 0)
            *e = one; /* the caller reports this failure */
        else if (failed != 0)
            message("%s", one.text);
        rc = rc ? rc : failed;
    }
    if (errno != 0)
        rc = rc ? rc : err_system(e, errno, "list directory %s", path);
    closedir(parent);
    return rc;
}
