#include "cli/grammar.h"

#include <errno.h>
#include <string.h>

#include "cli/limits.h"
#include "util/units.h"

#define MAX_FIELDS 5
#define FIELD_SIZE 32

/* The fields of "a:b:c", copied apart; the missing ones are empty. */
struct fields {
    char text[MAX_FIELDS][FIELD_SIZE];
};

static int split(struct fields *f, const char *text, size_t most)
{
    memset(f, 0, sizeof *f);
    for (size_t i = 0;; i++) {
        size_t length = strcspn(text, ":");
        if (i >= most || length >= FIELD_SIZE)
            return -EINVAL;
        memcpy(f->text[i], text, length);
        if (text[length] == '\0')
            return 0;
        text += length + 1;
    }
}

/* Reads one field; an empty one leaves *out as it is. */
static int field_size(const char *field, uint64_t unit, uint64_t min, uint64_t max,
                      struct given *out)
{
    uint64_t value;
    if (*field == '\0')
        return 0;
    if (units_parse_size(field, unit, &value) != 0 || value < min || value > max)
        return -EINVAL;
    *out = (struct given){.given = true, .value = value};
    return 0;
}

static int field_count(const char *field, uint64_t min, uint64_t max, struct given *out)
{
    uint64_t value;
    if (*field == '\0')
        return 0;
    if (units_parse_count(field, &value) != 0 || value < min || value > max)
        return -EINVAL;
    *out = (struct given){.given = true, .value = value};
    return 0;
}

/* SIZE: bytes by its suffix, or a number of the preset's units, which may have a fraction. */
static int field_data(const char *field, struct settings *s)
{
    uint64_t billionths;
    if (*field == '\0')
        return 0;
    s->data_bytes.given = s->data_units.given = false;
    if (units_parse_decimal(field, &billionths) != 0)
        return field_size(field, 1, 0, LIMIT_DATA_BYTES, &s->data_bytes);
    s->data_units = (struct given){.given = true, .value = billionths};
    return billionths / BILLION <= LIMIT_DATA_BYTES / MIB ? 0 : -EINVAL;
}

int grammar_size(struct settings *s, const char *text, struct err *e)
{
    struct fields f;
    if (*text == ':') /* "-s:3000:64k": Bonnie++ ignores it, and old scripts write it */
        text++;
    if (split(&f, text, 4) != 0 || field_data(f.text[0], s) != 0 ||
        field_size(f.text[1], 1, LIMIT_CHUNK_MIN, LIMIT_CHUNK_MAX, &s->chunk_bytes) != 0 ||
        field_count(f.text[2], 1, LIMIT_SEEKS, &s->seeks) != 0 ||
        field_count(f.text[3], 1, LIMIT_SEEKERS, &s->seekers) != 0)
        return err_say(e,
                       "SIZE[:CHUNK[:SEEKS[:SEEKERS]]], SIZE in MiB or with a suffix k, m, g, t, "
                       "up to 1024t; CHUNK 256 to 1g bytes; SEEKS 1 to 10^12; SEEKERS 1 to 1024");
    return 0;
}

/* MAX: a size, or the kind of links to make. */
static int field_max(struct settings *s, const char *field)
{
    s->file_kind = strcmp(field, "-1") == 0   ? FILES_HARD_LINKS
                   : strcmp(field, "-2") == 0 ? FILES_SYMBOLIC_LINKS
                                              : FILES_DATA;
    return s->file_kind == FILES_DATA
               ? field_size(field, 1, 0, LIMIT_FILE_BYTES, &s->file_max_bytes)
               : 0;
}

int grammar_files(struct settings *s, const char *text, struct err *e)
{
    struct fields f;
    if (split(&f, text, 5) != 0 || field_count(f.text[0], 0, LIMIT_FILES_K, &s->files_k) != 0 ||
        field_max(s, f.text[1]) != 0 ||
        field_size(f.text[2], 1, 0, LIMIT_FILE_BYTES, &s->file_min_bytes) != 0 ||
        field_count(f.text[3], 0, LIMIT_DIRECTORIES, &s->directories) != 0 ||
        field_size(f.text[4], 1, LIMIT_CHUNK_MIN, LIMIT_CHUNK_MAX, &s->file_chunk_bytes) != 0)
        return err_say(e, "NUM[:MAX[:MIN[:DIRS[:CHUNK]]]], NUM in units of 1024 files up to 10^9; "
                          "MAX and MIN up to 1t bytes, MAX -1 for hard and -2 for symbolic links; "
                          "DIRS 1 to 99999; CHUNK 256 to 1g bytes");
    if (s->file_max_bytes.given && s->file_min_bytes.given &&
        s->file_min_bytes.value > s->file_max_bytes.value)
        return err_say(e, "a MIN no larger than MAX");
    return 0;
}
