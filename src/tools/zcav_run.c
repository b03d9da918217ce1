// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/zcav_run.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/engine.h"
#include "io/engines/sync.h"
#include "live/monitor.h"
#include "live/progress.h"
#include "measure/clock.h"
#include "measure/mount_info.h"
#include "storage/scratch.h"
#include "sys/helper.h"
#include "sys/path.h"
#include "sys/thread_pool.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/portable.h"
#include "util/printable.h"
#include "util/units.h"

/* A loop device has this file in sysfs while it is in use. */
#define IN_USE "/sys/block/loop*/loop/backing_file"

/* Time that a device has to answer, in ms. */
#define PATIENCE_MS 10000

/* What the asking process answers about one device; a negative errno: it cannot find out. */
enum answer {
    ANSWER_NO,
    ANSWER_YES,
};

/*
 * Whether sysfs names the file as the device's backing file. Only root can ask the device itself.
 * Returns an answer. A name that leads nowhere belongs to a file that was removed, or is not in
 * this process's mounts. One in a directory without access is not the file's only name.
 */
static int is_named(const char *fact, const struct stat *st)
{
    char name[PATH_MAX + 1];
    struct stat other;
    int fd = kernel_file_open(fact, O_RDONLY);
    ssize_t length = fd >= 0 ? read(fd, name, sizeof name - 1) : fd;
    int rc = length < 0 ? -errno : 0;
    descriptor_close(&fd);
    name[length > 0 ? length - 1 : 0] = '\0'; /* cuts off the newline */
    if (rc == 0 && stat(name, &other) != 0)
        rc = -errno;
    if (rc == -ENOENT || rc == -ENOTDIR || rc == -ENODEV || (rc == -EACCES && st->st_nlink == 1))
        return ANSWER_NO;
    if (rc != 0)
        return rc;
    return other.st_dev == st->st_dev && other.st_ino == st->st_ino ? ANSWER_YES : ANSWER_NO;
}

/* Finds the name of the device to which a file of sysfs belongs. */
static void name_device(const char *fact, char name[NAME_MAX + 1])
{
    const char *start = fact + strlen("/sys/block/");
    snprintf(name, NAME_MAX + 1, "%.*s", (int)strcspn(start, "/"), start);
}

static int ask_device(const char *fact, const struct stat *st)
{
    char path[NAME_MAX + 6];
    char name[NAME_MAX + 1];
    struct loop_info64 info;
    name_device(fact, name);
    snprintf(path, sizeof path, "/dev/%s", name);
    int fd = kernel_file_open(path, O_RDONLY | O_NONBLOCK);
    bool is_used = fd >= 0 && ioctl(fd, LOOP_GET_STATUS64, &info) == 0;
    bool is_free = fd >= 0 && !is_used && errno == ENXIO;
    descriptor_close(&fd);
    if (is_used)
        return info.lo_device == st->st_dev && info.lo_inode == st->st_ino ? ANSWER_YES : ANSWER_NO;
    return is_free ? ANSWER_NO : is_named(fact, st);
}

/* Asks all devices in their order, and writes a byte for each. */
__attribute__((noreturn)) static void ask_all(const glob_t *facts, const struct stat *st, int out)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /*
     * Closes all other descriptors. Otherwise, if this process stays behind, processes that read
     * zcav's output or wait for a lock would have to wait, too. They do if the kernel refuses this.
     */
    if (out > 0)
        portable_close_range(0, (unsigned)out - 1);
    portable_close_range((unsigned)out + 1, UINT_MAX);
    for (size_t i = 0; i < facts->gl_pathc; i++) {
        if (byte_write(out, (char)ask_device(facts->gl_pathv[i], st)) != 0)
            break;
    }
    _exit(0);
}

/* Reads one answer. Returns a negative errno when none comes. */
static int take_answer(int in)
{
    char answer;
    struct pollfd one = {.fd = in, .events = POLLIN};
    int ready;
    do {
        ready = poll(&one, 1, PATIENCE_MS);
    } while (ready < 0 && errno == EINTR);
    if (ready <= 0)
        return ready == 0 ? -ETIMEDOUT : -errno;
    ssize_t got = byte_read(in, &answer);
    if (got < 0)
        return -errno;
    return got == 1 ? (signed char)answer : -EIO;
}

