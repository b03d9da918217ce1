// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/magic.h>

#include "storage/page_cache.h"
#include "sys/stop.h"

#define MEBI (1 << 20)
#define FILE_BYTES                                                                                 \
    (100 * MEBI + 1234) /* more than a piece of mincore, and with a partial last page */

static struct err err;

/* A file without a name in the directory; -1 when it cannot be made there. */
static int make_file(const char *directory)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/bonnie-cache-XXXXXX", directory);
    int fd = mkstemp(path);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static void write_all(int fd, off_t offset, size_t length)
{
    static char block[MEBI];
    memset(block, 'b', sizeof block);
    while (length > 0) {
        ssize_t written = pwrite(fd, block, length < MEBI ? length : MEBI, offset);
        assert_true(written > 0);
        offset += written;
        length -= (size_t)written;
    }
}

/* Both methods must give the same answer, unless the system reclaimed pages meanwhile. */
static uint64_t resident(int fd, uint64_t bytes)
{
    struct residency r, m, again;
    do {
        r = page_cache_residency(fd, bytes);
        m = page_cache_residency_by_mincore(fd, bytes);
        again = page_cache_residency(fd, bytes);
        assert_true(r.known && m.known && again.known);
    } while (r.bytes != again.bytes);
    assert_int_equal(r.bytes, m.bytes);
    return r.bytes;
}

static uint64_t evict(int fd)
{
    struct residency left;
    err_init(&err);
    assert_int_equal(page_cache_evict(fd, "FILE", &left, &err), 0);
    assert_true(left.known);
    return left.bytes;
}

static bool lives_in_memory(int fd)
{
    struct statfs fs;
    assert_int_equal(fstatfs(fd, &fs), 0);
    return fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC;
}

static const char *temporary(void)
{
    const char *directory = getenv("TMPDIR");
    return directory && directory[0] ? directory : "/tmp";
}

/* An empty file that can be evicted. The test is skipped if there is no place for one. */
static int make_file_on_storage(void)
{
    int fd = make_file(temporary());
    assert_true(fd >= 0);
    if (lives_in_memory(fd)) {
        close(fd);
        print_message("%s is in memory\n", temporary());
        skip();
    }
    return fd;
}

/* Number of bytes of a file in the page cache at several moments. */
struct seen {
    uint64_t written; /* after the file was written */
    uint64_t left;    /* after it was evicted, as the eviction says */
    uint64_t evicted; /* the same, as a look says */
    uint64_t some;    /* after two bytes of it were read */
    uint64_t none;    /* then, in the part before the first of these bytes */
    uint64_t part;    /* then, in the part with the first of these bytes */
    uint64_t again;   /* after it was written and evicted once more */
};

static struct seen use_file(int fd)
{
    char byte;
    struct seen s;
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM); /* only a part of the file comes back */
    write_all(fd, 0, FILE_BYTES);
    s.written = resident(fd, FILE_BYTES);
    s.left = evict(fd);
    s.evicted = resident(fd, FILE_BYTES);
    assert_int_equal(pread(fd, &byte, 1, 3 * MEBI), 1);
    assert_int_equal(pread(fd, &byte, 1, FILE_BYTES - 1), 1);
    s.some = resident(fd, FILE_BYTES);
    s.none = resident(fd, 2 * MEBI);
    s.part = resident(fd, 4 * MEBI);
    write_all(fd, 0, FILE_BYTES);
    s.again = evict(fd); /* dirty pages are written first */
    return s;
}

/* A filesystem may keep pages: what matters is that the program reports it. */
static bool is_right(const struct seen *s)
{
    return s->written > 0 && s->evicted == s->left && s->some > s->left && s->some < FILE_BYTES &&
           (s->left > 0 || s->none == 0) && s->part > 0 && s->part <= s->some &&
           s->again <= s->left;
}

/* Other programs drop the kernel's caches, but not each time. */
#define TRIES 20

/* A file is in the cache after it was written, gone after it was evicted, and back after it was
 * read. */
static void a_file_goes_and_comes_back(void **state)
{
    (void)state;
    struct seen s;
    int fd = make_file_on_storage();
    bool is_as_expected = false;
    for (int i = 0; i < TRIES && !is_as_expected; i++) {
        s = use_file(fd);
        is_as_expected = is_right(&s);
    }
    if (!is_as_expected)
        print_message("%ju bytes, %ju (%ju) after eviction, %ju (%ju, %ju) after reading, %ju\n",
                      (uintmax_t)s.written, (uintmax_t)s.left, (uintmax_t)s.evicted,
                      (uintmax_t)s.some, (uintmax_t)s.none, (uintmax_t)s.part, (uintmax_t)s.again);
    assert_true(is_as_expected);
    close(fd);
}

/* A mapped page cannot be evicted. The other pages are evicted, and the attempts end. */
static void a_page_that_is_held_stays(void **state)
{
    (void)state;
    int fd = make_file_on_storage();
    write_all(fd, 0, FILE_BYTES);
    const volatile char *page = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
    assert_true(page != MAP_FAILED);
    assert_int_equal(*page, 'b');
    assert_in_range(evict(fd), 1, FILE_BYTES);
    munmap((void *)page, 1);
    close(fd);
}

static void in_memory_everything_stays(void **state)
{
    (void)state;
    int fd = make_file("/dev/shm");
    if (fd < 0 || !lives_in_memory(fd)) {
        if (fd >= 0)
            close(fd);
        print_message("no /dev/shm in memory\n");
        skip();
    }
    write_all(fd, 0, FILE_BYTES);
    assert_int_equal(resident(fd, FILE_BYTES), FILE_BYTES);
    assert_int_equal(resident(fd, 10000), 10000);
    assert_int_equal(evict(fd), FILE_BYTES);
    close(fd);
}

static void a_file_without_pages(void **state)
{
    (void)state;
    int fd = make_file(temporary());
    assert_true(fd >= 0);
    assert_int_equal(resident(fd, 0), 0);
    assert_int_equal(resident(fd, FILE_BYTES), 0); /* nor is there anything past the end */
    assert_int_equal(evict(fd), 0);
    assert_int_equal(ftruncate(fd, FILE_BYTES), 0); /* a hole */
    assert_int_equal(resident(fd, FILE_BYTES), 0);
    close(fd);
}

static void what_cannot_be_asked_is_not_known(void **state)
{
    (void)state;
    struct residency left;
    assert_false(page_cache_residency(-1, MEBI).known);
    assert_false(page_cache_residency_by_mincore(-1, MEBI).known);
    err_init(&err);
    assert_int_equal(page_cache_evict(-1, "FILE", &left, &err), -EBADF);
    assert_false(left.known);
    assert_non_null(strstr(err.text, "FILE"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_goes_and_comes_back),
        cmocka_unit_test(a_page_that_is_held_stays),
        cmocka_unit_test(in_memory_everything_stays),
        cmocka_unit_test(a_file_without_pages),
        cmocka_unit_test(what_cannot_be_asked_is_not_known),
    };
    err_init(&err);
    if (stop_init(&err) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
