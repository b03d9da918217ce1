// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/tool.h"

#include <pthread.h>

#include "cli/parser.h"
#include "cli/rows.h"
#include "io/file.h"
#include "live/progress.h"
#include "measure/clock.h"
#include "storage/scratch.h"
#include "sys/host.h"
#include "sys/limits.h"
#include "sys/output.h"
#include "sys/privilege.h"
#include "sys/stop.h"
#include "tail/trace.h"
#include "util/rng.h"

/* getc_putc: compares ways of moving single bytes between a program and a file. */

struct settings {
    const char *user; /* USER[:GROUP] that the process changes to; NULL: none */
    const char *group;
    const char *directory;
    struct optional bytes;
    const char *label;  /* NULL: name of the host */
    const char *output; /* NULL: standard output */
    bool trusts_directory;
    bool quiet;
    bool cleans_up;
};

/* Bytes between two looks at the clock and the stop flag. All blocks of the file are equal. */
#define BLOCK_BYTES 65536

struct byte_way {
    const char *name;  /* name in the table, at most six columns wide */
    const char *title; /* title while this way is measured */
    const char *call;  /* name of the call for messages */
    bool writes;
    bool is_system_call;
    bool has_threads; /* the process has a second thread meanwhile */

    /* Moves a block byte by byte, to `bytes` or from there. Returns the number of bytes moved: less
     * after a failure (with errno set) or at the end of the file. */
    size_t (*move)(FILE *stream, unsigned char *bytes, size_t count);
};

/* Aligns the loops: the place of such a short loop in a cache line may decide its speed. */
#define LOOP __attribute__((noinline, aligned(64)))

LOOP static size_t write_each(FILE *stream, unsigned char *bytes, size_t count)
{
    int fd = fileno(stream);
    size_t i = 0;
    while (i < count && write(fd, &bytes[i], 1) == 1)
        i++;
    return i;
}

LOOP static size_t read_each(FILE *stream, unsigned char *bytes, size_t count)
{
    int fd = fileno(stream);
    size_t i = 0;
    while (i < count && read(fd, &bytes[i], 1) == 1)
        i++;
    return i;
}

LOOP static size_t putc_each(FILE *stream, unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        putc(bytes[i], stream);
    return ferror(stream) ? 0 : count;
}

LOOP static size_t getc_each(FILE *stream, unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)getc(stream);
    return ferror(stream) || feof(stream) ? 0 : count;
}

LOOP static size_t putc_unlocked_each(FILE *stream, unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        putc_unlocked(bytes[i], stream);
    return ferror(stream) ? 0 : count;
}

LOOP static size_t getc_unlocked_each(FILE *stream, unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)getc_unlocked(stream);
    return ferror(stream) || feof(stream) ? 0 : count;
}

#define BYTE_WAYS 8

/* All ways in the order of measuring and reporting: first those without a second thread. */
static const struct byte_way byte_ways[BYTE_WAYS] = {
    {"write", "Writing with write(), a byte each", "write", true, true, false, write_each},
    {"read", "Reading with read(), a byte each", "read", false, true, false, read_each},
    {"putcNT", "Writing with putc(), no threads", "putc", true, false, false, putc_each},
    {"getcNT", "Reading with getc(), no threads", "getc", false, false, false, getc_each},
    {"putc", "Writing with putc(), two threads", "putc", true, false, true, putc_each},
    {"getc", "Reading with getc(), two threads", "getc", false, false, true, getc_each},
    {"putcU", "Writing with putc_unlocked()", "putc_unlocked", true, false, true,
     putc_unlocked_each},
    {"getcU", "Reading with getc_unlocked()", "getc_unlocked", false, false, true,
     getc_unlocked_each},
};

struct session {
    const struct settings *settings;
    struct progress_lines progress;
    struct scratch scratch;
    const struct scratch *named_in; /* NULL: the data file has no name */
    int fd;                         /* descriptor of the data file */
    char name[256];                 /* name for messages */
    /* a second thread that does nothing but wait for a lock, which the main thread holds */
    pthread_mutex_t lock;
    pthread_t companion;
    bool has_companion;
    struct units_text figures[BYTE_WAYS]; /* in KiB/s */
    unsigned char contents[BLOCK_BYTES];
    unsigned char block[BLOCK_BYTES];
};