static int take_answers(const char *path, const glob_t *facts, int in, struct err *e)
{
    for (size_t i = 0; i < facts->gl_pathc; i++) {
        char name[NAME_MAX + 1];
        int answer = take_answer(in);
        name_device(facts->gl_pathv[i], name);
        if (answer == ANSWER_YES)
            return err_system(e, EBUSY, "-w: /dev/%.100s uses %s", name, path);
        if (answer < 0)
            return err_system(e, -answer, "-w: whether /dev/%.100s uses %s cannot be known", name,
                              path);
    }
    return 0;
}

/*
 * Asks in a separate process. Waits for that process only if all devices have answered, because it
 * cannot end while the server of a device is dead.
 */
static int ask_apart(const char *path, const glob_t *facts, const struct stat *st, struct err *e)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_system(e, errno, "make a pipe");
    pid_t pid = fork();
    if (pid == 0)
        ask_all(facts, st, ends[1]);
    int rc = pid > 0 ? 0 : err_system(e, errno, "start a process");
    close(ends[1]);
    if (rc == 0)
        rc = take_answers(path, facts, ends[0], e);
    close(ends[0]);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, rc != 0 ? WNOHANG : 0);
    }
    return rc;
}

/*
 * Finds out whether a regular file is the backing file of a loop device. Compares files by device
 * and inode, so their names do not matter. A device accesses its backing file to answer, and does
 * not answer while that file's server is dead; so a separate process asks, and has a few seconds
 * for each device. Returns 0 if no device uses the file, or a negative errno with a line in e that
 * begins with "-w: ": -EBUSY if a device does, and -ETIMEDOUT if a device has not answered. `path`
 * is for the message.
 */
static int zcav_loops_refuse(const char *path, const struct stat *st, struct err *e)
{
    glob_t facts;
    int rc = glob(IN_USE, 0, NULL, &facts);
    if (rc == GLOB_NOMATCH)
        return 0;
    if (rc != 0)
        return err_system(e, ENOMEM, "-w: list the loop devices");
    rc = ask_apart(path, &facts, st, e);
    globfree(&facts);
    return rc;
}

