// SPDX-License-Identifier: GPL-2.0-or-later
/* A plugin of nbdkit for the tests of boncut: a drive with a cache that forgets when its power is
 * cut, and that may lie about it.
 *
 *     nbdkit ./drive.so file=IMAGE seed=N [sector=4096] [flush-us=2000] [lie=WORD]
 *            [fast=BYTES slow=BYTES credit=BYTES [bucket=1]]
 *
 * Written sectors stay in memory until a flush that begins later, or for a second. SIGUSR1 cuts the
 * power: a random part, of random size, of the sectors that are still in memory reaches the file,
 * in any order, and the process ends at once.
 *
 * With a speed, the first `credit` bytes move at `fast` bytes per second, and all others at `slow`.
 * A bucket gets new credit at the slow speed all the time, so it lasts longer: credit * fast /
 * (fast - slow) bytes. Requests of less than 16 KiB take no time and no credit. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

#include "util/rng.h"
#include "verify/pattern.h"

#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL

#define SECOND_NS  UINT64_C(1000000000)
#define SECTOR_MAX 4096

/* A drive with the lie `some-flushes` ignores one flush in this many. */
#define SOME_FLUSHES 50

/* A drive with the lie `torn-units` tears one of so many writes of more than a sector. */
#define SOME_WRITES 4

/* The drive's fault. The last three damage single blocks when the power is cut. */
enum lie {
    LIE_NONE,
    LIE_ALL_FLUSHES,  /* flushes do nothing */
    LIE_SOME_FLUSHES, /* one flush in SOME_FLUSHES does nothing, and its data stays in memory for a
                         second */
    LIE_LAST_SECOND,  /* flushes do nothing, and the cut loses everything of the last second, but
                         nothing older */
    LIE_TORN_UNITS,   /* of some writes of boncut's data, no flush stores the second half for a
                         second */
    LIE_MISPLACED,    /* a block was written where another belongs */
    LIE_OLD,          /* a block is as it was before its last write */
    LIE_TORN,         /* the second half of a block is as it was before its last write */
    LIES
};

static const char *const lie_words[LIES] = {
    "none", "all-flushes", "some-flushes", "last-second", "torn-units", "misplaced", "old", "torn"};

/* A written sector that has not reached the file yet. */
struct cached {
    struct cached *next;
    uint64_t sector;
    uint64_t number;     /* writes are numbered from 1 */
    uint64_t written_ns; /* when it was written */
    uint64_t held_ns;    /* no flush stores it before this time */
    unsigned char data[];
};

/* What a sector with boncut's stamp contained before its last write reached the file. */
struct before {
    uint64_t number; /* number of the write that replaced it */
    unsigned char data[SECTOR_MAX];
};

static struct {
    const char *path;
    int fd;
    uint64_t size;
    struct rng random;
    unsigned sector;
    unsigned flush_us;
    enum lie lie;
    uint64_t fast; /* 0: as fast as it can */
    uint64_t slow;
    uint64_t credit;
    unsigned is_bucket;
    pthread_mutex_t pace; /* of the two below */
    double left;          /* credit */
    double busy_until_ns;

    _Atomic bool is_cut; /* the power has been cut: a flush that is under way stays unfinished */
    pthread_mutex_t lock;
    uint64_t written;      /* number of the last write */
    struct cached *oldest; /* list of the sectors in the order of their writes */
    struct cached **end;
    struct cached **newest; /* for each sector, what a read returns; NULL: what is in the file */
    uint64_t *stored;       /* for each sector, the number of the write that is in the file */
    struct before **before; /* for each sector, its earlier contents, or NULL */
} drive = {.fd = -1,
           .sector = SECTOR_MAX,
           .flush_us = 2000,
           .lock = PTHREAD_MUTEX_INITIALIZER,
           .pace = PTHREAD_MUTEX_INITIALIZER,
           .end = &drive.oldest};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

/* ---- stamps -------------------------------------------------------------------------------- */

