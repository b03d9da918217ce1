// SPDX-License-Identifier: GPL-2.0-or-later
/* Where names below a directory lead to: first by openat2(2), and once more with a filter that
 * refuses this call, so that the program walks paths part by part. */
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

#include "sys/path.h"

/* The current directory of all tests. All users may write to its subdirectory "shared". */
static char top[] = "/tmp/bonnie-path-XXXXXX";

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
static void assert_leads(const struct path_directory *from, const char *name, const char *path)
{
    struct path_directory b;
    struct stat found;
    struct stat meant;
    assert_int_equal(path_open(&b, from, name, PATH_FAILS, NULL), 0);
    assert_int_equal(fstat(b.fd, &found), 0);
    assert_int_equal(stat(path, &meant), 0);
    assert_int_equal(found.st_ino, meant.st_ino);
    path_close(&b);
    assert_int_equal(b.fd, -1);
}

static void assert_refused(const struct path_directory *from, const char *name, int code)
{
    struct path_directory b;
    assert_int_equal(path_open(&b, from, name, PATH_FAILS, NULL), -code);
    assert_int_equal(b.fd, -1);
}

/* Opens a file below a directory and closes it. Returns 0 or a negative errno. */
static int tried(const char *directory, const char *name, int flags)
{
    struct path_directory b;
    assert_int_equal(path_open(&b, NULL, directory, PATH_FAILS, NULL), 0);
    int fd = path_open_file(&b, name, flags, 0600, 0);
    path_close(&b);
    if (fd >= 0)
        close(fd);
    return fd >= 0 ? 0 : fd;
}

static void directories(void **state)
{
    struct path_directory own;
    (void)state;
    assert_leads(NULL, "", ".");
    assert_leads(NULL, "own/deep", "own/deep");
    assert_leads(NULL, "own//deep/../", "own");
    assert_leads(NULL, top, ".");
    assert_refused(NULL, "none", ENOENT);
    assert_int_equal(path_open(&own, NULL, "own", PATH_FAILS, NULL), 0);
    assert_leads(&own, "deep", "own/deep");
    assert_refused(&own, "..", EXDEV);
    assert_refused(&own, "deep/../..", EXDEV);
    put("own/file", "x");
    assert_refused(&own, "file", ENOTDIR);
    assert_refused(&own, "file/deep", ENOTDIR);
    path_close(&own);
}

static void missing_directories(void **state)
{
    struct path_directory b;
    struct err e;
    (void)state;
    assert_int_equal(path_open(&b, NULL, "made/by/it", PATH_MAKES, NULL), 0);
    path_close(&b);
    assert_leads(NULL, "made/by/it", "made/by/it");
    err_init(&e);
    int fd = path_open_to_list("made/../made/by", PATH_FAILS, &e);
    assert_true(fd >= 0);
    assert_int_equal(fsync(fd), 0);
    close(fd);
    assert_int_equal(path_open_to_list("none/below", PATH_FAILS, &e), -ENOENT);
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
    assert_leads(NULL, "shared/../own/link", "own/deep");
    assert_refused(NULL, "own/round", PATH_ENDLESS);
    for (mode_t mode = 0777; mode != 0; mode = mode == 0777 ? 01777 : mode == 01777 ? 0775 : 0) {
        assert_int_equal(chmod("shared", mode), 0);
        assert_refused(NULL, "shared/link", PATH_LINK);
        assert_refused(NULL, "shared/link/deep", PATH_LINK);
    }
    err_init(&e);
    assert_int_equal(path_open_to_list("shared/link/deep", PATH_MAKES, &e), -PATH_LINK);
    assert_non_null(strstr(e.text, "make directory shared/link/deep: a symbolic link is not"));
    assert_non_null(strstr(e.text, "/shared/../own/deep"));
    assert_int_equal(chmod("shared", 0755), 0);
    assert_leads(NULL, "shared/link/deep", "own/deep");
    if (geteuid() != 0)
        return;
    assert_int_equal(lchown("shared/link", 65534, 65534), 0); /* says nothing about its place */
    assert_leads(NULL, "shared/link/deep", "own/deep");
    assert_int_equal(chown("own", 65534, 65534), 0);
    assert_refused(NULL, "own/link", PATH_LINK);
    assert_leads(NULL, "own/deep", "own/deep");
}