/* Whether the path leads to that device or file. */
static bool is_same(const char *path, const struct stat *st)
{
    struct stat other;
    if (stat(path, &other) != 0)
        return false;
    if (S_ISBLK(st->st_mode))
        return S_ISBLK(other.st_mode) && other.st_rdev == st->st_rdev;
    return other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

static int refuse_mounted(const char *path, const struct stat *st, struct err *e)
{
    char line[2 * PATH_MAX];
    char where[PATH_MAX] = "";
    FILE *mounts = kernel_file_read("/proc/self/mountinfo");
    while (mounts && *where == '\0' && fgets(line, sizeof line, mounts)) {
        unsigned major_number;
        unsigned minor_number;
        char point[PATH_MAX];
        if (sscanf(line, "%*d %*d %u:%u %*s %4095s", &major_number, &minor_number, point) == 3 &&
            makedev(major_number, minor_number) == st->st_rdev)
            mount_info_read_path(where, point, strlen(point));
    }
    if (mounts)
        fclose(mounts);
    return *where ? err_system(e, EBUSY, "-w: %s is mounted on %.200s", path, where) : 0;
}

static int refuse_swap(const char *path, const struct stat *st, struct err *e)
{
    char line[2 * PATH_MAX];
    bool is_swap = false;
    FILE *swaps = kernel_file_read("/proc/swaps");
    while (swaps && !is_swap && fgets(line, sizeof line, swaps)) {
        char file[PATH_MAX];
        mount_info_read_path(file, line, strcspn(line, " \t\n"));
        is_swap = is_same(file, st);
    }
    if (swaps)
        fclose(swaps);
    return is_swap ? err_system(e, EBUSY, "-w: %s is used as swap", path) : 0;
}

/*
 * Whether zcav -w may write to the file that `st` describes. It refuses what is mounted or used as
 * swap, the backing file of a loop device, anything but block devices and regular files, and,
 * without `yes`, block devices. It recognises files in use by device and inode. Opening a block
 * device with O_EXCL makes sure that nobody else uses it.
 *
 * Returns 0, or -EBUSY or -EINVAL with a line in e.
 */
static int zcav_guard(const char *path, const struct stat *st, bool yes, struct err *e)
{
    bool is_block = S_ISBLK(st->st_mode);
    if (!is_block && !S_ISREG(st->st_mode))
        return err_say(e, "-w: %s is not a block device or a plain file", path);
    int rc = is_block ? refuse_mounted(path, st, e) : zcav_loops_refuse(path, st, e);
    if (rc == 0)
        rc = refuse_swap(path, st, e);
    if (rc == 0 && is_block && !yes)
        return err_say(e, "-w would destroy the contents of %s; --yes confirms that", path);
    return rc;
}

static int open_first(const char *path, const struct zcav_settings *s, struct err *e)
{
    struct path_file f;
    if (strcmp(path, "-") == 0) {
        int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
        return fd >= 0 ? fd : err_system(e, errno, "open %s", path);
    }
    int rc = path_find(&f, "open", path, e);
    if (rc != 0)
        return rc;
    rc = f.fd < 0 ? -ENOENT : s->writes ? path_check_changed(&f) : 0;
    rc = rc == 0 ? path_reopen(&f, O_RDONLY, e) : path_say(&f, rc, e);
    path_release(&f);
    return rc;
}

static int find_kind(struct zcav_device *d, const struct stat *st, struct err *e)
{
    d->bytes = UINT64_MAX;
    d->kind = S_ISREG(st->st_mode) ? ZCAV_PLAIN : S_ISBLK(st->st_mode) ? ZCAV_BLOCK : ZCAV_STREAM;
    if (S_ISDIR(st->st_mode))
        return err_system(e, EISDIR, "%s", d->file.name);
    if (d->kind == ZCAV_PLAIN)
        d->bytes = (uint64_t)st->st_size;
    if (d->kind == ZCAV_BLOCK && portable_ioctl(d->file.fd, BLKGETSIZE64, &d->bytes) != 0)
        return err_system(e, errno, "find the size of %s", d->file.name);
    return 0;
}

/* Opens the same device again as the settings say, whatever its path leads to by now. */
static int reopen_device(struct zcav_device *d, const struct zcav_settings *s, struct err *e)
{
    int flags = (s->writes ? O_WRONLY : O_RDONLY) | (d->direct ? O_DIRECT : 0);
    if (s->writes && d->kind == ZCAV_BLOCK)
        flags |= O_EXCL;
    if (flags == O_RDONLY)
        return 0;
    struct err reason;
    err_init(&reason);
    int fd = scratch_reopen(d->file.fd, flags, d->file.name, &reason);
    if (fd == -EBUSY && (flags & O_EXCL))
        return err_system(e, EBUSY,
                          "-w: %s is in use: mounted, swap, or part of a RAID, a volume "
                          "or an encrypted device",
                          d->file.name);
    if (fd < 0)
        return err_system(e, -fd, "open %s%s%s", d->file.name, flags & O_WRONLY ? " to write" : "",
                          flags & O_DIRECT ? " with O_DIRECT" : "");
    close(d->file.fd);
    d->file.fd = fd;
    return 0;
}

/*
 * Opens `path` ("-": standard input) as the settings say. For writing it opens only what
 * zcav_guard() allows, and a block device with O_EXCL. The caller must call zcav_device_close() in
 * either case.
 */
static int zcav_device_open(struct zcav_device *d, const char *path, const struct zcav_settings *s,
                            struct err *e)
{
    struct stat st;
    bool named = strcmp(path, "-") != 0; /* otherwise it is standard input */
    *d = (struct zcav_device){.file.fd = -1, .label = strdup(named ? path : "standard input")};
    if (!d->label)
        return err_system(e, ENOMEM, "allocate memory for the name of %s", path);
    make_printable(d->label);
    d->file.name = d->label;
    if (s->writes && !named)
        return err_say(e, "-w: standard input cannot be written to");
    int fd = open_first(path, s, e);
    if (fd < 0)
        return fd;
    d->file.fd = fd;
    int rc = fstat(fd, &st) == 0 ? 0 : err_system(e, errno, "look at %s", d->file.name);
    if (rc == 0)
        rc = find_kind(d, &st, e);
    if (rc == 0 && s->writes)
        rc = zcav_guard(d->file.name, &st, s->yes, e);
    d->direct =
        named && (d->kind == ZCAV_BLOCK ? !s->buffered : d->kind == ZCAV_PLAIN && s->direct);
    if (rc == 0 && named)
        rc = reopen_device(d, s, e);
    return rc;
}

static void zcav_device_close(struct zcav_device *d)
{
    descriptor_close(&d->file.fd);
    free(d->label);
    d->label = NULL;
}

#define STREAM_ENDED ENODATA

static enum engine_answer stream_submit(void *state, struct io *io)
{
    const struct at_once *s = state;
    ssize_t moved = read(s->setup.files[io->file].fd, io->buffer, io->length);
    io->result = moved < 0 ? -errno : moved == 0 ? -STREAM_ENDED : moved;
    return ENGINE_COMPLETED;
}

/*
 * An engine for pipes and terminals, which have no offsets: each transfer goes on where the last
 * one has ended, whatever its own offset is, and there is only one transfer at a time. At the end
 * of the stream a transfer fails with STREAM_ENDED.
 */
static const struct engine_ops engine_stream = {
    .name = "read",
    .summary = "read, one transfer at a time",
    .available = at_once_available,
    .state_bytes = at_once_state_bytes,
    .open = at_once_open,
    .submit = stream_submit,
    .wait = at_once_wait,
    .close = at_once_close,
};

unsigned zcav_passes(const struct zcav_settings *s)
{
    return s->passes.given ? (unsigned)s->passes.value : 1;
}

static uint64_t step_of(const struct zcav_settings *s)
{
    return s->skip.given ? s->skip.value : 1;
}

uint64_t zcav_offset(const struct zcav_settings *s, size_t index)
{
    return (s->range.first / s->block_bytes + index * step_of(s)) * s->block_bytes;
}

uint64_t zcav_blocks(const struct zcav_settings *s, const struct zcav_device *d)
{
    uint64_t end = d->bytes < s->range.last ? d->bytes : s->range.last;
    uint64_t first = s->range.first / s->block_bytes;
    if (end == UINT64_MAX)
        return 0;
    uint64_t blocks = end / s->block_bytes;
    return blocks <= first ? 0 : (blocks - first - 1) / step_of(s) + 1;
}

/* ---- one block ------------------------------------------------------------------------------- */

static enum source_answer next_chunk(void *context, struct io *io, uint64_t now_ns)
{
    struct zcav_job *j = context;
    const struct zcav_settings *s = j->settings;
    (void)now_ns;
    if (j->next >= j->end)
        return SOURCE_ENDED;
    uint64_t left = j->end - j->next;
    io->kind = s->writes ? IO_WRITE : IO_READ;
    io->file = 0;
    io->offset = j->next;
    io->length = left < s->chunk_bytes ? (size_t)left : (size_t)s->chunk_bytes;
    j->next += io->length;
    if (s->writes)
        pattern_fill(j->pattern, io->buffer, io->length, j->number, io->offset, j->pass);
    return SOURCE_READY;
}

static enum transfer_answer chunk_moved(void *context, struct io *io)
{
    (void)context;
    (void)io;
    return OPERATION_ENDED;
}

/*
 * Whether the error is one of the medium, or of the path to it, so that other places may still
 * work.
 */
static bool is_of_medium(int code)
{
    static const int codes[] = {EIO,   ENODATA, EILSEQ,  EBADMSG,   ETIMEDOUT,
                                ENXIO, ENODEV,  ENOLINK, EREMOTEIO, EUCLEAN};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i] == code)
            return true;
    return false;
}