/* Finds the stamp in one of boncut's sectors. Returns false when there is none. */
static bool stamp_read(const unsigned char *data, struct pattern_stamp *stamp)
{
    uint64_t last;
    memcpy(stamp, data, sizeof *stamp);
    memcpy(&last, data + PATTERN_UNIT_MIN - sizeof last, sizeof last);
    return stamp->check != 0 && stamp->check == last;
}

/* True when both are versions of the same block of the same file. */
static bool stamp_is_same_place(const unsigned char *a, const unsigned char *b)
{
    struct pattern_stamp x, y;
    return stamp_read(a, &x) && stamp_read(b, &y) && x.origin.place.file == y.origin.place.file &&
           x.origin.place.unit == y.origin.place.unit;
}

static uint64_t stamp_file(const unsigned char *data)
{
    struct pattern_stamp stamp;
    stamp_read(data, &stamp);
    return le64toh(stamp.origin.place.file);
}

/* ---- the file ------------------------------------------------------------------------------ */

static off_t file_offset(uint64_t sector)
{
    return (off_t)(sector * drive.sector);
}

/* The image is a regular file, usually in memory. If it fails, the test fails, too. */
static void file_read(void *data, uint64_t sector)
{
    if (pread(drive.fd, data, drive.sector, file_offset(sector)) != (ssize_t)drive.sector)
        abort();
}

static void file_write(const void *data, uint64_t sector)
{
    if (pwrite(drive.fd, data, drive.sector, file_offset(sector)) != (ssize_t)drive.sector)
        abort();
}

/* Drives that damage single blocks keep the earlier contents. */
static void remember_before(const struct cached *c)
{
    unsigned char old[SECTOR_MAX];
    file_read(old, c->sector);
    struct before **before = &drive.before[c->sector];
    if (!stamp_is_same_place(old, c->data)) {
        free(*before);
        *before = NULL;
        return;
    }
    if (!*before && !(*before = malloc(sizeof **before)))
        abort();
    (*before)->number = c->number;
    memcpy((*before)->data, old, drive.sector);
}

/* ---- the cache; callers hold the lock ------------------------------------------------------ */

static void cache_add(const unsigned char *data, uint64_t sector, uint64_t now, uint64_t held_ns)
{
    struct cached *c = malloc(sizeof *c + drive.sector);
    if (!c)
        abort();
    *c = (struct cached){
        .sector = sector, .number = ++drive.written, .written_ns = now, .held_ns = held_ns};
    memcpy(c->data, data, drive.sector);
    *drive.end = c;
    drive.end = &c->next;
    drive.newest[sector] = c;
}

/* Stores a written sector in the file, unless the file has something newer already. */
static void cache_store(const struct cached *c)
{
    if (drive.stored[c->sector] > c->number)
        return;
    if (drive.lie >= LIE_MISPLACED)
        remember_before(c);
    file_write(c->data, c->sector);
    drive.stored[c->sector] = c->number;
}

/* True when the same call will store a newer write of the same sector. */
static bool cache_is_outdated(const struct cached *c, uint64_t last_number, uint64_t last_ns,
                              uint64_t now)
{
    const struct cached *newest = drive.newest[c->sector];
    return newest && newest != c && newest->number <= last_number &&
           newest->written_ns <= last_ns && newest->held_ns <= now;
}

/* Stores the writes up to these limits that nothing holds back, in their order, but only the newest
 * of each sector. When the power is cut meanwhile, it stops. */
static void cache_empty(uint64_t last_number, uint64_t last_ns, uint64_t now)
{
    struct cached **link = &drive.oldest;
    struct cached *c;
    while ((c = *link) && c->number <= last_number && c->written_ns <= last_ns) {
        if (atomic_load(&drive.is_cut))
            return;
        if (c->held_ns > now) {
            link = &c->next;
            continue;
        }
        if (!cache_is_outdated(c, last_number, last_ns, now))
            cache_store(c);
        *link = c->next;
        if (!c->next)
            drive.end = link;
        if (drive.newest[c->sector] == c)
            drive.newest[c->sector] = NULL;
        free(c);
    }
}

