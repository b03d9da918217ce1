// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/fs.h>
#include <stdarg.h>
#include <sys/vfs.h>

#include "cli/parser.h"
#include "cli/rows.h"
#include "io/io_queue.h"
#include "live/monitor.h"
#include "measure/clock.h"
#include "measure/summary.h"
#include "report/document.h"
#include "report/json_object.h"
#include "report/page.h"
#include "storage/guards.h"
#include "storage/scratch.h"
#include "sys/privilege.h"
#include "sys/stop.h"
#include "sys/thread_pool.h"
#include "tools/tool.h"
#include "tools/zcav_figures.h"
#include "util/descriptor.h"
#include "util/portable.h"
#include "verify/pattern.h"

/* zcav: measures the throughput along devices, block by block. */

#define MAX_ZCAV_FILES 256

struct zcav_file {
    const char *path; /* "-": standard input */
    const char *log;  /* NULL: standard output */
};

struct zcav_settings {
    const char *user; /* USER[:GROUP] that the process changes to; NULL: none */
    const char *group;
    uint64_t block_bytes;
    uint64_t chunk_bytes;   /* at most block_bytes */
    struct optional passes; /* 1 by default, as is `skip` */
    struct optional skip;   /* number of blocks of which one is measured */
    /* bytes from `first` up to, but not including, `last`, in the end rounded down to blocks */
    uint64_t first;
    uint64_t last; /* UINT64_MAX: to the end */
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
    struct zcav_file files[MAX_ZCAV_FILES];
};

#define FIELD(name)   offsetof(struct zcav_settings, name)
#define DEFAULT_CHUNK MIB

/* Parses "A:B" or "A" into numbers of bytes, each in whole MiB. An empty A before a colon is 0.
 * Returns the number of parts; 0: the text is wrong. */
static int parse_pair(const char *text, uint64_t numbers[2])
{
    char first[UNITS_TEXT];
    size_t length = strcspn(text, ":");
    const char *const parts[] = {first, text + length + 1};
    int count = text[length] ? 2 : 1;
    snprintf(first, sizeof first, "%.*s", length > 0 ? (int)length : 1, length > 0 ? text : "0");
    for (int i = 0; i < count; i++)
        if (units_parse_size(parts[i], MIB, &numbers[i]) != 0 || numbers[i] % MIB != 0)
            return 0;
    return length < sizeof first ? count : 0;
}

static int set_block(void *settings, const char *value, struct err *e)
{
    struct zcav_settings *s = settings;
    uint64_t numbers[] = {0, DEFAULT_CHUNK};
    if (parse_pair(value, numbers) == 0 || numbers[0] > TIB || numbers[1] > GIB ||
        numbers[1] == 0 || numbers[1] > numbers[0])
        return err_say(
            e, "BLOCK[:CHUNK] in MiB; BLOCK 1 to 1048576, CHUNK 1 to 1024 and at most BLOCK");
    s->block_bytes = numbers[0];
    s->chunk_bytes = numbers[1];
    return 0;
}

static int set_range(void *settings, const char *value, struct err *e)
{
    struct zcav_settings *s = settings;
    uint64_t numbers[] = {0, 0};
    int count = parse_pair(value, numbers);
    s->first = count == 2 ? numbers[0] : 0;
    s->last = count == 2 ? numbers[1] : numbers[0];
    if (count == 0 || s->last > UINT64_C(1) << 62 || s->first >= s->last)
        return err_say(e, "[FIRST:]LAST in MiB, FIRST below LAST");
    return 0;
}

static int set_log(void *settings, const char *value, struct err *e)
{
    struct zcav_settings *s = settings;
    if (s->pending_log)
        return err_say(e, "a single LOG before each FILE");
    return value_text(&s->pending_log, value, "the path of a file, before the FILE that it is for",
                      e);
}

