// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "cli/option.h"
#include "cli/parser.h"
#include "cli/rows.h"
#include "io/engine.h"
#include "io/file.h"
#include "io/io_queue.h"
#include "live/monitor.h"
#include "live/progress.h"
#include "measure/clock.h"
#include "measure/device.h"
#include "measure/mount_info.h"
#include "report/document.h"
#include "report/json_object.h"
#include "report/page.h"
#include "storage/guards.h"
#include "storage/scratch.h"
#include "sys/output.h"
#include "sys/path.h"
#include "sys/privilege.h"
#include "sys/stop.h"
#include "sys/thread_pool.h"
#include "tools/tool.h"
#include "tools/zcav_log.h"
#include "util/descriptor.h"
#include "util/err.h"
#include "util/portable.h"
#include "util/printable.h"
#include "util/units.h"
#include "verify/pattern.h"

/* zcav: measures the throughput along devices, block by block. */

/* ---- the command line ------------------------------------------------------------------------ */

#define ZCAV_MOST_FILES 256

struct zcav_file {
    const char *path; /* "-": standard input */
    const char *log;  /* NULL: standard output */
};

/*
 * A range of whole blocks, in bytes, from `first` up to, but not including, `last`. If `last` is
 * UINT64_MAX, to the end.
 */
struct zcav_range {
    uint64_t first;
    uint64_t last;
};

struct zcav_settings {
    const char *user; /* USER[:GROUP] that the process changes to; NULL: none */
    const char *group;
    uint64_t block_bytes;
    uint64_t chunk_bytes;    /* at most block_bytes */
    struct optional passes;  /* 1 by default, as is `skip` */
    struct zcav_range range; /* as the user gave it, not yet rounded to blocks */
    struct optional skip;    /* number of blocks of which one is measured */
    bool writes;
    bool yes;      /* the user confirms that the contents of devices may be lost */
    bool buffered; /* block devices are opened without O_DIRECT */
    bool direct;   /* regular files are opened with O_DIRECT, too */
    bool quiet;
    bool trusts_directory;
    bool json;
    const char *output; /* NULL: standard output */
    const char *page;   /* path of the page; NULL: none */
    const char *engine; /* name of the engine; NULL: default */
    struct optional iodepth;
    const char *pending_log; /* log for the next file on the command line */
    unsigned file_count;
    struct zcav_file files[ZCAV_MOST_FILES];
};

#define FIELD(name) offsetof(struct zcav_settings, name)

#define DEFAULT_CHUNK MIB

#define MOST_BLOCK  TIB
#define MOST_CHUNK  GIB
#define MOST_OFFSET (UINT64_C(1) << 62)

/* Parses a size in whole MiB. Returns false when it is wrong. */
static bool parse_mib(const char *text, uint64_t least, uint64_t most, uint64_t *bytes)
{
    uint64_t value;
    if (units_parse_size(text, MIB, &value) != 0 || value % MIB != 0 || value < least ||
        value > most)
        return false;
    *bytes = value;
    return true;
}

/* Splits "A:B". *second becomes NULL without a colon. Returns false when A is too long. */
static bool split_pair(const char *text, char first[static UNITS_TEXT], const char **second)
{
    size_t length = strcspn(text, ":");
    if (length >= UNITS_TEXT)
        return false;
    memcpy(first, text, length);
    first[length] = '\0';
    *second = text[length] ? text + length + 1 : NULL;
    return true;
}

static int set_block(void *settings, const char *value, struct err *e)
{
    struct zcav_settings *s = settings;
    char first[UNITS_TEXT];
    const char *chunk;
    s->chunk_bytes = DEFAULT_CHUNK;
    if (split_pair(value, first, &chunk) && parse_mib(first, MIB, MOST_BLOCK, &s->block_bytes) &&
        (!chunk || parse_mib(chunk, MIB, MOST_CHUNK, &s->chunk_bytes)) &&
        s->chunk_bytes <= s->block_bytes)
        return 0;
    return err_say(e,
                   "BLOCK[:CHUNK] in MiB; BLOCK 1 to 1048576, CHUNK 1 to 1024 and at most BLOCK");
}