static void cache_hold(uint64_t until_ns)
{
    for (struct cached *c = drive.oldest; c; c = c->next)
        if (c->held_ns < until_ns)
            c->held_ns = until_ns;
}

/* ---- the cut --------------------------------------------------------------------------------- */

/* Writes a part of the sectors in memory to the file: between a tenth and nine tenths of them. */
static void cut_store_part(void)
{
    uint64_t percent = 10 + rng_below(&drive.random, 81);
    for (const struct cached *c = drive.oldest; c; c = c->next)
        if (rng_below(&drive.random, 100) < percent)
            cache_store(c);
}

/* Finds the sector in one of boncut's files that was stored longest ago, but after write `number`,
 * and has not been overwritten. */
static bool find_stored(uint64_t file, uint64_t number, uint64_t *found)
{
    uint64_t first = UINT64_MAX;
    for (uint64_t s = 0; s < drive.size / drive.sector; s++) {
        const struct before *b = drive.before[s];
        if (b && !drive.newest[s] && b->number > number && b->number < first &&
            stamp_file(b->data) == file) {
            first = b->number;
            *found = s;
        }
    }
    return first != UINT64_MAX;
}

static void damage_file(uint64_t file)
{
    uint64_t a, b;
    unsigned char data[SECTOR_MAX];
    if (!find_stored(file, 0, &a))
        return;
    file_read(data, a);
    if (drive.lie == LIE_MISPLACED) {
        if (!find_stored(file, drive.before[a]->number, &b))
            return;
        file_write(data, b);
    }
    memcpy(data, drive.before[a]->data, drive.lie == LIE_TORN ? drive.sector / 2 : drive.sector);
    file_write(data, a);
}

/* Damages one block in each of boncut's files: the one that was promised longest ago. */
static void cut_damage(void)
{
    uint64_t files[64];
    size_t count = 0;
    for (uint64_t s = 0; s < drive.size / drive.sector && count < 64; s++) {
        if (!drive.before[s])
            continue;
        uint64_t file = stamp_file(drive.before[s]->data);
        size_t i = 0;
        while (i < count && files[i] != file)
            i++;
        if (i == count)
            files[count++] = file;
    }
    for (size_t i = 0; i < count; i++)
        damage_file(files[i]);
}

static void *cut_wait(void *signals)
{
    int sig;
    sigwait(signals, &sig);
    atomic_store(&drive.is_cut, true);
    pthread_mutex_lock(&drive.lock); /* the lock stays held */
    atomic_store(&drive.is_cut, false);
    uint64_t now = now_ns();
    cache_empty(UINT64_MAX, now - SECOND_NS, now);
    if (drive.lie != LIE_LAST_SECOND)
        cut_store_part();
    if (drive.lie >= LIE_MISPLACED)
        cut_damage();
    _exit(0);
}

/* ---- the functions that nbdkit calls ------------------------------------------------------- */

static int drive_config_lie(const char *value)
{
    for (drive.lie = LIE_NONE; drive.lie < LIES; drive.lie++)
        if (strcmp(value, lie_words[drive.lie]) == 0)
            return 0;
    nbdkit_error("there is no lie '%s'", value);
    return -1;
}

static int drive_config_seed(const char *value)
{
    uint64_t seed;
    if (nbdkit_parse_uint64_t("seed", value, &seed) != 0)
        return -1;
    rng_init(&drive.random, seed, 0);
    return 0;
}

