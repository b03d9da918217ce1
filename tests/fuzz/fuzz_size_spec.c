// SPDX-License-Identifier: GPL-2.0-or-later
/* The grammars of -s and -n: accepted values are within the limits, and refusals have a reason. */
#include <errno.h>

#include "bonnie/plan.h"
#include "fuzz.h"

static void must_be_within(struct optional field, uint64_t least, uint64_t most)
{
    MUST(!field.given || (field.value >= least && field.value <= most));
}

static int parse_option(struct settings *s, char *option, char *text, struct err *e)
{
    char name[] = "bonnie";
    char *argv[] = {name, option, text, NULL};
    err_init(e);
    return options_parse(3, argv, s, NULL, e);
}

static void size_of_data(char *text)
{
    struct settings s;
    struct err e;
    if (parse_option(&s, (char[]){"-s"}, text, &e) != 0) {
        MUST(e.code == EINVAL && e.text[0] != '\0');
        return;
    }
    MUST(!s.data_bytes.given || !s.data_units.given);
    must_be_within(s.data_bytes, 0, MAX_DATA_BYTES);
    MUST(!s.data_units.given || s.data_units.value / BILLION <= MAX_DATA_BYTES / MIB);
    must_be_within(s.chunk_bytes, MIN_CHUNK_BYTES, MAX_CHUNK_BYTES);
    must_be_within(s.seeks, 1, MAX_SEEKS);
    must_be_within(s.seekers, 1, MAX_SEEKERS);
}

static void files(char *text)
{
    struct settings s;
    struct err e;
    if (parse_option(&s, (char[]){"-n"}, text, &e) != 0) {
        MUST(e.code == EINVAL && e.text[0] != '\0');
        return;
    }
    must_be_within(s.files_k, 0, MAX_FILES_K);
    must_be_within(s.file_max_bytes, 0, MAX_FILE_BYTES);
    must_be_within(s.file_min_bytes, 0, MAX_FILE_BYTES);
    must_be_within(s.directories, 0, MAX_DIRECTORIES);
    must_be_within(s.file_chunk_bytes, MIN_CHUNK_BYTES, MAX_CHUNK_BYTES);
    MUST(!s.file_max_bytes.given || !s.file_min_bytes.given ||
         s.file_min_bytes.value <= s.file_max_bytes.value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    size_of_data(text);
    files(text);
    free(text);
    return 0;
}
