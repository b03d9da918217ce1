// SPDX-License-Identifier: GPL-2.0-or-later
/* A plugin of nbdkit for programs of tests/lab: a drive in memory that is slow in known ways, and
 * writes down when.
 *
 *     nbdkit cc slow_drive.c size=BYTES log=FILE [read-us=N] [write-us=N]
 *         [flush-us=N [flush-alone=1]] [every=N delay-us=N] [iops=N mib=N]
 *
 * A read takes read-us, a write write-us; one of them in `every`, chosen at random, delay-us more.
 * A flush takes flush-us, and with flush-alone the drive does nothing else meanwhile. With
 * iops and mib it moves one request after the other, that many and that many MiB in a second, by a
 * clock that does not depend on when a thread wakes; what is not used is lost. The log has a
 * line for each delay and each flush: the word, and when it began and ended in ns of
 * CLOCK_MONOTONIC. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL

static struct {
    char *data;
    int64_t size;
    FILE *log;
    unsigned read_us;
    unsigned write_us;
    unsigned flush_us;
    unsigned flush_alone;
    unsigned every; /* 0: no request is delayed */
    unsigned delay_us;
    unsigned iops; /* 0: no limit */
    unsigned mib;
    uint64_t free_ns; /* when the last request is done */
    pthread_mutex_t turn;
    _Atomic uint64_t random;
    pthread_rwlock_t flushing;
} drive = {.turn = PTHREAD_MUTEX_INITIALIZER, .random = 88172645463325252};

static int set_number(const char *key, const char *value)
{
    const struct {
        const char *key;
        unsigned *number;
    } numbers[] = {{"read-us", &drive.read_us},   {"write-us", &drive.write_us},
                   {"flush-us", &drive.flush_us}, {"flush-alone", &drive.flush_alone},
                   {"every", &drive.every},       {"delay-us", &drive.delay_us},
                   {"iops", &drive.iops},         {"mib", &drive.mib}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(key, numbers[i].key) == 0)
            return nbdkit_parse_unsigned(key, value, numbers[i].number);
    nbdkit_error("unknown parameter %s", key);
    return -1;
}

static int drive_config(const char *key, const char *value)
{
    if (strcmp(key, "size") == 0)
        return (drive.size = nbdkit_parse_size(value)) < 0 ? -1 : 0;
    if (strcmp(key, "log") == 0)
        return (drive.log = fopen(value, "w")) ? 0 : -1;
    return set_number(key, value);
}

static int drive_ready(void)
{
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&drive.flushing, &attributes);
    drive.data = calloc(1, (size_t)drive.size);
    return drive.data && drive.log ? 0 : -1;
}

static void *drive_open(int readonly)
{
    (void)readonly;
    return &drive;
}

static int64_t drive_size(void *handle)
{
    (void)handle;
    return drive.size;
}

static int drive_true(void *handle)
{
    (void)handle;
    return 1;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void logged_pause(const char *word, unsigned us)
{
    uint64_t begin_ns = now_ns();
    usleep(us);
    fprintf(drive.log, "%s %llu %llu\n", word, (unsigned long long)begin_ns,
            (unsigned long long)now_ns());
    fflush(drive.log);
}

static bool is_chosen(void)
{
    uint64_t x =
        drive.every > 0 ? atomic_fetch_add(&drive.random, UINT64_C(0x9e3779b97f4a7c15)) : 0;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return drive.every > 0 && (x ^ x >> 31) % drive.every == 0;
}

/* Waits until this transfer is done, which begins when the one before it is. */
static void wait_for_turn(uint32_t bytes)
{
    uint64_t by_number = 1000000000 / drive.iops;
    uint64_t by_size = (uint64_t)bytes * 1000000000 / ((uint64_t)drive.mib << 20);
    pthread_mutex_lock(&drive.turn);
    uint64_t now = now_ns();
    uint64_t end =
        (drive.free_ns > now ? drive.free_ns : now) + (by_number > by_size ? by_number : by_size);
    drive.free_ns = end;
    pthread_mutex_unlock(&drive.turn);
    const struct timespec until = {.tv_sec = (time_t)(end / 1000000000),
                                   .tv_nsec = (long)(end % 1000000000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* What comes before a transfer, while the drive is not flushing. */
static void slow_down(unsigned us, uint32_t bytes)
{
    if (drive.iops > 0 && drive.mib > 0)
        wait_for_turn(bytes);
    if (is_chosen())
        logged_pause("delay", drive.delay_us);
    if (us > 0)
        usleep(us);
}

static int drive_read(void *handle, void *to, uint32_t bytes, uint64_t offset, uint32_t flags)
{
    (void)handle;
    (void)flags;
    pthread_rwlock_rdlock(&drive.flushing);
    slow_down(drive.read_us, bytes);
    memcpy(to, drive.data + offset, bytes);
    pthread_rwlock_unlock(&drive.flushing);
    return 0;
}

static int drive_write(void *handle, const void *from, uint32_t bytes, uint64_t offset,
                       uint32_t flags)
{
    (void)handle;
    (void)flags;
    pthread_rwlock_rdlock(&drive.flushing);
    slow_down(drive.write_us, bytes);
    memcpy(drive.data + offset, from, bytes);
    pthread_rwlock_unlock(&drive.flushing);
    return 0;
}

static int drive_flush(void *handle, uint32_t flags)
{
    (void)handle;
    (void)flags;
    if (drive.flush_alone)
        pthread_rwlock_wrlock(&drive.flushing);
    if (drive.flush_us > 0)
        logged_pause("flush", drive.flush_us);
    if (drive.flush_alone)
        pthread_rwlock_unlock(&drive.flushing);
    return 0;
}

static struct nbdkit_plugin plugin = {
    .name = "slow-drive",
    .config = drive_config,
    .get_ready = drive_ready,
    .open = drive_open,
    .get_size = drive_size,
    .can_flush = drive_true,
    .can_multi_conn = drive_true,
    .pread = drive_read,
    .pwrite = drive_write,
    .flush = drive_flush,
};

NBDKIT_REGISTER_PLUGIN(plugin)