static int add_file(void *settings, const char *word, struct err *e)
{
    struct zcav_settings *s = settings;
    if (*word == '\0')
        return err_say(e, "the path of a device or a file");
    if (s->file_count == MAX_ZCAV_FILES)
        return err_say(e, "at most %d FILEs", MAX_ZCAV_FILES);
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
    {VALUE("engine", "NAME", OPTION_TEXT, engine), .words = engine_words, .list = engine_print_all,
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

#define USAGE                                                                                      \
    "Usage: zcav [OPTION]... [-l LOG] FILE [[-l LOG] FILE]...\n"                                   \
    "Measure the throughput along devices or files; - is standard input.\n\n"

static const struct option_table zcav_option_table = {
    .entries = entries,
    .count = COUNT_OF(entries),
    .usage = USAGE,
    .brief = USAGE "How fast is a drive from its start to its end?\n"
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

/* Removes the progress bar from a terminal before other output. */
#define ZCAV_ERASE "\r\033[J"

/* ---- devices --------------------------------------------------------------------------------- */

enum zcav_kind {
    ZCAV_PLAIN,
    ZCAV_BLOCK,
    ZCAV_STREAM, /* anything else: it is read once, from its current position to its end */
};

/* The text about one device, as Bonnie++'s zcav prints it: comments, and offset, throughput and
 * time of each block, for gnuplot. With one pass, blocks are printed as they are measured; with
 * several passes, at the end, each with the mean of the middle third of its passes. */
struct zcav_log {
    FILE *stream;     /* NULL: no log is wanted, so nothing is printed */
    const char *name; /* name for messages */
    bool is_live;     /* goes to the terminal that also shows the progress bar */
    bool is_read;     /* goes to a terminal, so it ends in words */
    char *text;       /* all output, if it is kept until the end; otherwise NULL */
    size_t length;
};

struct zcav_pass {
    struct zcav_block *blocks;
    size_t count;
    struct zcav_block sum;
};

struct zcav_job {
    const struct zcav_settings *settings;
    unsigned number; /* index among the devices */
    const struct engine_ops *engine;
    unsigned depth;
    const struct pattern *pattern; /* pattern of the data that is written */
    struct op_stats *stats;
    struct io_file file; /* fd -1: closed */
    char *label;         /* name for output: the path on one line, without control characters */
    enum zcav_kind kind;
    bool direct;    /* O_DIRECT is set */
    uint64_t bytes; /* size of the device; UINT64_MAX: unknown */
    bool is_live;   /* standard error is a terminal with a progress bar */
    struct zcav_log log;
    struct io_queue queue;
    struct zcav_pass *passes;  /* as many as the settings say */
    unsigned pass;             /* number of the current pass */
    struct zcav_block *middle; /* of all passes, a figure for each block */
    struct bad_map bad;
    struct sources sources; /* what is below it; of a stream, nothing */
    struct facts facts;

    /* The block that is being moved. */
    uint64_t next;   /* offset of the next chunk */
    uint64_t end;    /* end of the block in bytes */
    bool has_failed; /* at a place that touches none where it had failed before */
    bool at_end;     /* the stream has ended */
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

/* Opens `path` ("-": standard input) as the settings say. For writing it opens only what
 * guards_open() allows. The caller must close j->file and free j->label in either case. */
static int open_device(struct zcav_job *j, const char *path, struct err *e)
{
    const struct zcav_settings *s = j->settings;
    struct stat st;
    bool named = strcmp(path, "-") != 0; /* otherwise it is standard input */
    j->label = strdup(named ? path : "standard input");
    if (!j->label)
        return err_system(e, ENOMEM, "allocate memory for the name of %s", path);
    make_printable(j->label);
    j->file.name = j->label;
    if (s->writes && !named)
        return err_say(e, "-w: standard input cannot be written to");
    int fd = open_first(path, s, e);
    if (fd < 0)
        return fd;
    j->file.fd = fd;
    if (fstat(fd, &st) != 0)
        return err_system(e, errno, "look at %s", j->label);
    if (S_ISDIR(st.st_mode))
        return err_system(e, EISDIR, "%s", j->label);
    j->kind = S_ISREG(st.st_mode) ? ZCAV_PLAIN : S_ISBLK(st.st_mode) ? ZCAV_BLOCK : ZCAV_STREAM;
    j->bytes = j->kind == ZCAV_PLAIN ? (uint64_t)st.st_size : UINT64_MAX;
    if (j->kind == ZCAV_BLOCK && portable_ioctl(fd, BLKGETSIZE64, &j->bytes) != 0)
        return err_system(e, errno, "find the size of %s", j->label);
    j->direct =
        named && (j->kind == ZCAV_BLOCK ? !s->buffered : j->kind == ZCAV_PLAIN && s->direct);
    int flags = (s->writes ? O_WRONLY : O_RDONLY) | (j->direct ? O_DIRECT : 0);
    if (flags == O_RDONLY)
        return 0;
    /* opens the same device again, whatever its path leads to by now */
    fd = s->writes ? guards_open(j->file.fd, flags, "-w", s->yes, j->label, e)
                   : scratch_reopen(j->file.fd, flags, j->label, e);
    close(j->file.fd);
    j->file.fd = fd;
    return fd < 0 ? fd : 0;
}

#define STREAM_ENDED ENODATA

static enum engine_answer stream_submit(void *state, struct io *io)
{
    const struct engine_setup *setup = state;
    ssize_t moved = read(setup->files[io->file].fd, io->buffer, io->length);
    io->result = moved < 0 ? -errno : moved == 0 ? -STREAM_ENDED : moved;
    return ENGINE_COMPLETED;
}

/* An engine for pipes and terminals, which have no offsets: each transfer goes on where the last
 * one has ended, one at a time. At the end of the stream it fails with STREAM_ENDED. */
static const struct engine_ops engine_stream = {
    .name = "read",
    .summary = "read, one transfer at a time",
    .state_bytes = sizeof(struct engine_setup),
    .submit = stream_submit,
};

static uint64_t zcav_offset(const struct zcav_settings *s, size_t index)
{
    return s->first + index * s->skip.value * s->block_bytes;
}

/* Where the measured part of the device ends, in bytes; UINT64_MAX: unknown. */
static uint64_t zcav_end(const struct zcav_job *j)
{
    return MIN(j->bytes, j->settings->last);
}

/* Number of blocks that a pass measures; 0: unknown beforehand. */
static uint64_t zcav_blocks(const struct zcav_job *j)
{
    const struct zcav_settings *s = j->settings;
    uint64_t end = zcav_end(j);
    if (end == UINT64_MAX || end < s->first + s->block_bytes)
        return 0;
    return ((end - s->first) / s->block_bytes - 1) / s->skip.value + 1;
}

static enum source_answer next_chunk(void *context, struct io *io, uint64_t now_ns)
{
    struct zcav_job *j = context;
    const struct zcav_settings *s = j->settings;
    (void)now_ns;
    if (j->next >= j->end)
        return SOURCE_ENDED;
    io->kind = s->writes ? IO_WRITE : IO_READ;
    io->file = 0;
    io->offset = j->next;
    io->length = (size_t)MIN(j->end - j->next, s->chunk_bytes);
    j->next += io->length;
    if (s->writes)
        pattern_fill(j->pattern, io->buffer, io->length, j->number, io->offset, j->pass);
    return SOURCE_READY;
}

static bool chunk_failed(void *context, const struct io *io, int code)
{
    /* the medium, or the path to it, has failed, so that other places may still work */
    static const int of_medium[] = {EIO,   ENODATA, EILSEQ,  EBADMSG,   ETIMEDOUT,
                                    ENXIO, ENODEV,  ENOLINK, EREMOTEIO, EUCLEAN};
    struct zcav_job *j = context;
    if (j->kind == ZCAV_STREAM) {
        j->at_end = code == STREAM_ENDED;
        j->next = j->end;
        return j->at_end;
    }
    size_t i = 0;
    while (i < COUNT_OF(of_medium) && of_medium[i] != code)
        i++;
    if (i == COUNT_OF(of_medium))
        return false;
    j->has_failed |= bad_map_add(&j->bad, io->offset, io->length, code);
    return true;
}

/* ---- the log --------------------------------------------------------------------------------- */

/* Prints a part of the log, if one is wanted, and flushes it: a bad disk may hang the machine. */
__attribute__((format(printf, 3, 4))) static int print_log(struct zcav_log *l, struct err *e,
                                                           const char *format, ...)
{
    va_list arguments;
    if (!l->stream)
        return 0;
    if (l->is_live)
        fputs(ZCAV_ERASE, l->stream);
    va_start(arguments, format);
    vfprintf(l->stream, format, arguments);
    va_end(arguments);
    if (fflush(l->stream) == 0 && !ferror(l->stream))
        return 0;
    return err_system(e, errno ? errno : EIO, "write to %s", l->name);
}

static double mib_per_second(const struct zcav_block *b)
{
    return b->nanoseconds > 0 ? (double)b->bytes / MIB / ((double)b->nanoseconds / BILLION) : 0;
}

#define LOG_HEADING "#block offset (GiB), MiB/s, time\n"

static int log_block(struct zcav_log *l, uint64_t offset, const struct zcav_block *block,
                     struct err *e)
{
    double gib = (double)offset / GIB;
    double seconds = (double)block->nanoseconds / BILLION;
    if (block->bytes == 0 || block->nanoseconds < MILLION) /* which is too short for a figure */
        return print_log(l, e, "#%.2f %s %.3f\n", gib, block->bytes == 0 ? "----" : "++++",
                         seconds);
    return print_log(l, e, "%.2f %.2f %.3f\n", gib, mib_per_second(block), seconds);
}

/* ---- one device ------------------------------------------------------------------------------ */

static int too_small(const struct zcav_job *j, struct err *e)
{
    return err_say(
        e, "%s is too small for one block of %" PRIu64 " MiB%s; choose a smaller one with -b",
        j->label, j->settings->block_bytes / MIB,
        j->settings->first > 0 ? " in the range of -r" : "");
}

static int measure_pass(struct zcav_job *j, struct err *e)
{
    const struct zcav_settings *s = j->settings;
    struct zcav_pass *p = &j->passes[j->pass];
    const struct io_source source = {.next = next_chunk, .failed = chunk_failed, .context = j};
    const bool is_stream = j->kind == ZCAV_STREAM;
    const uint64_t end = zcav_end(j);
    const uint64_t step = s->block_bytes * s->skip.value;
    int rc = 0;
    /* a stream is also read up to the first block, and between blocks */
    for (uint64_t at = is_stream ? 0 : s->first; rc == 0 && at + s->block_bytes <= end;
         at += is_stream ? s->block_bytes : step) {
        const uint64_t before = j->stats->bytes;
        j->next = at;
        j->end = at + s->block_bytes;
        const uint64_t start_ns = clock_ns();
        rc = io_queue_run(&j->queue, &source, j->stats, e);
        if (rc == 0 && s->writes && !is_stream && (j->engine->capabilities & ENGINE_STORES))
            rc = io_sync(&j->file, e);
        const struct zcav_block block = {.bytes = j->stats->bytes - before,
                                         .nanoseconds = clock_ns() - start_ns};
        if (rc != 0 || j->at_end)
            break;
        if (at < s->first || (at - s->first) % step != 0)
            continue;
        struct zcav_block *blocks = reallocarray(p->blocks, p->count + 1, sizeof *blocks);
        if (!blocks)
            return err_system(e, ENOMEM, "allocate memory for %zu blocks", p->count + 1);
        p->blocks = blocks;
        p->blocks[p->count++] = block;
        p->sum.bytes += block.bytes;
        p->sum.nanoseconds += block.nanoseconds;
        if (s->passes.value == 1)
            rc = log_block(&j->log, at, &block, e);
        struct bad_range r = {.offset = at};
        while (j->has_failed && bad_map_next(&j->bad, &r) && r.offset < j->end) {
            if (j->is_live)
                fputs(ZCAV_ERASE, stderr);
            message("%s %s at %" PRIu64 ": %s", s->writes ? "write" : "read", j->label, r.offset,
                    portable_reason(r.code));
        }
        j->has_failed = false;
    }
    if (rc == 0 && p->count == 0)
        rc = too_small(j, e);
    if (rc == 0)
        rc = print_log(&j->log, e,
                       "# %s %" PRIu64 " megs in %" PRIu64 " seconds, %.0f megabytes per second.\n",
                       s->writes ? "Wrote" : "Read", p->sum.bytes / MIB,
                       p->sum.nanoseconds / BILLION, mib_per_second(&p->sum));
    if (rc != 0 || s->quiet)
        return rc;
    char text[32] = "";
    time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local))
        strftime(text, sizeof text, "%H:%M:%S", &local);
    fprintf(stderr, "%s# Finished loop %u, on device %s at %s\n", j->is_live ? ZCAV_ERASE : "",
            j->pass + 1, printable(j->label).text, text);
    return 0;
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
        .files = &j->file,
        .file_count = 1,
    };
    return io_queue_open(&j->queue, &setup, e);
}

static int measure_device(void *context, struct err *e)
{
    struct zcav_job *j = context;
    const struct zcav_settings *s = j->settings;
    const unsigned count = (unsigned)s->passes.value;
    int rc = count == 1 ? print_log(&j->log, e, LOG_HEADING) : 0;
    for (j->pass = 0; rc == 0 && j->pass < count; j->pass++)
        rc = measure_pass(j, e);
    struct zcav_block *passes = calloc(count, sizeof *passes);
    j->middle = calloc(j->passes[0].count + 1, sizeof *j->middle);
    if (rc == 0 && (!passes || !j->middle))
        rc = err_system(e, ENOMEM, "allocate memory for %u passes", count);
    if (rc == 0 && count > 1)
        rc = print_log(&j->log, e, "#loops: %u\n" LOG_HEADING, count);
    for (size_t i = 0; rc == 0 && i < j->passes[0].count; i++) {
        ASSUME(passes && j->middle);
        for (unsigned p = 0; p < count; p++)
            passes[p] = j->passes[p].blocks[i];
        j->middle[i] = zcav_middle(passes, count, s->block_bytes);
        if (count > 1)
            rc = log_block(&j->log, zcav_offset(s, i), &j->middle[i], e);
    }
    free(passes);
    facts_look(&j->facts, &j->sources.mount, &j->sources.devices, false);
    for (struct bad_range r = {0}; rc == 0 && !j->log.is_read && bad_map_next(&j->bad, &r);)
        rc = print_log(&j->log, e, "# %s: %" PRIu64 " bytes at %" PRIu64 " (%.2f GiB): %s\n",
                       s->writes ? "Unwritable" : "Unreadable", r.bytes, r.offset,
                       (double)r.offset / GIB, portable_reason(r.code));
    return rc;
}

/* Most places that are named; of others the number is told. */
#define MAX_PLACES 8

/* Prints what people look for in a log that they read: the median, and the places to look at. */
static void print_words(const struct zcav_job *j)
{
    const struct zcav_settings *s = j->settings;
    const size_t count = j->passes[0].count;
    struct summary rates = {0};
    struct label_text text = {""};
    size_t places = 0;
    double *good = calloc(count, sizeof *good);
    for (size_t i = 0; good && i < count; i++)
        if (j->middle[i].bytes > 0)
            good[places++] = MIB * mib_per_second(&j->middle[i]);
    summary_of_rates(&rates, good, places);
    free(good);
    places = 0;
    const double median = rates.median;
    if (median > 0)
        label_add(&text, "%s/s, ", units_scaled(median, UNITS_BYTES).text);
    label_add(&text, "of %zu block%s of %" PRIu64 " MiB", count, count == 1 ? "" : "s",
              s->block_bytes / MIB);
    label_print(j->log.stream, "median", &text);
    for (size_t i = 0; i < count; i++) {
        const struct zcav_block *b = &j->middle[i];
        const double rate = MIB * mib_per_second(b);
        if (b->bytes > 0 && 2 * rate < median && places++ < MAX_PLACES)
            label_add(&text, "%s/s at %s, ", units_scaled(rate, UNITS_BYTES).text,
                      units_bytes(zcav_offset(s, i)).text);
    }
    if (places > MAX_PLACES)
        label_add(&text, "and %zu more: ", places - MAX_PLACES);
    label_add(&text, "%s below half the median", places > 0 ? "all" : "none");
    label_print(j->log.stream, "slow", &text);
    places = 0;
    for (struct bad_range r = {0}; bad_map_next(&j->bad, &r); places++)
        if (places < MAX_PLACES)
            label_add(&text, "%s%s at %s: %s", places > 0 ? "; " : "", units_bytes(r.bytes).text,
                      units_bytes(r.offset).text, portable_reason(r.code));
    if (places > MAX_PLACES)
        label_add(&text, "; and %zu more", places - MAX_PLACES);
    if (places == 0)
        label_add(&text, "none");
    label_print(j->log.stream, s->writes ? "unwritable" : "unreadable", &text);
    facts_print(j->log.stream, "in the way", &j->facts);
}

/* Opens what a job needs for its file. The caller must release the job in either case. */
static int open_job(struct zcav_job *j, struct err *e)
{
    const struct zcav_settings *s = j->settings;
    const struct zcav_file *file = &s->files[j->number];
    int rc = open_device(j, file->path, e);
    if (rc != 0)
        return rc;
    if (j->kind == ZCAV_STREAM) {
        if (s->passes.value > 1)
            return err_say(e, "--count: %s can be read only once", j->label);
        if (j->depth > 1 || s->engine)
            return err_say(e, "--engine: %s can only be read in order, one chunk at a time",
                           j->label);
        j->engine = &engine_stream;
    } else if (zcav_blocks(j) == 0) {
        return too_small(j, e);
    } else {
        sources_find(&j->sources, j->file.fd);
        facts_look(&j->facts, &j->sources.mount, &j->sources.devices, false);
    }
    j->bad.count = j->kind == ZCAV_STREAM ? 0 : (size_t)(zcav_end(j) / MIB);
    j->bad.codes = calloc(j->bad.count + 1, 1);
    j->passes = calloc((size_t)s->passes.value, sizeof *j->passes);
    if (!j->bad.codes || !j->passes)
        return err_system(e, ENOMEM, "allocate memory to measure %s", j->label);
    struct zcav_log *l = &j->log;
    if (s->json && !file->log)
        return 0;
    l->name = file->log ? file->log : s->output ? s->output : "standard output";
    l->is_read = !file->log && isatty(STDOUT_FILENO);
    if (file->log) {
        int fd = output_open_live(file->log, false, e);
        if (fd < 0)
            return fd;
        l->stream = fdopen(fd, "w");
        if (!l->stream)
            close(fd);
    } else {
        l->stream = s->file_count > 1 ? open_memstream(&l->text, &l->length) : stdout;
    }
    return l->stream ? 0 : err_system(e, errno, "open %s", l->name);
}

/* ---- all devices ----------------------------------------------------------------------------- */

static int run_jobs(struct zcav_job *jobs, unsigned count, struct err *e)
{
    static const struct task task = {.prepare = open_queue, .work = measure_device};
    struct thread_pool pool;
    struct task_times times = {0};
    void *contexts[MAX_ZCAV_FILES];
    struct shared_stats stats;
    struct progress_lines progress;
    struct monitor *monitor = NULL;
    struct monitor_setup setup = {
        .title = jobs->settings->writes ? "Writing" : "Reading",
        .stats = &stats,
        .draws = true,
    };
    int rc = shared_stats_open(&stats, count, e);
    if (rc != 0)
        return rc;
    shared_stats_begin(&stats, count);
    progress_lines_init(&progress, jobs->settings->quiet);
    bool is_known = true; /* how much all will move */
    for (unsigned i = 0; i < count; i++) {
        struct zcav_job *j = &jobs[i];
        const struct zcav_settings *s = j->settings;
        uint64_t blocks = zcav_blocks(j);
        is_known &= blocks > 0;
        setup.goal.goal_bytes += blocks * s->block_bytes * s->passes.value;
        j->stats = &stats.workers[i].ops;
        j->is_live = progress.is_live;
        j->log.is_live = j->is_live && j->log.stream == stdout && isatty(STDOUT_FILENO);
        contexts[i] = j;
    }
    if (!is_known)
        setup.goal.goal_bytes = 0;
    if (progress.is_live)
        rc = monitor_start(&monitor, &setup, e);
    if (rc == 0)
        rc = thread_pool_start(&pool, count, contexts, NULL, e);
    if (rc == 0) {
        rc = thread_pool_run(&pool, &task, POOL_PREPARING, NULL, e);
        if (rc == 0) {
            monitor_go(monitor, NULL);
            rc = thread_pool_run(&pool, &task, POOL_WORKING, &times, e);
        }
        thread_pool_end(&pool);
    }
    int ended = monitor_end(monitor, NULL, NULL, NULL, NULL, e);
    rc = rc ? rc : ended;
    shared_stats_close(&stats);
    for (unsigned i = 0; rc == 0 && i < count; i++) {
        struct zcav_log *l = &jobs[i].log;
        FILE *stream = l->stream;
        if (l->is_read && stream)
            print_words(&jobs[i]);
        l->stream = NULL;
        if (stream && stream != stdout && fclose(stream) != 0) {
            rc = err_system(e, errno, "write to %s", l->name);
        } else if (l->text) {
            /* two empty lines, so that gnuplot takes it for a data set of its own */
            errno = 0;
            printf("# device: %s\n%s\n\n", printable(jobs[i].label).text, l->text);
            rc = output_flush(e);
        }
    }
    return rc;
}

static json_t *json_of_device(const struct zcav_job *j)
{
    struct statfs fs;
    bool is_known = j->kind == ZCAV_PLAIN && fstatfs(j->file.fd, &fs) == 0;
    json_t *object = json_object();
    json_t *passes = json_array();
    json_t *bad = json_array();
    put_text(&object, "name", j->label);
    put_known_count(&object, "bytes", j->bytes == UINT64_MAX ? 0 : j->bytes);
    put_fact(&object, "filesystem", is_known ? filesystem_name((unsigned long)fs.f_type) : NULL);
    put_flag(&object, "direct", j->direct);
    put_text(&object, "engine", j->engine->name);
    put_count(&object, "iodepth", j->depth);
    for (unsigned i = 0; i < j->settings->passes.value; i++) {
        const struct zcav_pass *p = &j->passes[i];
        json_t *pass = json_object();
        json_t *blocks = json_array();
        put_count(&pass, "bytes", p->sum.bytes);
        put_real(&pass, "elapsed_seconds", (double)p->sum.nanoseconds / BILLION);
        /* with so many blocks, names of fields would be most of the text */
        for (size_t k = 0; k < p->count; k++)
            append_value(&blocks, json_pack("[I,I,f]", (json_int_t)zcav_offset(j->settings, k),
                                            (json_int_t)p->blocks[k].bytes,
                                            (double)p->blocks[k].nanoseconds / BILLION));
        put_value(&pass, "blocks", blocks);
        append_value(&passes, pass);
    }
    for (struct bad_range r = {0}; bad_map_next(&j->bad, &r);)
        append_value(&bad, json_pack("{s:I,s:I,s:s}", "offset_bytes", (json_int_t)r.offset, "bytes",
                                     (json_int_t)r.bytes, "error", portable_reason(r.code)));
    put_value(&object, "passes", passes);
    put_value(&object, "bad", bad);
    return object;
}

static json_t *zcav_json(const struct zcav_job *jobs, unsigned count, uint64_t begun_ns)
{
    const struct zcav_settings *s = jobs->settings;
    const struct sources *of = &jobs->sources;
    json_t *settings = json_object();
    json_t *devices = json_array();
    put_text(&settings, "operation", s->writes ? "write" : "read");
    PUT_COUNTS(&settings, {"block_bytes", s->block_bytes}, {"chunk_bytes", s->chunk_bytes},
               {"passes", s->passes.value}, {"skip", s->skip.value});
    json_t *object = document_begin(&(struct document){
        .format = "zcav",
        .elapsed_seconds = (double)(clock_ns() - begun_ns) / BILLION,
        .storage = count > 1 ? json_null() : storage_json(&of->mount, &of->devices, &jobs->facts),
        .settings = settings,
    });
    for (unsigned i = 0; i < count; i++)
        append_value(&devices, json_of_device(&jobs[i]));
    put_value(&object, "devices", devices);
    return object;
}

int zcav(int argc, char *argv[], struct err *e)
{
    const uint64_t begun_ns = clock_ns();
    struct zcav_settings settings = {.block_bytes = 512 * MIB,
                                     .chunk_bytes = DEFAULT_CHUNK,
                                     .passes.value = 1,
                                     .skip.value = 1,
                                     .last = UINT64_MAX};
    struct zcav_settings *s = &settings;
    struct pattern pattern;
    struct output output = {0};
    struct html_page page = {0};
    const struct engine_ops *engine = NULL;
    struct zcav_job *jobs = NULL;
    unsigned opened = 0; /* number of jobs that must be released */
    unsigned depth = 0;
    char *json = NULL;
    int rc = cli_parse(&zcav_option_table, argc, argv, s, NULL, stdout, e);
    if (rc != 0)
        return rc == CLI_ANSWERED ? 0 : rc;
    path_trust_movers(s->trusts_directory);
    if (s->file_count == 0)
        return err_say(e, "FILE is missing: a device or a file; - is standard input");
    if (s->pending_log)
        return err_say(e, "--log: no FILE follows %.100s; give LOG before its FILE",
                       s->pending_log);
    if (s->buffered && s->direct)
        return err_say(e, "--direct and --buffered exclude each other");
    s->first -= s->first % s->block_bytes;
    if (s->last != UINT64_MAX)
        s->last -= s->last % s->block_bytes;
    if (s->first >= s->last)
        return err_say(e, "--range: nothing is left when it is rounded down to blocks (-b)");
    for (unsigned i = 0; i < s->file_count; i++)
        path_await(s->files[i].path);
    rc = stop_init(e);
    if (rc == 0)
        rc = privilege_change(s->user, s->group, s->quiet, e);
    if (rc == 0)
        rc = output_open_stdout(&output, s->output, e);
    if (rc == 0 && s->page)
        rc = html_page_open(&page, "--html", s->page, e);
    /* what is written differs from run to run and from device to device */
    pattern_init(&pattern, DATA_RANDOM, 100, PATTERN_UNIT_MAX, (uint64_t)time(NULL), 0);
    if (rc == 0)
        rc = engine_choose(s->engine, s->iodepth.value, &engine, &depth, e);
    if (rc == 0)
        rc = engine_check(engine, e);
    if (rc == 0) {
        jobs = calloc(s->file_count, sizeof *jobs);
        rc = jobs ? 0 : err_system(e, ENOMEM, "allocate memory for %u devices", s->file_count);
    }
    ASSUME(rc != 0 || jobs);
    while (rc == 0 && opened < s->file_count) {
        struct zcav_job *j = &jobs[opened];
        *j = (struct zcav_job){.settings = s,
                               .number = opened++,
                               .engine = engine,
                               .depth = depth,
                               .pattern = &pattern,
                               .sources = {.mount.root = "", .devices.root = ""},
                               .file.fd = -1};
        rc = open_job(j, e);
    }
    if (rc == 0) {
        ASSUME(jobs->engine && jobs->settings);
        if (!s->quiet && (jobs->engine->capabilities & ENGINE_NEEDS_DIRECT) && !jobs->direct)
            message("%s without O_DIRECT (--direct) is synchronous: the kernel's page cache serves "
                    "one call at a time",
                    jobs->engine->name);
        rc = run_jobs(jobs, opened, e);
    }
    if (rc == 0 && (s->json || s->page)) {
        json = document_end(zcav_json(jobs, opened, begun_ns), JSON_COMPACT);
        rc = json ? 0 : err_system(e, ENOMEM, "allocate memory for the JSON report");
    }
    if (rc == 0 && s->json)
        puts(json);
    if (rc == 0)
        rc = output_finish(&output, e);
    if (rc == 0 && s->page)
        rc = html_page_write(&page, json, e);
    free(json);
    uint64_t bytes = 0; /* that could not be moved */
    unsigned devices = 0;
    for (struct zcav_job *j = jobs; j < jobs + opened; j++) {
        const uint64_t before = bytes;
        for (struct bad_range r = {0}; rc == 0 && bad_map_next(&j->bad, &r);)
            bytes += r.bytes;
        devices += bytes > before;
        io_queue_close(&j->queue);
        descriptor_close(&j->file.fd);
        free(j->label);
        for (unsigned i = 0; j->passes && i < s->passes.value; i++)
            free(j->passes[i].blocks);
        free(j->passes);
        free(j->middle);
        free(j->bad.codes);
        if (j->log.stream && j->log.stream != stdout)
            fclose(j->log.stream);
        free(j->log.text);
    }
    if (devices > 0)
        rc = err_say(e, "%" PRIu64 " bytes on %u of %u devices cannot be %s", bytes, devices,
                     opened, s->writes ? "written" : "read");
    free(jobs);
    html_page_close(&page);
    output_discard(&output);
    return rc;
}