static bool chunk_failed(void *context, const struct io *io, int code)
{
    struct zcav_job *j = context;
    const struct zcav_settings *s = j->settings;
    if (j->device.kind == ZCAV_STREAM) {
        j->at_end = code == STREAM_ENDED;
        j->next = j->end;
        return j->at_end;
    }
    if (!is_of_medium(code))
        return false;
    j->failed[(io->offset - (j->end - s->block_bytes)) / s->chunk_bytes] = 1;
    if (j->failed_code == 0)
        j->failed_code = code;
    return true;
}

/* Moves the block at `offset`. *block becomes the number of bytes that were moved and the time. */
static int move_block(struct zcav_job *j, uint64_t offset, struct zcav_block *block, struct err *e)
{
    const struct io_source source = {
        .next = next_chunk, .transferred = chunk_moved, .failed = chunk_failed, .context = j};
    uint64_t before = j->stats->bytes;
    j->next = offset;
    j->end = offset + j->settings->block_bytes;
    j->failed_code = 0;
    uint64_t start = clock_ns();
    int rc = io_queue_run(&j->queue, &source, j->stats, e);
    if (rc == 0 && j->settings->writes && j->device.kind != ZCAV_STREAM &&
        (j->engine->capabilities & ENGINE_STORES))
        rc = io_sync(&j->device.file, e);
    block->nanoseconds = clock_ns() - start;
    block->bytes = j->stats->bytes - before;
    return rc;
}

