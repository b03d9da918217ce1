/*
 * Where names below a directory lead to: first by openat2(2), and once more with a filter that
 * refuses this call, so that the program walks paths part by part.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/below.h"
#include "sys/walk.h"

/* The current directory of all tests. All users may write to its subdirectory "shared". */
static char top[] = "/tmp/bonnie-below-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(chdir(top), 0);
    assert_int_equal(mkdir("own", 0700), 0);
    assert_int_equal(mkdir("own/deep", 0700), 0);
    assert_int_equal(mkdir("shared", 0700), 0);
    assert_int_equal(chmod("shared", 0777), 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return chdir(top) == 0 ? system("rm -rf own shared made") : -1;
}

static void put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static off_t size_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

/* Whether a directory is opened, and whether it is the one at the path. */
static void assert_leads(const struct below *from, const char *name, const char *path)
{
    struct below b;
    struct stat found;
    struct stat meant;
    assert_int_equal(below_open(&b, from, name, BELOW_FAILS), 0);
    assert_int_equal(fstat(b.fd, &found), 0);
    assert_int_equal(stat(path, &meant), 0);
    assert_int_equal(found.st_ino, meant.st_ino);
    below_close(&b);
    assert_int_equal(b.fd, -1);
}

static void assert_refused(const struct below *from, const char *name, int code)
{
    struct below b;
    assert_int_equal(below_open(&b, from, name, BELOW_FAILS), -code);
    assert_int_equal(b.fd, -1);
}

/* Opens a file below a directory and closes it. Returns 0 or a negative errno. */
static int tried(const char *directory, const char *name, int flags)
{
    struct below b;
    assert_int_equal(below_open(&b, NULL, directory, BELOW_FAILS), 0);
    int fd = below_open_file(&b, name, flags, 0600);
    below_close(&b);
    if (fd >= 0)
        close(fd);
    return fd >= 0 ? 0 : fd;
}

static void directories(void **state)
{
    struct below own;
    (void)state;
    assert_leads(NULL, "", ".");
    assert_leads(NULL, "own/deep", "own/deep");
    assert_leads(NULL, "own//deep/../", "own");
    assert_leads(NULL, top, ".");
    assert_refused(NULL, "none", ENOENT);
    assert_int_equal(below_open(&own, NULL, "own", BELOW_FAILS), 0);
    assert_leads(&own, "deep", "own/deep");
    assert_refused(&own, "..", EXDEV);
    assert_refused(&own, "deep/../..", EXDEV);
    put("own/file", "x");
    assert_refused(&own, "file", ENOTDIR);
    assert_refused(&own, "file/deep", ENOTDIR);
    below_close(&own);
}

static void missing_directories(void **state)
{
    struct below b;
    struct err e;
    (void)state;
    assert_int_equal(below_open(&b, NULL, "made/by/it", BELOW_MAKES), 0);
    below_close(&b);
    assert_leads(NULL, "made/by/it", "made/by/it");
    err_init(&e);
    int fd = below_open_directory("made/../made/by", BELOW_FAILS, &e);
    assert_true(fd >= 0);
    assert_int_equal(fsync(fd), 0);
    close(fd);
    assert_int_equal(below_open_directory("none/below", BELOW_FAILS, &e), -ENOENT);
    assert_string_equal(e.text, "open directory none/below: No such file or directory");
}