static int drive_config(const char *key, const char *value)
{
    if (strcmp(key, "file") == 0)
        return (drive.path = nbdkit_absolute_path(value)) ? 0 : -1;
    if (strcmp(key, "seed") == 0)
        return drive_config_seed(value);
    if (strcmp(key, "sector") == 0)
        return nbdkit_parse_unsigned(key, value, &drive.sector);
    if (strcmp(key, "flush-us") == 0)
        return nbdkit_parse_unsigned(key, value, &drive.flush_us);
    if (strcmp(key, "bucket") == 0)
        return nbdkit_parse_unsigned(key, value, &drive.is_bucket);
    if (strcmp(key, "fast") == 0)
        return nbdkit_parse_uint64_t(key, value, &drive.fast);
    if (strcmp(key, "slow") == 0)
        return nbdkit_parse_uint64_t(key, value, &drive.slow);
    if (strcmp(key, "credit") == 0)
        return nbdkit_parse_uint64_t(key, value, &drive.credit);
    if (strcmp(key, "lie") == 0)
        return drive_config_lie(value);
    nbdkit_error("there is no parameter '%s'", key);
    return -1;
}

static int drive_get_ready(void)
{
    struct stat st;
    if (drive.sector != 512 && drive.sector != SECTOR_MAX) {
        nbdkit_error("sector=%u: 512 or %u", drive.sector, SECTOR_MAX);
        return -1;
    }
    if (!drive.path || (drive.fd = open(drive.path, O_RDWR | O_CLOEXEC)) < 0 ||
        fstat(drive.fd, &st) != 0) {
        nbdkit_error("file=%s: %m", drive.path ? drive.path : "");
        return -1;
    }
    if (drive.fast > 0 && drive.slow == 0) {
        nbdkit_error("fast= needs slow=");
        return -1;
    }
    drive.left = (double)drive.credit;
    drive.size = (uint64_t)st.st_size / SECTOR_MAX * SECTOR_MAX;
    size_t sectors = drive.size / drive.sector;
    drive.newest = calloc(sectors, sizeof *drive.newest);
    drive.stored = calloc(sectors, sizeof *drive.stored);
    drive.before = calloc(sectors, sizeof *drive.before);
    return drive.newest && drive.stored && drive.before ? 0 : -1;
}

/* Blocks the signal in all threads that nbdkit starts later, so that only this thread gets it. */
static int drive_after_fork(void)
{
    static sigset_t signals;
    pthread_t thread;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    return pthread_create(&thread, NULL, cut_wait, &signals) == 0 ? 0 : -1;
}

static void *drive_open(int readonly)
{
    (void)readonly;
    return NBDKIT_HANDLE_NOT_NEEDED;
}

static int64_t drive_get_size(void *handle)
{
    (void)handle;
    return (int64_t)drive.size;
}

static int drive_can_multi_conn(void *handle)
{
    (void)handle;
    return 1; /* all connections share the cache */
}

static int drive_block_size(void *handle, uint32_t *minimum, uint32_t *preferred, uint32_t *maximum)
{
    (void)handle;
    *minimum = drive.sector;
    *preferred = SECTOR_MAX;
    *maximum = 32 << 20;
    return 0;
}

static bool is_aligned(uint32_t count, uint64_t offset)
{
    if (count % drive.sector == 0 && offset % drive.sector == 0)
        return true;
    nbdkit_error("%" PRIu32 " bytes at %" PRIu64 " are not whole sectors", count, offset);
    nbdkit_set_error(EINVAL);
    return false;
}

#define SMALL_REQUEST 16384

/* A busy machine may hold back requests and answers for this time, and the drive keeps its speed.
 * One that was idle for longer begins anew. */
#define CATCH_UP_NS 5e7

/* Waits as long as a request takes at the drive's speed. */
static void take_time(uint32_t count)
{
    if (drive.fast == 0 || count < SMALL_REQUEST)
        return;
    pthread_mutex_lock(&drive.pace);
    double now = (double)now_ns();
    double slow = (double)drive.slow / 1e9;
    if (drive.is_bucket && now - CATCH_UP_NS > drive.busy_until_ns && drive.busy_until_ns > 0)
        drive.left += (now - drive.busy_until_ns) * slow;
    if (drive.left > (double)drive.credit)
        drive.left = (double)drive.credit;
    double first = drive.left < count ? drive.left : count;
    double fast_ns = first * 1e9 / (double)drive.fast;
    drive.left += (drive.is_bucket ? fast_ns * slow : 0) - first;
    if (drive.busy_until_ns < now - CATCH_UP_NS)
        drive.busy_until_ns = now;
    drive.busy_until_ns += fast_ns + (count - first) / slow;
    uint64_t until = (uint64_t)drive.busy_until_ns;
    pthread_mutex_unlock(&drive.pace);
    const struct timespec end = {.tv_sec = (time_t)(until / SECOND_NS),
                                 .tv_nsec = (long)(until % SECOND_NS)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) {
    }
}