/* ---- failed chunks --------------------------------------------------------------------------- */

static int note_range(struct zcav_job *j, const struct bad_range *range, struct err *e)
{
    bool is_new;
    int rc = bad_ranges_add(&j->bad, range, &is_new, e);
    if (rc == 0 && is_new && j->is_live)
        fputs(ZCAV_ERASE, stderr);
    if (rc == 0 && is_new)
        message("%s %s at %" PRIu64 ": %s", j->settings->writes ? "write" : "read",
                j->device.file.name, range->offset, portable_reason(range->code));
    return rc;
}

/* Records the block's failed chunks as bad ranges, and clears the list of them. */
static int note_failures(struct zcav_job *j, struct err *e)
{
    const struct zcav_settings *s = j->settings;
    uint64_t offset = j->end - s->block_bytes;
    int rc = 0;
    for (size_t i = 0; rc == 0 && offset < j->end; i++, offset += s->chunk_bytes) {
        uint64_t left = j->end - offset;
        const struct bad_range range = {.offset = offset,
                                        .bytes = left < s->chunk_bytes ? left : s->chunk_bytes,
                                        .code = j->failed_code};
        if (j->failed[i])
            rc = note_range(j, &range, e);
        j->failed[i] = 0;
    }
    return rc;
}

/* ---- one pass -------------------------------------------------------------------------------- */

static int append_block(struct zcav_pass *p, const struct zcav_block *block, struct err *e)
{
    if (p->count == p->room) {
        size_t room = 2 * p->room + 64;
        struct zcav_block *blocks = realloc(p->blocks, room * sizeof *blocks);
        if (!blocks)
            return err_system(e, ENOMEM, "allocate memory for %zu blocks", room);
        p->blocks = blocks;
        p->room = room;
    }
    p->blocks[p->count++] = *block;
    p->sum.bytes += block->bytes;
    p->sum.nanoseconds += block->nanoseconds;
    return 0;
}

/* Reads a stream up to the next block that is measured. */
static int skip_to(struct zcav_job *j, uint64_t offset, struct err *e)
{
    struct zcav_block ignored;
    int rc = 0;
    while (rc == 0 && j->device.kind == ZCAV_STREAM && j->position < offset && !j->at_end) {
        rc = move_block(j, j->position, &ignored, e);
        j->position += j->settings->block_bytes;
    }
    return rc;
}

/* Measures a block, unless a stream ends before or in it. */
static int measure_block(struct zcav_job *j, uint64_t offset, struct err *e)
{
    struct zcav_block block;
    int rc = skip_to(j, offset, e);
    if (rc == 0 && !j->at_end)
        rc = move_block(j, offset, &block, e);
    j->position = offset + j->settings->block_bytes;
    if (rc != 0 || j->at_end)
        return rc;
    rc = append_block(&j->passes[j->pass], &block, e);
    if (rc == 0 && zcav_passes(j->settings) == 1)
        rc = zcav_log_block(&j->log, offset, &block, e);
    if (rc == 0 && j->failed_code != 0)
        rc = note_failures(j, e);
    return rc;
}

