#include "cli/suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Longer names get no suggestion. */
#define NAME_MOST 31

/* Number of changed letters up to which one name may be a misspelling of another. */
#define NEAR 2

/* The name that the user gave, without dashes and value. */
struct given_name {
    const char *text;
    size_t length;
};

static bool begins_with(const char *name, const struct given_name *given)
{
    return name && given->length > 0 && strncmp(name, given->text, given->length) == 0;
}

/* The dashes that this table has before a name. */
static const char *dashes_of(const struct option_table *table)
{
    return table->dashes ? table->dashes : "--";
}

/* Appends ", --name" to the list if there is room. */
static void list_name(char *names, size_t size, const char *dashes, const char *name)
{
    size_t used = strlen(names);
    snprintf(names + used, size - used, "%s%s%s", used > 0 ? ", " : "", dashes, name);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Number of letters that must be inserted, removed or replaced to turn one name into the other
 * (Levenshtein, 1966). Computes one row of the matrix at a time.
 */
static size_t name_distance(const char *name, const struct given_name *given)
{
    size_t row[NAME_MOST + 1];
    for (size_t j = 0; j <= given->length; j++)
        row[j] = j;
    for (size_t i = 0; name[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < given->length; j++) {
            size_t replaced = diagonal + (name[i] != given->text[j]);
            diagonal = row[j + 1];
            row[j + 1] = smaller(replaced, smaller(row[j], row[j + 1]) + 1);
        }
    }
    return row[given->length];
}

/* The listed name that is nearest to the given one; NULL: none is near enough. */
static const char *nearest_name(const struct option_table *table, const struct given_name *given)
{
    const char *best = NULL;
    size_t least = NEAR + 1;
    for (size_t i = 0; i < table->count; i++) {
        const struct option_entry *entry = &table->entries[i];
        const char *const both[] = {entry->name, entry->alias};
        for (size_t n = 0; entry->help && n < 2; n++) {
            size_t found = both[n] ? name_distance(both[n], given) : least;
            if (found < least && found < given->length) {
                best = both[n];
                least = found;
            }
        }
    }
    return best;
}

int suggest_option(const struct option_table *table, const char *word, struct err *e)
{
    struct given_name given = {.text = word + strspn(word, "-")};
    given.length = strcspn(given.text, "=");
    const char *dashes = dashes_of(table);
    const char *only = NULL;
    unsigned begun = 0; /* number of names that begin with the given one */
    char names[200] = "";
    for (size_t i = 0; i < table->count; i++) {
        const char *const both[] = {table->entries[i].name, table->entries[i].alias};
        for (size_t n = 0; n < 2; n++) {
            if (!begins_with(both[n], &given))
                continue;
            only = both[n];
            begun++;
            list_name(names, sizeof names, dashes, only);
        }
    }
    if (begun > 1)
        return err_say(e, "ambiguous option %.100s: it may be %s", word, names);
    const char *name = only ? only : given.length <= NAME_MOST ? nearest_name(table, &given) : NULL;
    if (name)
        return err_say(e, "unknown option %.100s; did you mean %s%s?", word, dashes, name);
    return err_say(e, "unknown option %.100s; %shelp lists the options", word, dashes);
}