static int drive_pread(void *handle, void *buffer, uint32_t count, uint64_t offset, uint32_t flags)
{
    (void)handle;
    (void)flags;
    if (!is_aligned(count, offset))
        return -1;
    unsigned char *to = buffer;
    take_time(count);
    pthread_mutex_lock(&drive.lock);
    for (uint64_t s = offset / drive.sector; count > 0; s++) {
        if (drive.newest[s])
            memcpy(to, drive.newest[s]->data, drive.sector);
        else
            file_read(to, s);
        to += drive.sector;
        count -= drive.sector;
    }
    pthread_mutex_unlock(&drive.lock);
    return 0;
}

static int drive_pwrite(void *handle, const void *buffer, uint32_t count, uint64_t offset,
                        uint32_t flags)
{
    (void)handle;
    (void)flags;
    if (!is_aligned(count, offset))
        return -1;
    const unsigned char *from = buffer;
    take_time(count);
    pthread_mutex_lock(&drive.lock);
    uint64_t now = now_ns();
    struct pattern_stamp stamp;
    bool tears = drive.lie == LIE_TORN_UNITS && count > drive.sector && stamp_read(from, &stamp) &&
                 rng_below(&drive.random, SOME_WRITES) == 0;
    uint64_t half = offset / drive.sector + count / drive.sector / 2;
    for (uint64_t s = offset / drive.sector; count > 0; s++) {
        cache_add(from, s, now, tears && s >= half ? now + SECOND_NS : 0);
        from += drive.sector;
        count -= drive.sector;
    }
    cache_empty(UINT64_MAX, now - SECOND_NS, now);
    pthread_mutex_unlock(&drive.lock);
    return 0;
}

/* True when this flush must do nothing. */
static bool flush_is_lie(uint64_t now)
{
    if (drive.lie == LIE_ALL_FLUSHES || drive.lie == LIE_LAST_SECOND)
        return true;
    if (drive.lie != LIE_SOME_FLUSHES || rng_below(&drive.random, SOME_FLUSHES) != 0)
        return false;
    cache_hold(now + SECOND_NS);
    return true;
}

/* A flush that the cut leaves unfinished: its client never gets an answer. */
static void flush_await_end(void)
{
    pthread_mutex_unlock(&drive.lock);
    for (;;)
        pause();
}

/* Data written while a flush is under way waits for the next one. */
static int drive_flush(void *handle, uint32_t flags)
{
    (void)handle;
    (void)flags;
    pthread_mutex_lock(&drive.lock);
    uint64_t now = now_ns();
    uint64_t last = drive.written;
    bool lies = flush_is_lie(now);
    pthread_mutex_unlock(&drive.lock);
    usleep(drive.flush_us);
    if (lies)
        return 0;
    pthread_mutex_lock(&drive.lock);
    cache_empty(last, UINT64_MAX, now);
    if (atomic_load(&drive.is_cut))
        flush_await_end();
    pthread_mutex_unlock(&drive.lock);
    return 0;
}

static struct nbdkit_plugin plugin = {
    .name = "drive",
    .version = "1",
    .longname = "a drive whose power can be cut",
    .config = drive_config,
    .magic_config_key = "file",
    .get_ready = drive_get_ready,
    .after_fork = drive_after_fork,
    .open = drive_open,
    .get_size = drive_get_size,
    .can_multi_conn = drive_can_multi_conn,
    .block_size = drive_block_size,
    .pread = drive_pread,
    .pwrite = drive_pwrite,
    .flush = drive_flush,
};

NBDKIT_REGISTER_PLUGIN(plugin)
