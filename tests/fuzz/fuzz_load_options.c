// SPDX-License-Identifier: GPL-2.0-or-later
/* What users of bonload may type: command lines, durations, sizes, limits, mixes and templates. */
#include <errno.h>
#include <stdbool.h>

#include "bonload/ledger/names.h"
#include "bonload/options.h"
#include "bonload/plan/plan.h"
#include "cli/parser.h"
#include "fuzz.h"
#include "util/units.h"

#define UNTOUCHED  UINT64_C(0x5a5a5a5a5a5a5a5a)
#define WORDS_MOST 32

static bool is_promised(int status)
{
    return status == 0 || status == -EINVAL || status == -ERANGE;
}

static void values(const char *text)
{
    uint64_t duration = UNTOUCHED;
    uint64_t again;
    uint64_t size = UNTOUCHED;
    int status = units_parse_duration(text, 0, &duration);
    MUST(is_promised(status) && (status == 0 || duration == UNTOUCHED));
    if (status == 0)
        MUST(units_parse_duration(units_go_duration(duration).text, 0, &again) == 0 &&
             again == duration);
    status = units_parse_size(text, UNITS_AS_GO, &size);
    MUST(is_promised(status) && (status == 0 || size == UNTOUCHED));
}

/* Each line is a word of the command line. */
static void command_line(char *text)
{
    static char program[] = "bonload";
    static struct settings settings;
    char *argv[WORDS_MOST + 2] = {program};
    int argc = 1;
    struct err e;
    const uintptr_t begin = (uintptr_t)text, end = begin + strlen(text);
    err_init(&e);
    for (char *word = strtok(text, "\n"); word && argc <= WORDS_MOST; word = strtok(NULL, "\n"))
        argv[argc++] = word;
    int status = options_parse(argc, argv, &settings, NULL, &e);
    MUST(status == 0 || status == CLI_ANSWERED || (status == -EINVAL && e.text[0] != '\0'));
    if ((uintptr_t)settings.url < begin || (uintptr_t)settings.url > end)
        free((char *)settings.url); /* a copy, because the word showed a signature */
}

static void mix_and_limit(const char *text)
{
    static const char *const names[] = {"write", "read", "truncate", "unlink", NULL};
    struct mix mix;
    struct latency_limit limit;
    struct err e;
    err_init(&e);
    if (mix_parse(&mix, text, names, "-ops", &e) == 0) {
        MUST(mix_at(&mix, 0) < 4);
        MUST(mix_at(&mix, mix.sum - 1) < 4);
    }
    if (latency_limit_parse(text, &limit) == 0)
        MUST(limit.nanoseconds > 0);
}

static void template(const char *text)
{
    struct names names;
    struct err e;
    err_init(&e);
    if (names_open(&names, text, NULL, false, 1, &e) != 0)
        return;
    char *name = malloc(names.longest + 1);
    MUST(name);
    for (uint64_t number = 1; number < 100; number += 33) {
        size_t length = names_format(&names, number, name);
        MUST(length == strlen(name) && length <= names.longest);
    }
    free(name);
    names_close(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    values(text);
    mix_and_limit(text);
    template(text);
    command_line(text);
    free(text);
    return 0;
}