static int set_range(void *settings, const char *value, struct err *e)
{
    struct zcav_settings *s = settings;
    struct zcav_range *r = &s->range;
    char first[UNITS_TEXT];
    const char *last;
    r->first = 0;
    if (split_pair(value, first, &last) &&
        (last ? (*first == '\0' || parse_mib(first, 0, MOST_OFFSET, &r->first)) &&
                    parse_mib(last, MIB, MOST_OFFSET, &r->last)
              : parse_mib(first, MIB, MOST_OFFSET, &r->last)) &&
        r->first < r->last)
        return 0;
    return err_say(e, "[FIRST:]LAST in MiB, FIRST below LAST");
}

static int set_log(void *settings, const char *value, struct err *e)
{
    struct zcav_settings *s = settings;
    if (s->pending_log)
        return err_say(e, "a single LOG before each FILE");
    return value_text(&s->pending_log, value, "the path of a file, before the FILE that it is for",
                      e);
}

static int set_engine(void *engine, const char *value, struct err *e)
{
    (void)e;
    *(const char **)engine = value;
    return engine_by_name(value) ? 0 : -EINVAL;
}

static int add_file(void *settings, const char *word, struct err *e)
{
    struct zcav_settings *s = settings;
    if (*word == '\0')
        return err_say(e, "the path of a device or a file");
    if (s->file_count == ZCAV_MOST_FILES)
        return err_say(e, "at most %d FILEs", ZCAV_MOST_FILES);
    for (unsigned i = 0; s->pending_log && i < s->file_count; i++)
        if (s->files[i].log && strcmp(s->files[i].log, s->pending_log) == 0)
            return err_say(e, "a different LOG for each FILE: %.100s is already that of %.100s",
                           s->pending_log, s->files[i].path);
    s->files[s->file_count++] = (struct zcav_file){.path = word, .log = s->pending_log};
    s->pending_log = NULL;
    return 0;
}

static int take_operand(void *settings, const char *word, struct err *e)
{
    struct err reason = {0};
    if (add_file(settings, word, &reason) == 0)
        return 0;
    return err_say(e, "FILE: '%.100s' is not accepted; expected %s", word, reason.text);
}

static const struct option_entry entries[] = {
    {SETTER("block", "BLOCK[:CHUNK]", set_block), .letter = 'b', .foreign = "bs",
     .help = "print a line for every BLOCK, moved CHUNK by CHUNK, both in MiB (default: 512:1)"},
    {COUNT("count", "COUNT", passes, 1, 1000000), .letter = 'c',
     .help = "passes over the device (default: 1)"},
    {SETTER("range", "[FIRST:]LAST", set_range), .letter = 'r',
     .help = "measure only from FIRST to LAST, in MiB, rounded down to blocks (default: all)"},
    {COUNT("skip", "N", skip, 2, 20), .letter = 's',
     .help = "take every Nth block and skip the others"},
    {FLAG("write", writes), .letter = 'w',
     .help = "write instead of reading: DESTROYS the data; needs --yes for a device"},
    {FLAG("yes", yes), .help = "confirm that the contents of the devices may be destroyed"},
    {SETTER("log", "LOG", set_log), .letter = 'l', .offer = OFFER_FILES,
     .help = "write the figures of the next FILE to LOG (default: standard output)"},
    {SETTER("file", "FILE", add_file), .letter = 'f', .offer = OFFER_FILES,
     .foreign = "filename,if,of", .help = "same as FILE alone"},
    {FLAG("direct", direct), .letter = 'D', .help = "use O_DIRECT for plain files, too"},
    {FLAG("buffered", buffered),
     .help = "read block devices through the page cache, as Bonnie++ does"},
    {CUSTOM("engine", "NAME", set_engine, engine), .words = engine_words, .list = engine_print_all,
     .foreign = "ioengine", .help = "how data is moved: %s (default: sync)"},
    {COUNT("iodepth", "N", iodepth, 1, 4096),
     .help = "chunks in flight on each device (default: 1 with sync, otherwise 32)"},
    {OPTION_JSON(json)},
    {OPTION_OUTPUT(output)},
    {OPTION_HTML(page)},
    {OPTION_QUIET(quiet)},
    {OPTION_TRUST(trusts_directory)},
    {OPTION_USER(user)},
    {OPTION_GROUP(group)},
    OPTIONS_ABOUT,
};