/* A directory of this user is as safe as those above it. */
static void links_below_others(void **state)
{
    (void)state;
    assert_int_equal(mkdir("shared/mine", 0755), 0);
    assert_int_equal(symlink("../../own", "shared/mine/link"), 0);
    assert_refused(NULL, "shared/mine/link", PATH_LINK);
    assert_leads(NULL, "shared/mine", "shared/mine");
    assert_int_equal(chdir("shared/mine"), 0);
    assert_refused(NULL, "link", PATH_LINK);
    assert_refused(NULL, "../mine/link", PATH_LINK);
    assert_int_equal(chdir(top), 0);
    assert_int_equal(chmod("shared", 01777), 0); /* others cannot replace what is this user's */
    assert_leads(NULL, "shared/mine/link", "own");
    assert_leads(NULL, "own/../shared/mine/link/deep", "own/deep");
    if (geteuid() != 0)
        return;
    assert_int_equal(chown("shared", 65534, 65534), 0);
    assert_refused(NULL, "shared/mine/link", PATH_LINK);
}

static void links_of_the_kernel(void **state)
{
    char path[80];
    struct path_file f;
    struct err e;
    int fd = open("own", O_RDONLY | O_DIRECTORY);
    (void)state;
    err_init(&e);
    assert_leads(NULL, "/proc/self/cwd/own", "own");
    assert_leads(NULL, "/proc/thread-self/root", "/");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_leads(NULL, path, "own");
    snprintf(path, sizeof path, "/proc/%d/cwd", (int)getppid());
    assert_refused(NULL, path, PATH_LINK);
    put("own/file", "text");
    int file = openat(fd, "file", O_RDONLY);
    snprintf(path, sizeof path, "/dev/fd/%d", file);
    assert_int_equal(path_find(&f, "open", path, &e), 0);
    assert_false(f.is_in_place);
    assert_int_equal(path_check_changed(&f), 0);
    assert_int_equal(f.facts.st_size, 4);
    path_release(&f);
    close(file);
    close(fd);
}

static void files(void **state)
{
    (void)state;
    put("own/file", "text");
    assert_int_equal(tried("own", "file", O_RDONLY), 0);
    assert_int_equal(tried("own", "file", O_RDWR), 0);
    assert_int_equal(tried("own", "none", O_RDONLY), -ENOENT);
    assert_int_equal(tried("own", "none", O_WRONLY), -ENOENT);
    assert_int_equal(tried("own", "deep", O_RDONLY), -EISDIR);
    assert_int_equal(tried("own", "file", O_WRONLY | O_CREAT | O_EXCL), -EEXIST);
    assert_int_equal(tried("own/deep", "new", O_WRONLY | O_CREAT | O_EXCL), 0);
    assert_int_equal(size_of("own/file"), 4);
    assert_int_equal(tried("own", "file", O_WRONLY | O_CREAT | O_TRUNC), 0);
    assert_int_equal(size_of("own/file"), 0);
}

/* Tries a file in a directory, and its link if that is to be followed. */
static int tried_behind(const char *directory, const char *name, int flags)
{
    struct path_directory d;
    assert_int_equal(path_open(&d, NULL, directory, PATH_FAILS, NULL), 0);
    int fd = path_open_file(&d, name, flags, 0600, PATH_FOLLOWS);
    path_close(&d);
    if (fd >= 0)
        close(fd);
    return fd >= 0 ? 0 : fd;
}

static void links_to_files(void **state)
{
    (void)state;
    put("own/file", "text");
    assert_int_equal(symlink("file", "own/link"), 0);
    assert_int_equal(symlink("none", "own/nowhere"), 0);
    assert_int_equal(symlink("../own/file", "shared/link"), 0);
    assert_int_equal(tried("own", "link", O_RDONLY), -PATH_LINK);
    assert_int_equal(tried("own", "link", O_WRONLY | O_TRUNC), -PATH_LINK);
    assert_int_equal(tried("own", "nowhere", O_WRONLY | O_CREAT), -PATH_LINK);
    assert_int_equal(tried("shared", "link", O_WRONLY | O_CREAT | O_TRUNC), -PATH_LINK);
    assert_int_equal(tried_behind("shared", "link", O_WRONLY | O_CREAT | O_TRUNC), -PATH_LINK);
    assert_int_equal(size_of("own/file"), 4);
    assert_int_equal(tried_behind("own", "link", O_WRONLY | O_TRUNC), 0);
    assert_int_equal(size_of("own/file"), 0);
    assert_int_equal(tried_behind("own", "nowhere", O_WRONLY | O_CREAT), 0);
    assert_int_equal(size_of("own/none"), 0);
}