static void *keep_company(void *lock)
{
    stop_block_signals();
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

/* Measures a way; the time leaves out the checks of what was read. */
static int measure_way(struct session *s, size_t number, struct err *e)
{
    const struct byte_way *way = &byte_ways[number];
    /* system calls take so long that they move only a part */
    const uint64_t bytes = s->settings->bytes.value / (way->is_system_call ? 64 : 1);
    unsigned char *block = way->writes ? s->contents : s->block;
    uint64_t elapsed_ns = 0;
    bool is_whole = true;
    int rc = 0;
    progress_lines_begin(&s->progress, way->title);
    if (way->has_threads && !s->has_companion) {
        int code = pthread_create(&s->companion, NULL, keep_company, &s->lock);
        if (code != 0)
            return err_system(e, code, "start a second thread");
        s->has_companion = true;
    }
    int fd = scratch_reopen_data_file(s->named_in, 0, s->fd, way->writes ? O_WRONLY : O_RDONLY,
                                      s->name, e);
    if (fd < 0)
        return fd;
    FILE *stream = fdopen(fd, way->writes ? "w" : "r");
    if (!stream) {
        rc = err_system(e, errno, "open a stream on %s", s->name);
        close(fd);
        return rc;
    }
    for (uint64_t at = 0; rc == 0 && is_whole && at < bytes; at += BLOCK_BYTES) {
        size_t count = (size_t)MIN(bytes - at, BLOCK_BYTES);
        errno = 0;
        uint64_t start = clock_ns();
        is_whole = way->move(stream, block, count) == count;
        elapsed_ns += clock_ns() - start;
        rc = stop_check(e);
        if (rc == 0 && is_whole && !way->writes && memcmp(block, s->contents, count) != 0)
            rc = err_say(e, "%s returned wrong bytes of %s, between %" PRIu64 " and %" PRIu64,
                         way->call, s->name, at, at + count);
    }
    uint64_t start = clock_ns();
    if (rc == 0 && (!is_whole || fflush(stream) != 0))
        rc = err_system(e, errno ? errno : EIO, "%s on %s", way->call, s->name);
    elapsed_ns += clock_ns() - start;
    /* ignores errors, because everything has been flushed, and need not be durable */
    fclose(stream);
    if (rc != 0)
        return rc;
    if (elapsed_ns < 10 * MILLION) /* which is too short for a figure */
        strcpy(s->figures[number].text, "+++++");
    else
        snprintf(s->figures[number].text, UNITS_TEXT, "%.0f",
                 (double)bytes / (double)KIB * BILLION / (double)elapsed_ns);
    progress_lines_end(&s->progress, "done", 1);
    return 0;
}

static int measure_directory(struct session *s, struct err *e)
{
    const uint64_t bytes = s->settings->bytes.value;
    struct scratch_space space;
    bool is_named = false;
    int rc = scratch_space(&s->scratch, &space, e);
    if (rc == 0 && space.bytes < bytes)
        rc = err_say(
            e, "%s: %" PRIu64 " MiB are needed, %" PRIu64 " MiB are free; a smaller -s needs less",
            s->scratch.path, bytes / MIB + (bytes % MIB > 0), space.bytes / MIB);
    if (rc == 0)
        rc = scratch_make(&s->scratch, 0, e);
    if (rc != 0)
        return rc;
    s->fd = scratch_make_data_file(&s->scratch, 0, &is_named, e);
    if (s->fd < 0)
        return s->fd;
    s->named_in = is_named ? &s->scratch : NULL;
    snprintf(s->name, sizeof s->name, "data file in %.200s", s->scratch.path);
    progress_lines_begin(&s->progress, "Extending file");
    /* the whole file is written, so that none of the ways has to allocate storage */
    for (uint64_t at = 0; rc == 0 && at < bytes; at += BLOCK_BYTES) {
        const struct io_file file = {.fd = s->fd, .name = s->name};
        rc = io_write(&file, s->contents, (size_t)MIN(bytes - at, BLOCK_BYTES), at, e);
        if (rc == 0)
            rc = stop_check(e);
    }
    if (rc == 0)
        progress_lines_end(&s->progress, "done", 1);
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; rc == 0 && i < BYTE_WAYS; i++)
        rc = measure_way(s, i, e);
    progress_lines_break(&s->progress);
    pthread_mutex_unlock(&s->lock);
    if (s->has_companion)
        pthread_join(s->companion, NULL);
    close(s->fd);
    if (is_named)
        scratch_remove_data_file(&s->scratch, 0, e);
    return rc;
}

#define NAME_COLUMNS 20