static const struct option_table zcav_option_table = {
    .entries = entries,
    .count = sizeof entries / sizeof *entries,
    .usage = "Usage: zcav [OPTION]... [-l LOG] FILE [[-l LOG] FILE]...\n"
             "Measure the throughput along devices or files; - is standard input.\n\n",
    .brief = "Usage: zcav [OPTION]... [-l LOG] FILE [[-l LOG] FILE]...\n"
             "Measure the throughput along devices or files; - is standard input.\n\n"
             "How fast is a drive from its start to its end?\n"
             "    zcav /dev/sdX\n"
             "The same, in a minute or two, as a page with the curve:\n"
             "    zcav -s 20 --html=page.html /dev/sdX\n"
             "Two drives at once:\n"
             "    zcav -l one /dev/sdX -l two /dev/sdY\n"
             "Which places of a drive cannot be read?\n"
             "    zcav -b 64 --json /dev/sdX\n"
             "A file on a filesystem, past the page cache:\n"
             "    zcav --direct /data/file\n\n"
             "zcav --help lists all options; the manual is zcav(8).\n",
    .closing = "\nSizes take a suffix m, g or t (powers of 1024). The manual is zcav(8).\n",
    .operand = take_operand,
    .operand_offer = OFFER_FILES,
};

static int check_settings(const struct zcav_settings *s, struct err *e)
{
    if (s->file_count == 0)
        return err_say(e, "FILE is missing: a device or a file; - is standard input");
    if (s->pending_log)
        return err_say(e, "--log: no FILE follows %.100s; give LOG before its FILE",
                       s->pending_log);
    if (s->buffered && s->direct)
        return err_say(e, "--direct and --buffered exclude each other");
    if (s->range.first / s->block_bytes >= s->range.last / s->block_bytes)
        return err_say(e, "--range: nothing is left when it is rounded down to blocks (-b)");
    return 0;
}

static int zcav_options(int argc, char *argv[], struct zcav_settings *s, struct err *e)
{
    *s = (struct zcav_settings){.block_bytes = 512 * MIB,
                                .chunk_bytes = DEFAULT_CHUNK,
                                .passes.value = 1,
                                .skip.value = 1,
                                .range.last = UINT64_MAX};
    int rc = cli_parse(&zcav_option_table, argc, argv, s, NULL, stdout, e);
    path_trust_movers(s->trusts_directory);
    return rc == 0 ? check_settings(s, e) : rc;
}

/* ---- devices --------------------------------------------------------------------------------- */

enum zcav_kind {
    ZCAV_PLAIN,
    ZCAV_BLOCK,
    ZCAV_STREAM, /* anything else: it is read once, from its current position to its end */
};

struct zcav_device {
    struct io_file file; /* fd -1: closed */
    char *label;         /* name for output: the path on one line, without control characters */
    enum zcav_kind kind;
    bool direct;    /* O_DIRECT is set */
    uint64_t bytes; /* UINT64_MAX: unknown */
};

/* What one pass over a device has measured: its blocks in their order. */
struct zcav_pass {
    struct zcav_block *blocks;
    size_t count;
    size_t room;
    struct zcav_block sum;
};

/* One device, and everything that is measured on it. */
struct zcav_job {
    const struct zcav_settings *settings;
    unsigned number; /* index among the devices */
    const struct engine_ops *engine;
    unsigned depth;
    const struct pattern *pattern; /* pattern of the data that is written */
    struct op_stats *stats;
    struct zcav_device device;
    bool is_live; /* standard error is a terminal with a progress bar */
    struct zcav_log log;
    struct io_queue queue;
    struct zcav_pass *passes; /* as many as the settings say */
    unsigned pass;            /* number of the current pass */
    struct bad_ranges bad;

