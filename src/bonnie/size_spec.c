#include "bonnie/size_spec.h"

#include <errno.h>
#include <string.h>

#include "bonnie/option_limits.h"
#include "util/units.h"

#define MAX_FIELDS 5
#define FIELD_SIZE 32

/* The fields of "a:b:c". Missing ones are empty. */
struct fields {
    char text[MAX_FIELDS][FIELD_SIZE];
};

static int split_fields(struct fields *f, const char *text, size_t most)
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

/* Parses one field. An empty field leaves *out alone. */
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

/* Parses a size with a suffix. It may have a fraction. */
static int field_rounded(const char *field, uint64_t max, struct given *out)
{
    uint64_t value;
    if (units_parse_rounded_size(field, 1, &value) != 0 || value > max)
        return -EINVAL;
    *out = (struct given){.given = true, .value = value};
    return 0;
}

/* Parses SIZE: bytes with a suffix, or a number of the preset's units. Both may have a fraction. */
static int field_data(const char *field, struct settings *s)
{
    uint64_t billionths;
    if (*field == '\0')
        return 0;
    s->data_bytes.given = s->data_units.given = false;
    if (units_parse_decimal(field, &billionths) != 0)
        return field_rounded(field, LIMIT_DATA_BYTES, &s->data_bytes);
    s->data_units = (struct given){.given = true, .value = billionths};
    return billionths / BILLION <= LIMIT_DATA_BYTES / MIB ? 0 : -EINVAL;
}

/* The name of a field, and what it accepts. */
struct field_rule {
    const char *name;
    const char *accepted;
};

/* Refuses a field, and names it in the message. */
static int refuse_field(const struct field_rule *rule, const char *given, const char *grammar,
                        struct err *e)
{
    return err_say(e, "%s %s instead of '%s', in %s", rule->name, rule->accepted, given, grammar);
}

int size_spec_data(struct settings *s, const char *text, struct err *e)
{
    static const char grammar[] = "SIZE[:CHUNK[:SEEKS[:SEEKERS]]]";
    static const struct field_rule rules[] = {
        {"SIZE", "in MiB, or with a suffix k, m, g, t, up to 1024t"},
        {"CHUNK", "from 256 to 1g bytes"},
        {"SEEKS", "from 1 to 10^12"},
        {"SEEKERS", "from 1 to 65536"},
    };
    struct fields f;
    /* Bonnie++ ignores an empty first field, as in "-s:3000:64k", and old scripts rely on that. */
    if (*text == ':')
        text++;
    if (split_fields(&f, text, 4) != 0)
        return err_say(e, "%s, %s %s", grammar, rules[0].name, rules[0].accepted);
    const int read[] = {
        field_data(f.text[0], s),
        field_size(f.text[1], 1, LIMIT_CHUNK_MIN, LIMIT_CHUNK_MAX, &s->chunk_bytes),
        field_count(f.text[2], 1, LIMIT_SEEKS, &s->seeks),
        field_count(f.text[3], 1, LIMIT_SEEKERS, &s->seekers),
    };
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (read[i] != 0)
            return refuse_field(&rules[i], f.text[i], grammar, e);
    return 0;
}

/* Parses MAX: a size, or the kind of links that are made. */
static int field_max(struct settings *s, const char *field)
{
    s->file_kind = strcmp(field, "-1") == 0   ? FILES_HARD_LINKS
                   : strcmp(field, "-2") == 0 ? FILES_SYMBOLIC_LINKS
                                              : FILES_DATA;
    return s->file_kind == FILES_DATA
               ? field_size(field, 1, 0, LIMIT_FILE_BYTES, &s->file_max_bytes)
               : 0;
}

int size_spec_files(struct settings *s, const char *text, struct err *e)
{
    static const char grammar[] = "NUM[:MAX[:MIN[:DIRS[:CHUNK]]]]";
    static const struct field_rule rules[] = {
        {"NUM", "in units of 1024 files, up to 10^9"},
        {"MAX", "up to 1t bytes, -1 for hard or -2 for symbolic links,"},
        {"MIN", "up to 1t bytes"},
        {"DIRS", "up to 99999"},
        {"CHUNK", "from 256 to 1g bytes"},
    };
    struct fields f;
    if (split_fields(&f, text, 5) != 0)
        return err_say(e, "%s, %s %s", grammar, rules[0].name, rules[0].accepted);
    const int read[] = {
        field_count(f.text[0], 0, LIMIT_FILES_K, &s->files_k),
        field_max(s, f.text[1]),
        field_size(f.text[2], 1, 0, LIMIT_FILE_BYTES, &s->file_min_bytes),
        field_count(f.text[3], 0, LIMIT_DIRECTORIES, &s->directories),
        field_size(f.text[4], 1, LIMIT_CHUNK_MIN, LIMIT_CHUNK_MAX, &s->file_chunk_bytes),
    };
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (read[i] != 0)
            return refuse_field(&rules[i], f.text[i], grammar, e);
    if (s->file_max_bytes.given && s->file_min_bytes.given &&
        s->file_min_bytes.value > s->file_max_bytes.value)
        return err_say(e, "a MIN no larger than MAX");
    return 0;
}
