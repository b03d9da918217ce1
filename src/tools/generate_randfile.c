// SPDX-License-Identifier: GPL-2.0-or-later
#include <endian.h>
#include <time.h>

#include "cli/parser.h"
#include "cli/rows.h"
#include "sys/limits.h"
#include "sys/output.h"
#include "sys/stop.h"
#include "tools/tool.h"

/* The numbers of glibc's rand(3), whatever the C library is: an additive feedback generator of 31
 * words (random(3), TYPE_3). A seed has the same numbers on every machine. */
#define RAND_SEQUENCE_WORDS 31

struct rand_sequence {
    uint32_t words[RAND_SEQUENCE_WORDS];
    unsigned at; /* index of the word for the next number */
};

/* Number of words between the two words that are added. */
#define DISTANCE 3

/* Number of the first numbers, which show the seed too plainly and are left out. */
#define LEFT_OUT (10 * RAND_SEQUENCE_WORDS)

/* The next number, which has 31 bits. */
static uint32_t rand_sequence_next(struct rand_sequence *s)
{
    unsigned partner = (s->at + RAND_SEQUENCE_WORDS - DISTANCE) % RAND_SEQUENCE_WORDS;
    uint32_t sum = s->words[s->at] += s->words[partner];
    s->at = (s->at + 1) % RAND_SEQUENCE_WORDS;
    return sum >> 1;
}

/* generate_randfile: writes the integers of glibc's rand(3), in network byte order. */

struct settings {
    struct optional seed;
    struct optional count;
    const char *file; /* NULL: standard output */
    bool quiet;
    bool trusts_directory;
};

#define MAX_COUNT      UINT64_C(1000000000000000)
#define ACCEPTED_COUNT "a whole number from 1 to 10^15"

/* Number of integers that are written between two looks at the stop flag. */
#define BURST 16384

#define FIELD(name) offsetof(struct settings, name)

static int take_count(void *settings, const char *word, struct err *e)
{
    struct settings *s = settings;
    struct err reason = {0};
    if (s->count.given)
        return err_say(e, "unexpected argument '%.100s'; only one COUNT is taken", word);
    if (value_count(&s->count, word, 1, MAX_COUNT, ACCEPTED_COUNT, &reason) != 0)
        return err_say(e, "COUNT: '%.100s' is not accepted; expected %s", word, reason.text);
    return 0;
}

static const struct option_entry entries[] = {
    {COUNT("seed", "SEED", seed, 0, UINT32_MAX), .letter = 's', .help = OPTION_SEED_HELP},
    {PATH("file", "FILE", file), .letter = 'f',
     .help = "write to FILE, complete or not at all (default: standard output)"},
    {OPTION_QUIET(quiet)},
    {OPTION_TRUST(trusts_directory)},
    OPTIONS_ABOUT,
};

static const struct option_table option_table = {
    .entries = entries,
    .count = COUNT_OF(entries),
    .usage = "Usage: generate_randfile [OPTION]... COUNT\n"
             "Write COUNT integers of rand(3) in network byte order, four bytes each.\n\n",
    .brief = "Usage: generate_randfile [OPTION]... COUNT\n"
             "Write COUNT integers of rand(3) in network byte order, four bytes each.\n\n"
             "A file that gives bonnie a seed:\n"
             "    generate_randfile -f FILE 1000 && bonnie -Z FILE\n\n"
             "generate_randfile --help lists all options; the manual is generate_randfile(1).\n",
    .closing = "\nbonnie -Z FILE takes its seed from such a file.\n"
               "The manual is generate_randfile(1).\n",
    .operand = take_count,
};

int generate_randfile(int argc, char *argv[], struct err *e)
{
    struct settings settings = {0};
    struct output output = {0};
    struct stat st;
    struct rand_sequence sequence;
    uint32_t numbers[BURST];
    int rc = cli_parse(&option_table, argc, argv, &settings, NULL, stdout, e);
    if (rc != 0)
        return rc == CLI_ANSWERED ? 0 : rc;
    if (!settings.count.given)
        return err_say(e, "COUNT is missing: " ACCEPTED_COUNT);
    path_trust_movers(settings.trusts_directory);
    if (settings.file)
        path_await(settings.file);
    rc = stop_init(e);
    uint64_t bytes = settings.count.value * sizeof *numbers;
    bool is_file = settings.file != NULL;
    if (!is_file && fstat(STDOUT_FILENO, &st) == 0 && S_ISREG(st.st_mode)) {
        is_file = true; /* whose old contents may stay: >> */
        bytes += (uint64_t)(fcntl(STDOUT_FILENO, F_GETFL) & O_APPEND
                                ? st.st_size
                                : lseek(STDOUT_FILENO, 0, SEEK_CUR));
    }
    if (rc == 0 && is_file)
        rc = limits_file(bytes, e);
    if (rc == 0)
        rc = output_open(&output, settings.file, false, e);
    if (rc != 0)
        return rc;
    uint64_t left = settings.count.value;
    uint32_t seed = settings.seed.given ? (uint32_t)settings.seed.value : (uint32_t)time(NULL);
    if (!settings.quiet)
        fprintf(stderr, "Generating %" PRIu64 " random numbers with seed %" PRIu32 ".\n", left,
                seed);
    int32_t word = seed == 0 ? 1 : (int32_t)seed;
    for (unsigned i = 0; i < RAND_SEQUENCE_WORDS; i++) {
        sequence.words[i] = (uint32_t)word;
        /* 16807 times the word modulo 2^31 - 1, by Schrage's method, which needs only 32 bits */
        word = 16807 * (word % 127773) - 2836 * (word / 127773);
        word = word < 0 ? word + INT32_MAX : word;
    }
    sequence.at = DISTANCE;
    for (unsigned i = 0; i < LEFT_OUT; i++)
        rand_sequence_next(&sequence);
    while (rc == 0 && left > 0) {
        size_t burst = left < BURST ? (size_t)left : BURST;
        for (size_t i = 0; i < burst; i++)
            numbers[i] = htobe32(rand_sequence_next(&sequence));
        if (fwrite(numbers, sizeof *numbers, burst, output.stream) != burst)
            rc = err_system(e, errno, "write the numbers");
        else
            rc = stop_check(e);
        left -= burst;
    }
    if (rc == 0)
        rc = output_finish(&output, e);
    output_discard(&output);
    return rc;
}