    /* The block that is being moved. */
    uint64_t next;         /* offset of the next chunk */
    uint64_t end;          /* end of the block in bytes */
    uint64_t position;     /* position in a stream */
    unsigned char *failed; /* for each chunk of the block, whether moving it has failed */
    int failed_code;       /* errno of the first failed chunk; 0: none has failed */
    bool at_end;           /* the stream has ended */
};

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
    /* only the user's own pipe may make its reader wait; a lease on a file may not, either */
    rc = f.fd < 0 ? -ENOENT : s->writes ? path_check_changed(&f) : 0;
    bool is_pipe = f.fd >= 0 && S_ISFIFO(f.facts.st_mode);
    if (rc != 0)
        path_say(&f, rc, e);
    else if (is_pipe && path_is_foreign_pipe(&f))
        rc = err_say(e, "open %s: it is a pipe of another user", path);
    else
        rc = path_reopen(&f, O_RDONLY | (is_pipe ? 0 : O_NONBLOCK), e);
    path_release(&f);
    if (rc >= 0)
        fcntl(rc, F_SETFL, fcntl(rc, F_GETFL) & ~O_NONBLOCK);
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
    if (flags == O_RDONLY)
        return 0;
    int fd = s->writes ? guards_open(d->file.fd, flags, "-w", s->yes, d->file.name, e)
                       : scratch_reopen(d->file.fd, flags, d->file.name, e);
    if (fd < 0)
        return fd;
    close(d->file.fd);
    d->file.fd = fd;
    return 0;
}

/*
 * Opens `path` ("-": standard input) as the settings say. For writing it opens only what
 * guards_open() allows. The caller must close d->file and free d->label in either case.
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
    d->direct =
        named && (d->kind == ZCAV_BLOCK ? !s->buffered : d->kind == ZCAV_PLAIN && s->direct);
    return rc == 0 && named ? reopen_device(d, s, e) : rc;
}

#define STREAM_ENDED ENODATA

static enum engine_answer stream_submit(void *state, struct io *io)
{
    const struct engine_setup *setup = state;
    ssize_t moved = read(setup->files[io->file].fd, io->buffer, io->length);
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
    .state_bytes = sizeof(struct engine_setup),
    .submit = stream_submit,
};

/* Offset in bytes of the measured block with that index. */
static uint64_t zcav_offset(const struct zcav_settings *s, size_t index)
{
    return (s->range.first / s->block_bytes + index * s->skip.value) * s->block_bytes;
}