static void links_on_the_way(void **state)
{
    struct err e;
    (void)state;
    assert_int_equal(symlink("deep", "own/link"), 0);
    assert_int_equal(symlink(top, "own/out"), 0);
    assert_int_equal(symlink("../own", "shared/link"), 0);
    assert_int_equal(symlink("round", "own/round"), 0);
    assert_leads(NULL, "own/link", "own/deep");
    assert_leads(NULL, "own/out/own/link/", "own/deep");
    assert_leads(NULL, "/proc/self/cwd/own", "own");
    assert_refused(NULL, "own/round", BELOW_ENDLESS);
    assert_refused(NULL, "shared/link", BELOW_LINK);
    assert_refused(NULL, "shared/link/deep", BELOW_LINK);
    err_init(&e);
    assert_int_equal(below_open_directory("shared/link", BELOW_MAKES, &e), -BELOW_LINK);
    assert_non_null(
        strstr(e.text, "make directory shared/link: a symbolic link on the way is not"));
    assert_int_equal(chmod("shared", 01777), 0); /* there this user's links stay as they are */
    assert_leads(NULL, "shared/link/deep", "own/deep");
    if (geteuid() == 0) {
        assert_int_equal(lchown("shared/link", 65534, 65534), 0);
        assert_refused(NULL, "shared/link/deep", BELOW_LINK);
        assert_int_equal(chown("own", 65534, 65534), 0);
        assert_refused(NULL, "own/link", BELOW_LINK);
        assert_leads(NULL, "own/deep", "own/deep");
    }
}

static void files(void **state)
{
    (void)state;
    put("own/file", "text");
    assert_int_equal(tried("own", "file", O_RDONLY), 0);
    assert_int_equal(tried(".", "own/file", O_RDWR), 0);
    assert_int_equal(tried("own", "none", O_RDONLY), -ENOENT);
    assert_int_equal(tried("own", "deep", O_RDONLY), -EISDIR);
    assert_int_equal(tried("own", "file", O_WRONLY | O_CREAT | O_EXCL), -EEXIST);
    assert_int_equal(tried("own", "deep/new", O_WRONLY | O_CREAT | O_EXCL), 0);
    assert_int_equal(size_of("own/file"), 4);
    assert_int_equal(tried("own", "file", O_WRONLY | O_CREAT | O_TRUNC), 0);
    assert_int_equal(size_of("own/file"), 0);
    assert_int_equal(tried("own", "/etc/passwd", O_RDONLY), 0);
}

static void links_are_not_opened(void **state)
{
    (void)state;
    put("own/file", "text");
    assert_int_equal(symlink("file", "own/link"), 0);
    assert_int_equal(symlink("none", "own/nowhere"), 0);
    assert_int_equal(symlink("../own", "shared/way"), 0);
    assert_int_equal(tried("own", "link", O_RDONLY), -BELOW_LINK);
    assert_int_equal(tried(".", "own/link", O_WRONLY | O_TRUNC), -BELOW_LINK);
    assert_int_equal(tried("own", "nowhere", O_WRONLY | O_CREAT), -BELOW_LINK);
    assert_int_equal(tried(".", "shared/way/file", O_WRONLY | O_TRUNC), -BELOW_LINK);
    assert_int_equal(size_of("own/file"), 4);
}

static void further_names(void **state)
{
    (void)state;
    put("own/file", "text");
    assert_int_equal(link("own/file", "own/other"), 0);
    assert_int_equal(link("own/file", "shared/other"), 0);
    assert_int_equal(tried("own", "other", O_WRONLY), 0);
    assert_int_equal(tried("shared", "other", O_WRONLY | O_TRUNC), -EMLINK);
    assert_int_equal(tried(".", "shared/other", O_RDWR), -EMLINK);
    assert_int_equal(tried("shared", "other", O_RDONLY), 0);
    assert_int_equal(size_of("own/file"), 4);
}

/*
 * A link of this user to a file in a directory of others, or in one of ours: the file's directory
 * decides.
 */
static void further_names_behind_links(void **state)
{
    struct below own;
    (void)state;
    put("own/file", "text");
    assert_int_equal(link("own/file", "shared/other"), 0);
    assert_int_equal(symlink("../shared/other", "own/link"), 0);
    assert_int_equal(symlink("file", "own/near"), 0);
    assert_int_equal(below_open(&own, NULL, "own", BELOW_FAILS), 0);
    own.follows_files = true;
    assert_int_equal(below_open_file(&own, "link", O_WRONLY | O_TRUNC, 0), -EMLINK);
    assert_int_equal(size_of("own/file"), 4);
    int fd = below_open_file(&own, "link", O_RDONLY, 0);
    assert_true(fd >= 0);
    close(fd);
    fd = below_open_file(&own, "near", O_WRONLY | O_TRUNC, 0);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(size_of("own/file"), 0);
    below_close(&own);
}