/* Whether there is a block at that offset, as far as the size is known. */
static bool has_block(const struct zcav_job *j, uint64_t offset)
{
    const struct zcav_settings *s = j->settings;
    uint64_t end = j->device.bytes < s->range.last ? j->device.bytes : s->range.last;
    return !j->at_end && (end == UINT64_MAX || offset + s->block_bytes <= end);
}

static void report_pass(const struct zcav_job *j)
{
    char text[32] = "";
    time_t now = time(NULL);
    struct tm local;
    if (j->settings->quiet)
        return;
    if (localtime_r(&now, &local))
        strftime(text, sizeof text, "%H:%M:%S", &local);
    fprintf(stderr, "%s# Finished loop %u, on device %s at %s\n", j->is_live ? ZCAV_ERASE : "",
            j->pass + 1, printable(j->device.file.name).text, text);
}

static int too_small(const struct zcav_job *j, struct err *e)
{
    return err_say(
        e, "%s is too small for one block of %" PRIu64 " MiB%s; choose a smaller one with -b",
        j->device.file.name, j->settings->block_bytes / MIB,
        j->settings->range.first > 0 ? " in the range of -r" : "");
}

static int measure_pass(struct zcav_job *j, struct err *e)
{
    struct zcav_pass *p = &j->passes[j->pass];
    int rc = 0;
    for (size_t i = 0; rc == 0 && has_block(j, zcav_offset(j->settings, i)); i++)
        rc = measure_block(j, zcav_offset(j->settings, i), e);
    if (rc == 0 && p->count == 0)
        rc = too_small(j, e);
    if (rc == 0)
        rc = zcav_log_pass(&j->log, j->settings->writes, &p->sum, e);
    if (rc == 0)
        report_pass(j);
    return rc;
}

/* ---- one device ------------------------------------------------------------------------------ */

/* Logs the figures of several passes, block by block. */
static int log_middles(struct zcav_job *j, struct err *e)
{
    unsigned count = zcav_passes(j->settings);
    struct zcav_block *passes = calloc(count, sizeof *passes);
    if (!passes)
        return err_system(e, ENOMEM, "allocate memory for %u passes", count);
    int rc = zcav_log_heading(&j->log, count, e);
    for (size_t i = 0; rc == 0 && i < j->passes[0].count; i++) {
        for (unsigned p = 0; p < count; p++)
            passes[p] = j->passes[p].blocks[i];
        struct zcav_block middle = zcav_log_middle(passes, count, j->settings->block_bytes);
        rc = zcav_log_block(&j->log, zcav_offset(j->settings, i), &middle, e);
    }
    free(passes);
    return rc;
}

static int open_queue(void *context, struct err *e)
{
    struct zcav_job *j = context;
    static const struct engine_options no_options;
    const struct io_queue_setup setup = {
        .engine = j->engine,
        .options = &no_options,
        .depth = j->depth,
        .buffer_bytes = (size_t)j->settings->chunk_bytes,
        .files = &j->device.file,
        .file_count = 1,
    };
    return io_queue_open(&j->queue, &setup, e);
}

static int measure_device(void *context, struct err *e)
{
    struct zcav_job *j = context;
    unsigned count = zcav_passes(j->settings);
    int rc = count == 1 ? zcav_log_heading(&j->log, count, e) : 0;
    for (j->pass = 0; rc == 0 && j->pass < count; j->pass++)
        rc = measure_pass(j, e);
    if (rc == 0 && count > 1)
        rc = log_middles(j, e);
    if (rc == 0)
        rc = zcav_log_bad(&j->log, j->settings->writes, &j->bad, e);
    return rc;
}