/* Number of blocks that a pass over d measures; 0: unknown beforehand. */
static uint64_t zcav_blocks(const struct zcav_settings *s, const struct zcav_device *d)
{
    uint64_t end = d->bytes < s->range.last ? d->bytes : s->range.last;
    uint64_t first = s->range.first / s->block_bytes;
    if (end == UINT64_MAX)
        return 0;
    uint64_t blocks = end / s->block_bytes;
    return blocks <= first ? 0 : (blocks - first - 1) / s->skip.value + 1;
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

/* Whether the medium, or the path to it, has failed, so that other places may still work. */
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
        bool is_new = false;
        if (j->failed[i])
            rc = bad_ranges_add(&j->bad, &range, &is_new, e);
        if (is_new && j->is_live)
            fputs(ZCAV_ERASE, stderr);
        if (is_new)
            message("%s %s at %" PRIu64 ": %s", s->writes ? "write" : "read", j->device.file.name,
                    offset, portable_reason(range.code));
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

/* Measures a block, unless a stream ends before or in it. */
static int measure_block(struct zcav_job *j, uint64_t offset, struct err *e)
{
    struct zcav_block block;
    int rc = 0;
    /* a stream is read up to the block */
    while (rc == 0 && j->device.kind == ZCAV_STREAM && j->position < offset && !j->at_end) {
        rc = move_block(j, j->position, &block, e);
        j->position += j->settings->block_bytes;
    }
    if (rc == 0 && !j->at_end)
        rc = move_block(j, offset, &block, e);
    j->position = offset + j->settings->block_bytes;
    if (rc != 0 || j->at_end)
        return rc;
    rc = append_block(&j->passes[j->pass], &block, e);
    if (rc == 0 && j->settings->passes.value == 1)
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
    unsigned count = (unsigned)j->settings->passes.value;
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
    unsigned count = (unsigned)j->settings->passes.value;
    int rc = count == 1 ? zcav_log_heading(&j->log, count, e) : 0;
    for (j->pass = 0; rc == 0 && j->pass < count; j->pass++)
        rc = measure_pass(j, e);
    if (rc == 0 && count > 1)
        rc = log_middles(j, e);
    if (rc == 0)
        rc = zcav_log_bad(&j->log, j->settings->writes, &j->bad, e);
    return rc;
}

/* Opens what a job needs for file `number`. The caller must release the job in either case. */
static int zcav_job_open(struct zcav_job *j, unsigned number, struct err *e)
{
    const struct zcav_settings *s = j->settings;
    const struct zcav_file *file = &s->files[number];
    j->number = number;
    j->device.file.fd = -1;
    int rc = zcav_device_open(&j->device, file->path, s, e);
    if (rc != 0)
        return rc;
    if (j->device.kind == ZCAV_STREAM) {
        if (s->passes.value > 1)
            return err_say(e, "--count: %s can be read only once", j->device.file.name);
        if (j->depth > 1 || s->engine)
            return err_say(e, "--engine: %s can only be read in order, one chunk at a time",
                           j->device.file.name);
        j->engine = &engine_stream;
    } else if (zcav_blocks(s, &j->device) == 0) {
        return too_small(j, e);
    }
    j->failed = calloc((size_t)(s->block_bytes / s->chunk_bytes) + 1, 1);
    j->passes = calloc((size_t)s->passes.value, sizeof *j->passes);
    if (!j->failed || !j->passes)
        return err_system(e, ENOMEM, "allocate memory to measure %s", j->device.file.name);
    if (s->json && !file->log)
        return 0;
    rc = zcav_log_open(&j->log, file->log, s->file_count > 1, e);
    if (!file->log && s->output)
        j->log.name = s->output;
    return rc;
}

static void zcav_job_release(struct zcav_job *j)
{
    io_queue_close(&j->queue);
    descriptor_close(&j->device.file.fd);
    free(j->device.label);
    for (unsigned i = 0; j->passes && i < j->settings->passes.value; i++)
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
        bytes += blocks * s->block_bytes * s->passes.value;
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
        monitor_go(monitor, NULL);
        rc = thread_pool_work(&pool, &times, e);
    }
    thread_pool_end(&pool);
    return rc;
}

/* Measures all devices at the same time, and prints their logs. */
static int zcav_run(struct zcav_job *jobs, unsigned count, struct err *e)
{
    struct shared_stats stats;
    struct progress_lines progress;
    struct monitor *monitor = NULL;
    const struct monitor_setup setup = {
        .title = jobs->settings->writes ? "Writing" : "Reading",
        .stats = &stats,
        .goal = {.goal_bytes = goal_of(jobs, count)},
        .draws = true,
    };
    int rc = shared_stats_open(&stats, count, e);
    if (rc != 0)
        return rc;
    shared_stats_begin(&stats, count);
    progress_lines_init(&progress, jobs->settings->quiet);
    bool is_live = progress_lines_is_live(&progress);
    rc = is_live ? monitor_start(&monitor, &setup, e) : 0;
    for (unsigned i = 0; i < count; i++) {
        jobs[i].stats = &stats.workers[i].ops;
        jobs[i].is_live = is_live;
        jobs[i].log.is_live = is_live && jobs[i].log.stream == stdout && isatty(STDOUT_FILENO);
    }
    if (rc == 0)
        rc = run_pool(jobs, count, monitor, e);
    int ended = monitor_end(monitor, NULL, NULL, NULL, NULL, e);
    rc = rc ? rc : ended;
    shared_stats_close(&stats);
    for (unsigned i = 0; rc == 0 && i < count; i++)
        rc = zcav_log_close(&jobs[i].log, jobs[i].device.file.name, e);
    return rc;
}