/* Another user exchanges one of his directories for one of ours, as fast as he can. */
static void *exchange(void *ends)
{
    while (!atomic_load((_Atomic bool *)ends))
        syscall(SYS_renameat2, AT_FDCWD, "shared/mine", AT_FDCWD, "shared/yours", RENAME_EXCHANGE);
    return NULL;
}

static void further_names_while_directories_change(void **state)
{
    pthread_t other;
    _Atomic bool ends = false;
    int opened = 0;
    (void)state;
    put("own/file", "text");
    assert_int_equal(mkdir("shared/mine", 0755), 0);
    put("shared/mine/file", "text");
    assert_int_equal(mkdir("shared/yours", 0777) | chmod("shared/yours", 0777), 0);
    assert_int_equal(link("own/file", "shared/yours/file"), 0);
    assert_int_equal(pthread_create(&other, NULL, exchange, &ends), 0);
    for (int i = 0; i < 20000 || opened == 0; i++)
        opened += tried(".", "shared/mine/file", O_WRONLY | O_TRUNC) == 0;
    atomic_store(&ends, true);
    pthread_join(other, NULL);
    assert_int_equal(size_of("own/file"), 4);
    assert_true(opened > 0);
}

static void changes_of_other_kinds(void **state)
{
    struct below own;
    struct below shared;
    struct stat st;
    (void)state;
    put("own/file", "text");
    assert_int_equal(link("own/file", "shared/other"), 0);
    assert_int_equal(symlink("file", "own/link"), 0);
    assert_int_equal(below_open(&own, NULL, "own", BELOW_FAILS), 0);
    assert_int_equal(below_open(&shared, NULL, "shared", BELOW_FAILS), 0);
    for (int i = 0; i < 2; i++) {
        int flags = i == 0 ? O_RDONLY : O_PATH;
        assert_int_equal(below_open_to_change(&shared, "other", flags), -EMLINK);
        assert_int_equal(below_open_to_change(&own, "none", flags), -ENOENT);
        int fd = below_open_to_change(&own, "file", flags);
        assert_true(fd >= 0);
        close(fd);
    }
    assert_int_equal(below_open_to_change(&own, "link", O_RDONLY), -BELOW_LINK);
    int fd = below_open_to_change(&own, "link", O_PATH);
    assert_int_equal(fstat(fd, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    close(fd);
    below_close(&own);
    below_close(&shared);
}

/* A test that hangs is killed, and counts as failed. */
static void pipes_are_not_waited_for(void **state)
{
    struct below own;
    uint64_t size;
    char byte;
    (void)state;
    alarm(20);
    assert_int_equal(mkfifo("own/pipe", 0600), 0);
    assert_int_equal(tried("own", "pipe", O_RDONLY), -BELOW_NOT_A_FILE);
    assert_int_equal(tried(".", "own/pipe", O_WRONLY | O_CREAT), -BELOW_NOT_A_FILE);
    int reader = open("own/pipe", O_RDONLY | O_NONBLOCK);
    assert_int_equal(tried("own", "pipe", O_WRONLY), -BELOW_NOT_A_FILE);
    assert_int_equal(below_open(&own, NULL, "own", BELOW_FAILS), 0);
    int fd = below_open_unseen(&own, "pipe", O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, &byte, 1), 0);
    assert_int_equal(below_check_read(fd, &size), -BELOW_NOT_A_FILE);
    close(fd);
    fd = below_open_unseen(&own, "deep", O_RDONLY);
    assert_int_equal(below_check_read(fd, &size), -EISDIR);
    close(fd);
    put("own/file", "text");
    fd = below_open_unseen(&own, "file", O_RDONLY);
    assert_int_equal(below_check_read(fd, &size), 0);
    assert_int_equal(size, 4);
    close(fd);
    close(reader);
    below_close(&own);
    assert_string_equal(below_reason(BELOW_NOT_A_FILE), "not a plain file");
    alarm(0);
}

static void entries(void **state)
{
    struct below own;
    struct below_entry entry;
    struct stat st;
    (void)state;
    put("own/deep/file", "text");
    assert_int_equal(below_open(&own, NULL, "own", BELOW_FAILS), 0);
    assert_int_equal(below_find(&own, "file", BELOW_FAILS, &entry), 0);
    assert_int_equal(entry.directory, own.fd);
    assert_string_equal(entry.name, "file");
    below_release(&entry);
    assert_int_equal(below_find(&own, "deep/file", BELOW_FAILS, &entry), 0);
    assert_string_equal(entry.name, "file");
    assert_int_equal(fstatat(entry.directory, entry.name, &st, 0), 0);
    below_release(&entry);
    assert_int_equal(below_find(&own, "none/file", BELOW_FAILS, &entry), -ENOENT);
    assert_int_equal(below_find(&own, "new/er/file", BELOW_MAKES, &entry), 0);
    below_release(&entry);
    assert_leads(&own, "new/er", "own/new/er");
    below_close(&own);
}

static void whom_to_trust(void **state)
{
    char path[80];
    (void)state;
    put("own/file", "text");
    put("shared/file", "text");
    snprintf(path, sizeof path, "%s/own/file", top);
    assert_true(walk_trusts_path("/proc/self/status") || geteuid() != 0);
    assert_true(walk_trusts_path(path));
    assert_false(walk_trusts_program(path));
    assert_int_equal(chmod("own/file", 0700), 0);
    assert_true(walk_trusts_program(path));
    assert_int_equal(symlink("file", "own/link"), 0);
    snprintf(path, sizeof path, "%s/own/link", top);
    assert_true(walk_trusts_program(path));
    assert_int_equal(chmod("own/file", 0702), 0);
    assert_false(walk_trusts_path(path));
    snprintf(path, sizeof path, "%s/shared/file", top);
    assert_false(walk_trusts_path(path));
    assert_int_equal(chmod("shared", 01777), 0);
    assert_true(walk_trusts_path(path));
    assert_false(walk_trusts_path("own"));
    assert_false(walk_trusts_path("none"));
}

/* From now on the kernel answers that it has no openat2(2). */
static bool forbid_openat2(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof code / sizeof *code, .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/* the filter stays for all further tests */
static int set_up_without_openat2(void **state)
{
    return forbid_openat2() ? set_up(state) : -1;
}

#define AT_ONCE(function)                                                                          \
    {                                                                                              \
        "at once: " #function, function, set_up, tear_down, NULL                                   \
    }
#define PART_BY_PART(function)                                                                     \
    {                                                                                              \
        "part by part: " #function, function, set_up_without_openat2, tear_down, NULL              \
    }
#define ALL(CASE)                                                                                  \
    CASE(directories), CASE(missing_directories), CASE(links_on_the_way), CASE(files),             \
        CASE(links_are_not_opened), CASE(further_names), CASE(further_names_behind_links),         \
        CASE(further_names_while_directories_change), CASE(changes_of_other_kinds),                \
        CASE(pipes_are_not_waited_for), CASE(entries), CASE(whom_to_trust)

int main(void)
{
    const struct CMUnitTest tests[] = {ALL(AT_ONCE), ALL(PART_BY_PART)};
    const struct CMUnitTest unfiltered[] = {ALL(AT_ONCE)}; /* emulators have no openat2, either */
    if (!mkdtemp(top))
        return EXIT_FAILURE;
    bool has_filters = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
    int failed = has_filters ? cmocka_run_group_tests(tests, NULL, NULL)
                             : cmocka_run_group_tests(unfiltered, NULL, NULL);
    if (chdir("/") != 0 || rmdir(top) != 0)
        failed++;
    return failed;
}