static void print_report(const struct session *s)
{
    char label[LABEL_BYTES];
    struct host host;
    host_detect(&host);
    sanitize_plain(label, s->settings->label ? s->settings->label : host.name);
    FILE *out = s->settings->quiet ? stderr : stdout;
    int blanks = NAME_COLUMNS - (int)sanitize_columns(label);
    fprintf(out, "Version %-*s ", NAME_COLUMNS - 8, PACKAGE_VERSION);
    for (size_t i = 0; i < BYTE_WAYS; i++)
        fprintf(out, " %6s", byte_ways[i].name);
    fprintf(out, "\n%s%*s ", label, blanks > 0 ? blanks : 0, "");
    for (size_t i = 0; i < BYTE_WAYS; i++)
        fprintf(out, " %6s", s->figures[i].text);
    fprintf(out, "\n");
    fputs(label, stdout);
    for (size_t i = 0; i < BYTE_WAYS; i++)
        printf(",%s", s->figures[i].text);
    putchar('\n');
}

#define FIELD(name) offsetof(struct settings, name)

static int take_operand(void *settings, const char *word, struct err *e)
{
    struct settings *s = settings;
    if (s->directory || *word == '\0')
        return err_say(e, "unexpected argument '%.100s'; one directory is expected", word);
    s->directory = word;
    return 0;
}

static const struct option_entry entries[] = {
    {OPTION_DIRECTORY(directory)},
    {OPTION_TRUST(trusts_directory)},
    {VALUE("size", "SIZE", OPTION_SIZE, bytes), .letter = 's', .unit = KIB, .min = KIB,
     .max = 1024 * TIB,
     .help = "size of the file, in KiB; 1/64 of it for write and read (default: 512m)"},
    {OPTION_LABEL(label)},
    {OPTION_USER(user)},
    {OPTION_GROUP(group)},
    {OPTION_OUTPUT(output)},
    {OPTION_QUIET(quiet)},
    {OPTION_CLEANUP(cleans_up)},
    OPTIONS_ABOUT,
};

#define USAGE                                                                                      \
    "Usage: getc_putc [OPTION]... [DIR]\n"                                                         \
    "Measure eight methods of reading and writing single bytes.\n\n"

static const struct option_table option_table = {
    .entries = entries,
    .count = COUNT_OF(entries),
    .operand = take_operand,
    .operand_offer = OFFER_DIRECTORIES,
    .usage = USAGE,
    .brief = USAGE "In this directory:\n"
                   "    getc_putc\n"
                   "In another one, with a file of 4 GiB:\n"
                   "    getc_putc -s 4g /data\n"
                   "As root, on behalf of a user:\n"
                   "    getc_putc -u USER /data\n"
                   "Only a line for scripts, with a label:\n"
                   "    getc_putc -q -m LABEL /data\n"
                   "Remove the leftovers of killed runs:\n"
                   "    getc_putc --cleanup /data\n\n"
                   "getc_putc --help lists all options; the manual is getc_putc(1).\n",
    .closing = "\nSizes take a suffix k, m, g or t (powers of 1024). The manual is getc_putc(1).\n",
};

int getc_putc(int argc, char *argv[], struct err *e)
{
    struct settings settings = {.bytes.value = 512 * MIB};
    struct rng rng;
    struct output output = {0};
    struct err left = {0};
    int rc = cli_parse(&option_table, argc, argv, &settings, NULL, stdout, e);
    if (rc != 0)
        return rc == CLI_ANSWERED ? 0 : rc;
    if (!settings.directory)
        settings.directory = ".";
    path_trust_movers(settings.trusts_directory);
    path_await(settings.directory);
    rc = stop_init(e);
    if (settings.cleans_up)
        tail_trace_cleanup();
    if (rc == 0)
        rc = privilege_change(settings.user, settings.group, settings.quiet, e);
    if (rc != 0 || settings.cleans_up)
        return rc ? rc : cleanup_directory(settings.directory, settings.trusts_directory, e);
    struct session *s = calloc(1, sizeof *s); /* its blocks are too large for a small stack */
    if (!s)
        return err_system(e, ENOMEM, "allocate memory for two blocks");
    s->settings = &settings;
    rng_init(&rng, 1, 0);
    for (size_t i = 0; i < BLOCK_BYTES; i++)
        s->contents[i] = (unsigned char)rng_next(&rng);
    progress_lines_init(&s->progress, settings.quiet);
    rc = limits_file(settings.bytes.value, e);
    if (rc == 0)
        rc = output_open_stdout(&output, settings.output, e);
    if (rc == 0)
        rc =
            scratch_open(&s->scratch, settings.directory, PATH_FAILS, settings.trusts_directory, e);
    if (rc == 0) {
        rc = measure_directory(s, e);
        int closed = scratch_close(&s->scratch, stop_signal() ? &left : e);
        if (left.code != 0)
            message("%s", left.text);
        rc = rc ? rc : closed;
    }
    if (rc == 0) {
        print_report(s);
        rc = output_finish(&output, e);
    }
    output_discard(&output);
    free(s);
    return rc;
}