/* ---- the report in JSON ---------------------------------------------------------------------- */

static json_t *json_of_settings(const struct zcav_settings *s)
{
    json_t *object = json_object();
    put_text(&object, "operation", s->writes ? "write" : "read");
    put_count(&object, "block_bytes", s->block_bytes);
    put_count(&object, "chunk_bytes", s->chunk_bytes);
    put_count(&object, "passes", s->passes.value);
    put_count(&object, "skip", s->skip.value);
    return object;
}

/* [offset, bytes, seconds]: with so many blocks, names of fields would be most of the text. */
static json_t *json_of_block(uint64_t offset, const struct zcav_block *b)
{
    json_t *array = json_array();
    append_value(&array, json_integer((json_int_t)offset));
    append_value(&array, json_integer((json_int_t)b->bytes));
    append_real(&array, zcav_seconds(b->nanoseconds));
    return array;
}

static json_t *json_of_pass(const struct zcav_job *j, const struct zcav_pass *p)
{
    json_t *object = json_object();
    json_t *blocks = json_array();
    put_count(&object, "bytes", p->sum.bytes);
    put_real(&object, "elapsed_seconds", zcav_seconds(p->sum.nanoseconds));
    for (size_t i = 0; i < p->count; i++)
        append_value(&blocks, json_of_block(zcav_offset(j->settings, i), &p->blocks[i]));
    put_value(&object, "blocks", blocks);
    return object;
}

static json_t *json_of_bad(const struct bad_ranges *b)
{
    json_t *array = json_array();
    for (size_t i = 0; i < b->count; i++) {
        json_t *object = json_object();
        put_count(&object, "offset_bytes", b->ranges[i].offset);
        put_count(&object, "bytes", b->ranges[i].bytes);
        put_text(&object, "error", portable_reason(b->ranges[i].code));
        append_value(&array, object);
    }
    return array;
}

static json_t *json_of_device(const struct zcav_job *j)
{
    const struct zcav_device *d = &j->device;
    struct statfs fs;
    bool is_known = d->kind == ZCAV_PLAIN && fstatfs(d->file.fd, &fs) == 0;
    json_t *object = json_object();
    json_t *passes = json_array();
    put_text(&object, "name", d->file.name);
    put_known_count(&object, "bytes", d->bytes == UINT64_MAX ? 0 : d->bytes);
    put_fact(&object, "filesystem", is_known ? filesystem_name((unsigned long)fs.f_type) : NULL);
    put_flag(&object, "direct", d->direct);
    put_text(&object, "engine", j->engine->name);
    put_count(&object, "iodepth", j->depth);
    for (unsigned i = 0; i < j->settings->passes.value; i++)
        append_value(&passes, json_of_pass(j, &j->passes[i]));
    put_value(&object, "passes", passes);
    put_value(&object, "bad", json_of_bad(&j->bad));
    return object;
}

/* The filesystem of a plain file, or what is below a device. */
static json_t *json_of_storage(const struct zcav_device *d)
{
    struct mount_info mount = {.root = ""};
    struct device_set devices;
    struct stat st;
    if (d->kind == ZCAV_PLAIN) {
        mount_info_find(&mount, d->file.fd);
    } else if (fstat(d->file.fd, &st) == 0 && S_ISBLK(st.st_mode)) {
        mount.major = major(st.st_rdev);
        mount.minor = minor(st.st_rdev);
    }
    device_find(&devices, &mount);
    return storage_json(&mount, &devices);
}

/* Makes the document of all measurements (zcav(8) describes it). */
static json_t *zcav_json(const struct zcav_job *jobs, unsigned count, uint64_t begun_ns)
{
    json_t *devices = json_array();
    json_t *object = document_begin(&(struct document){
        .format = "zcav",
        .elapsed_seconds = (double)(clock_ns() - begun_ns) / BILLION,
        .storage = count == 1 ? json_of_storage(&jobs->device) : json_null(),
        .settings = json_of_settings(jobs->settings),
    });
    for (unsigned i = 0; i < count; i++)
        append_value(&devices, json_of_device(&jobs[i]));
    put_value(&object, "devices", devices);
    return object;
}