/* Whether a user who is not root may change own files wherever they are (proc(5)). */
static bool are_own_safe(void)
{
    char text[2] = "";
    int fd = open("/proc/sys/fs/protected_hardlinks", O_RDONLY);
    bool is_set = fd >= 0 && read(fd, text, 1) == 1 && *text == '1';
    if (fd >= 0)
        close(fd);
    return geteuid() != 0 && is_set;
}

/* A file that is there already, in a directory that others can change; it has one name. */
static void files_in_shared_directories(void **state)
{
    struct path_directory shared;
    struct stat before, after;
    int in_place = are_own_safe() ? 0 : -PATH_FOREIGN;
    (void)state;
    put("shared/file", "text");
    assert_int_equal(tried("shared", "file", O_RDONLY), 0);
    assert_int_equal(tried("shared", "file", O_WRONLY), in_place);
    assert_int_equal(tried("shared", "file", O_RDWR | O_CREAT), in_place);
    assert_int_equal(tried("shared", "none", O_WRONLY), -ENOENT);
    assert_int_equal(tried("shared", "new", O_WRONLY | O_CREAT), 0);
    assert_int_equal(size_of("shared/file"), 4);
    assert_int_equal(path_open(&shared, NULL, "shared", PATH_FAILS, NULL), 0);
    for (int i = 0; i < 2; i++) {
        int how = PATH_CHANGES | (i == 0 ? 0 : PATH_ANY_KIND);
        int fd = path_open_file(&shared, "file", i == 0 ? O_RDONLY : O_PATH, 0, (unsigned)how);
        assert_int_equal(fd >= 0 ? 0 : fd, in_place);
        if (fd >= 0)
            close(fd);
    }
    assert_int_equal(stat("shared/file", &before), 0);
    int kept = open("shared/file", O_RDONLY);
    assert_int_equal(tried("shared", "file", O_WRONLY | O_TRUNC), in_place);
    assert_int_equal(tried("shared", "file", O_WRONLY | O_CREAT | O_TRUNC), 0);
    assert_int_equal(stat("shared/file", &after), 0);
    assert_int_equal(after.st_size, 0);
    assert_int_equal(before.st_ino == after.st_ino, in_place == 0); /* otherwise made anew */
    close(kept);
    assert_int_equal(path_remove(&shared, "file", false), 0);
    assert_int_equal(path_remove(&shared, "file", false), -ENOENT);
    path_close(&shared);
}

static void files_of_others(void **state)
{
    struct path_directory shared, own;
    (void)state;
    if (geteuid() != 0)
        skip();
    put("shared/file", "text");
    put("own/file", "text");
    assert_int_equal(chown("shared/file", 1, 1) | chown("own/file", 1, 1), 0);
    assert_int_equal(tried("shared", "file", O_RDONLY), 0);
    assert_int_equal(tried("shared", "file", O_WRONLY), -PATH_FOREIGN);
    assert_int_equal(tried("shared", "file", O_WRONLY | O_CREAT | O_TRUNC), -PATH_FOREIGN);
    assert_int_equal(size_of("shared/file"), 4);
    assert_int_equal(path_open(&shared, NULL, "shared", PATH_FAILS, NULL), 0);
    assert_int_equal(path_open(&own, NULL, "own", PATH_FAILS, NULL), 0);
    assert_int_equal(path_check_removed(&shared, "file", false), -PATH_FOREIGN);
    assert_int_equal(path_remove(&shared, "file", false), -PATH_FOREIGN);
    assert_int_equal(tried("own", "file", O_WRONLY | O_CREAT | O_TRUNC), 0);
    assert_int_equal(path_check_removed(&own, "file", false), 0);
    assert_int_equal(path_remove(&own, "file", false), 0);
    path_close(&own);
    path_close(&shared);
}

/* How many names a file has, and where, says nothing. */
static void further_names(void **state)
{
    (void)state;
    put("own/file", "text");
    assert_int_equal(link("own/file", "own/other"), 0);
    assert_int_equal(link("own/file", "shared/other"), 0);
    assert_int_equal(tried("own", "other", O_WRONLY), 0);
    if (!are_own_safe())
        assert_int_equal(tried("shared", "other", O_WRONLY), -PATH_FOREIGN);
    assert_int_equal(size_of("own/file"), 4);
}

/* Another user keeps giving a file of ours a second name, and taking it away, as fast as he can. */
static void *link_and_unlink(void *ends)
{
    while (!atomic_load((_Atomic bool *)ends)) {
        if (link("own/file", "shared/name") == 0)
            unlink("shared/name");
    }
    return NULL;
}

