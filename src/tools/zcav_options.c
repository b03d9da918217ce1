// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/zcav_options.h"

#include <string.h>

#include "cli/rows.h"
#include "io/engine.h"
#include "util/units.h"

#define FIELD(name) offsetof(struct zcav_settings, name)

#define DEFAULT_BLOCK (512 * MIB)
#define DEFAULT_CHUNK MIB

#define MOST_BLOCK  TIB
#define MOST_CHUNK  GIB
#define MOST_PASSES 1000000
#define MOST_DEPTH  4096
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

/*
 * Splits "A:B". *second becomes NULL if there is no colon. Returns false when a part is too long.
 */
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

static int set_engine(void *settings, const char *value, struct err *e)
{
    struct zcav_settings *s = settings;
    s->lists_engines = strcmp(value, "help") == 0;
    if (!s->lists_engines && !engine_by_name(value))
        return err_say(e, "sync, libaio, io_uring or null; help lists what each can do here");
    s->engine = value;
    return 0;
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
    struct err reason;
    err_init(&reason);
    if (add_file(settings, word, &reason) == 0)
        return 0;
    return err_say(e, "FILE: '%.100s' is not accepted; expected %s", word, reason.text);
}

static const struct option_entry entries[] = {
    {SETTER("block", "BLOCK[:CHUNK]", set_block), .letter = 'b',
     .help = "print a line for every BLOCK, moved CHUNK by CHUNK, both in MiB (default: 512:1)"},
    {VALUE("count", "COUNT", OPTION_COUNT, passes), .letter = 'c', .min = 1, .max = MOST_PASSES,
     .accepted = "1 to 1000000 passes", .help = "passes over the device (default: 1)"},
    {SETTER("range", "[FIRST:]LAST", set_range), .letter = 'r',
     .help = "measure only from FIRST to LAST, in MiB, rounded down to blocks (default: all)"},
    {VALUE("skip", "N", OPTION_COUNT, skip), .letter = 's', .min = 2, .max = 20,
     .accepted = "2 to 20", .help = "take every Nth block and skip the others"},
    {FLAG("write", writes), .letter = 'w',
     .help = "write instead of reading: DESTROYS the data; needs --yes for a device"},
    {FLAG("yes", yes), .help = "confirm that the contents of the devices may be destroyed"},
    {SETTER("log", "LOG", set_log), .letter = 'l', .offer = OFFER_FILES,
     .help = "write the figures of the next FILE to LOG (default: standard output)"},
    {SETTER("file", "FILE", add_file), .letter = 'f', .offer = OFFER_FILES,
     .help = "same as FILE alone"},
    {FLAG("direct", direct), .letter = 'D', .help = "use O_DIRECT for plain files, too"},
    {FLAG("buffered", buffered),
     .help = "read block devices through the page cache, as Bonnie++ does"},
    {SETTER("engine", "NAME", set_engine), .words = engine_words,
     .help = "how data is moved: sync, libaio, io_uring, null; help lists them (default: sync)"},
    {VALUE("iodepth", "N", OPTION_COUNT, iodepth), .min = 1, .max = MOST_DEPTH,
     .accepted = "1 to 4096",
     .help = "chunks in flight on each device (default: 1 with sync, otherwise 32)"},
    {FLAG("json", json), .help = "print JSON on standard output, and text only to LOGs"},
    {PATH("html", "PAGE", page),
     .help = "write a page with the curves to PAGE, complete or not at all"},
    {FLAG("quiet", quiet), .letter = 'q', .help = "no progress on standard error"},
    OPTION_USER(struct tool_settings),
    OPTION_GROUP(struct tool_settings),
    TOOL_HELP_OPTIONS,
};

const struct option_table zcav_option_table = {
    .entries = entries,
    .count = sizeof entries / sizeof *entries,
    .usage = "Usage: zcav [OPTION]... [-l LOG] FILE [[-l LOG] FILE]...\n"
             "Measure the throughput along devices or files; - is standard input.\n\n",
    .closing = "\nSizes take a suffix m, g or t (powers of 1024). The manual is zcav(8).\n",
    .operand = take_operand,
    .operand_offer = OFFER_FILES,
};

static int check_settings(const struct zcav_settings *s, struct err *e)
{
    if (s->file_count == 0)
        return err_say(e, "FILE is missing: a device or a file; - is standard input");
    if (s->pending_log)
        return err_say(e, "-l (--log): no FILE follows %.100s; give LOG before its FILE",
                       s->pending_log);
    if (s->buffered && s->direct)
        return err_say(e, "--direct and --buffered exclude each other");
    if (s->range.first / s->block_bytes >= s->range.last / s->block_bytes)
        return err_say(e, "-r (--range): nothing is left when it is rounded down to blocks (-b)");
    return 0;
}

int zcav_options(int argc, char *argv[], struct zcav_settings *s, bool *runs, struct err *e)
{
    *s = (struct zcav_settings){
        .block_bytes = DEFAULT_BLOCK, .chunk_bytes = DEFAULT_CHUNK, .range = {.last = UINT64_MAX}};
    int rc = tool_parse(&zcav_option_table, argc, argv, &s->common, runs, e);
    if (rc == 0 && *runs && s->lists_engines) {
        engine_print_all(stdout);
        *runs = false;
    }
    return rc == 0 && *runs ? check_settings(s, e) : rc;
}