/* A run from its start to its reports. */
struct session {
    const struct zcav_settings *settings;
    struct pattern pattern;
    struct output output;
    struct html_page page;
    uint64_t begun_ns;
    struct zcav_job *jobs;
    unsigned opened; /* number of jobs that must be released */
};

static int open_jobs(struct session *s, struct err *e)
{
    const struct zcav_settings *settings = s->settings;
    const struct engine_ops *engine;
    unsigned depth;
    int rc = engine_choose(settings->engine, settings->iodepth.value, &engine, &depth, e);
    if (rc == 0)
        rc = engine_check(engine, e);
    if (rc != 0)
        return rc;
    s->jobs = calloc(settings->file_count, sizeof *s->jobs);
    if (!s->jobs)
        return err_system(e, ENOMEM, "allocate memory for %u devices", settings->file_count);
    for (unsigned i = 0; rc == 0 && i < settings->file_count; i++) {
        s->jobs[i] = (struct zcav_job){
            .settings = settings, .engine = engine, .depth = depth, .pattern = &s->pattern};
        s->opened++;
        rc = zcav_job_open(&s->jobs[i], i, e);
    }
    return rc;
}

static int write_reports(struct session *s, struct err *e)
{
    if (!s->settings->json && !s->settings->page)
        return output_finish(&s->output, e);
    char *json = document_end(zcav_json(s->jobs, s->opened, s->begun_ns), JSON_COMPACT);
    if (!json)
        return err_system(e, ENOMEM, "allocate memory for the JSON report");
    if (s->settings->json)
        puts(json);
    int rc = output_finish(&s->output, e);
    if (rc == 0 && s->settings->page)
        rc = html_page_write(&s->page, json, e);
    free(json);
    return rc;
}

static int measure_devices(struct session *s, struct err *e)
{
    int rc = open_jobs(s, e);
    if (rc == 0) {
        const struct zcav_job *j = s->jobs;
        if (!s->settings->quiet && (j->engine->capabilities & ENGINE_NEEDS_DIRECT) &&
            !j->device.direct)
            message("%s without O_DIRECT (--direct) is synchronous: the kernel's page cache serves "
                    "one call at a time",
                    j->engine->name);
        rc = zcav_run(s->jobs, s->opened, e);
    }
    if (rc == 0)
        rc = write_reports(s, e);
    uint64_t bytes = 0; /* that could not be moved */
    unsigned devices = 0;
    for (unsigned i = 0; rc == 0 && i < s->opened; i++) {
        bytes += bad_ranges_bytes(&s->jobs[i].bad);
        devices += s->jobs[i].bad.count > 0;
    }
    if (devices > 0)
        rc = err_say(e, "%" PRIu64 " bytes on %u of %u devices cannot be %s", bytes, devices,
                     s->opened, s->settings->writes ? "written" : "read");
    for (unsigned i = 0; i < s->opened; i++)
        zcav_job_release(&s->jobs[i]);
    free(s->jobs);
    return rc;
}

int zcav(int argc, char *argv[], struct err *e)
{
    struct zcav_settings settings;
    struct session s = {.settings = &settings, .begun_ns = clock_ns()};
    int rc = zcav_options(argc, argv, &settings, e);
    if (rc != 0)
        return rc == CLI_ANSWERED ? 0 : rc;
    rc = stop_init(e);
    if (rc == 0)
        rc = privilege_change(settings.user, settings.group, settings.quiet, e);
    if (rc == 0)
        rc = output_open_stdout(&s.output, settings.output, e);
    if (rc == 0 && settings.page)
        rc = html_page_open(&s.page, "--html", settings.page, e);
    /* what is written differs from run to run and from device to device */
    pattern_init(&s.pattern, DATA_RANDOM, 100, PATTERN_UNIT_MAX, (uint64_t)time(NULL), 0);
    if (rc == 0)
        rc = measure_devices(&s, e);
    html_page_close(&s.page);
    output_discard(&s.output);
    return rc;
}