static void names_that_come_and_go(void **state)
{
    pthread_t other;
    _Atomic bool ends = false;
    (void)state;
    if (are_own_safe())
        skip();
    put("own/file", "text");
    assert_int_equal(pthread_create(&other, NULL, link_and_unlink, &ends), 0);
    for (int i = 0; i < 20000; i++) {
        int rc = tried("shared", "name", i % 2 ? O_WRONLY : O_WRONLY | O_TRUNC);
        assert_true(rc == -PATH_FOREIGN || rc == -ENOENT);
    }
    atomic_store(&ends, true);
    pthread_join(other, NULL);
    assert_int_equal(size_of("own/file"), 4);
}

/* A test that hangs is killed, and counts as failed. */
static void pipes_are_not_waited_for(void **state)
{
    struct path_directory own;
    uint64_t size;
    char byte;
    (void)state;
    alarm(20);
    assert_int_equal(mkfifo("own/pipe", 0600), 0);
    assert_int_equal(tried("own", "pipe", O_RDONLY), -PATH_NOT_A_FILE);
    assert_int_equal(tried("own", "pipe", O_WRONLY | O_CREAT), -PATH_NOT_A_FILE);
    int reader = open("own/pipe", O_RDONLY | O_NONBLOCK);
    assert_int_equal(tried("own", "pipe", O_WRONLY), -PATH_NOT_A_FILE);
    assert_int_equal(path_open(&own, NULL, "own", PATH_FAILS, NULL), 0);
    int fd = path_open_file(&own, "pipe", O_RDONLY, 0, PATH_ANY_KIND);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, &byte, 1), 0);
    assert_int_equal(path_check_read(fd, &size), -PATH_NOT_A_FILE);
    close(fd);
    fd = path_open_file(&own, "deep", O_RDONLY, 0, PATH_ANY_KIND);
    assert_int_equal(path_check_read(fd, &size), -EISDIR);
    close(fd);
    put("own/file", "text");
    fd = path_open_file(&own, "file", O_RDONLY, 0, PATH_ANY_KIND);
    assert_int_equal(path_check_read(fd, &size), 0);
    assert_int_equal(size, 4);
    close(fd);
    close(reader);
    path_close(&own);
    assert_string_equal(path_reason(PATH_NOT_A_FILE), "not a plain file");
    alarm(0);
}

static void programs(void **state)
{
    (void)state;
    put("own/file", "text");
    put("shared/file", "text");
    assert_false(path_is_safe_program("own/file"));
    assert_int_equal(chmod("own/file", 0700) | chmod("shared/file", 0700), 0);
    assert_true(path_is_safe_program("own/file"));
    assert_int_equal(symlink("file", "own/link"), 0);
    assert_true(path_is_safe_program("own/link"));
    assert_int_equal(chmod("own/file", 0702), 0);
    assert_false(path_is_safe_program("own/file"));
    assert_false(path_is_safe_program("shared/file"));
    assert_false(path_is_safe_program("own"));
    assert_false(path_is_safe_program("none"));
}

/* Number of calls after which fstat() fails, as one of a FUSE server may; -1: it never fails. */
static int fstats_left = -1;
static bool has_failed;

int fstat(int fd, struct stat *facts)
{
    if (fstats_left != 0) {
        fstats_left -= fstats_left > 0;
        return fstatat(fd, "", facts, AT_EMPTY_PATH);
    }
    has_failed = true;
    errno = EIO;
    return -1;
}

/* A directory of which nothing can be found out is not safe, and neither are those below it. */
static void directories_that_fail(void **state)
{
    (void)state;
    put("own/file", "text");
    assert_int_equal(symlink("file", "own/link") | chmod("own/file", 0700), 0);
    for (int calls = 0; calls < 100; calls++) {
        fstats_left = calls;
        has_failed = false;
        bool is_safe = path_is_safe_program("own/link");
        fstats_left = -1;
        assert_int_equal(is_safe, !has_failed);
    }
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
    CASE(directories), CASE(missing_directories), CASE(links_on_the_way),                          \
        CASE(links_below_others), CASE(links_of_the_kernel), CASE(files), CASE(links_to_files),    \
        CASE(files_in_shared_directories), CASE(files_of_others), CASE(further_names),             \
        CASE(names_that_come_and_go), CASE(pipes_are_not_waited_for), CASE(programs),              \
        CASE(directories_that_fail)

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