int zcav_job_open(struct zcav_job *j, unsigned number, struct err *e)
{
    const struct zcav_settings *s = j->settings;
    const struct zcav_file *file = &s->files[number];
    j->number = number;
    j->device.file.fd = -1;
    int rc = zcav_device_open(&j->device, file->path, s, e);
    if (rc != 0)
        return rc;
    if (j->device.kind == ZCAV_STREAM) {
        if (zcav_passes(s) > 1)
            return err_say(e, "-c (--count): %s can be read only once", j->device.file.name);
        if (j->depth > 1 || s->engine)
            return err_say(e, "--engine: %s can only be read in order, one chunk at a time",
                           j->device.file.name);
        j->engine = &engine_stream;
    } else if (zcav_blocks(s, &j->device) == 0) {
        return too_small(j, e);
    }
    j->failed = calloc((size_t)(s->block_bytes / s->chunk_bytes) + 1, 1);
    j->passes = calloc(zcav_passes(s), sizeof *j->passes);
    if (!j->failed || !j->passes)
        return err_system(e, ENOMEM, "allocate memory to measure %s", j->device.file.name);
    return s->json && !file->log ? 0 : zcav_log_open(&j->log, file->log, s->file_count > 1, e);
}

void zcav_job_release(struct zcav_job *j)
{
    struct err ignored;
    err_init(&ignored);
    io_queue_close(&j->queue);
    zcav_device_close(&j->device);
    for (unsigned i = 0; j->passes && i < zcav_passes(j->settings); i++)
        free(j->passes[i].blocks);
    free(j->passes);
    free(j->failed);
    bad_ranges_release(&j->bad);
    zcav_log_discard(&j->log);
}

/* ---- all devices ----------------------------------------------------------------------------- */

/* Number of bytes that all jobs will move; 0: unknown. */
static uint64_t goal_of(const struct zcav_job *jobs, unsigned count)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct zcav_settings *s = jobs[i].settings;
        uint64_t blocks = zcav_blocks(s, &jobs[i].device);
        if (blocks == 0)
            return 0;
        bytes += blocks * s->block_bytes * zcav_passes(s);
    }
    return bytes;
}

static int run_pool(struct zcav_job *jobs, unsigned count, struct monitor *monitor, struct err *e)
{
    static const struct task task = {.prepare = open_queue, .work = measure_device};
    struct thread_pool pool;
    struct task_times times = {0};
    void *contexts[ZCAV_MOST_FILES];
    for (unsigned i = 0; i < count; i++)
        contexts[i] = &jobs[i];
    int rc = thread_pool_start(&pool, count, contexts, NULL, e);
    if (rc != 0)
        return rc;
    rc = thread_pool_prepare(&pool, &task, e);
    if (rc == 0) {
        monitor_go(monitor);
        rc = thread_pool_work(&pool, &times, e);
    }
    thread_pool_end(&pool);
    return rc;
}

static int run_monitored(struct zcav_job *jobs, unsigned count, const struct shared_stats *stats,
                         struct err *e)
{
    const struct monitor_setup setup = {
        .title = jobs->settings->writes ? "Writing" : "Reading",
        .stats = stats,
        .goal = {.bytes = goal_of(jobs, count)},
        .draws = true,
    };
    struct progress_lines progress;
    struct monitor *monitor = NULL;
    progress_lines_init(&progress, jobs->settings->quiet);
    bool is_live = progress_lines_is_live(&progress);
    int rc = is_live ? monitor_start(&monitor, &setup, e) : 0;
    for (unsigned i = 0; i < count; i++) {
        jobs[i].is_live = is_live;
        jobs[i].log.is_live = is_live && jobs[i].log.stream == stdout && isatty(STDOUT_FILENO);
    }
    if (rc == 0)
        rc = run_pool(jobs, count, monitor, e);
    int ended = monitor_end(monitor, 0, NULL, NULL, NULL, e);
    return rc ? rc : ended;
}

int zcav_run(struct zcav_job *jobs, unsigned count, struct err *e)
{
    struct shared_stats stats;
    int rc = shared_stats_open(&stats, count, e);
    if (rc != 0)
        return rc;
    shared_stats_begin(&stats, count);
    for (unsigned i = 0; i < count; i++)
        jobs[i].stats = &stats.workers[i].ops;
    rc = run_monitored(jobs, count, &stats, e);
    shared_stats_close(&stats);
    for (unsigned i = 0; rc == 0 && i < count; i++)
        rc = zcav_log_close(&jobs[i].log, jobs[i].device.file.name, e);
    return rc;
}
