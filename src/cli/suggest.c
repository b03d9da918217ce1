#include "cli/suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Names that are longer have nothing near them. */
#define NAME_MOST 31

/* A name with more letters changed than this is another one. */
#define NEAR 2

/* What was given, without the dashes and the value. */
struct given_name {
    const char *text;
    size_t length;
};

static bool begins_with(const char *name, const struct given_name *given)
{
    return name && strncmp(name, given->text, given->length) == 0;
}

/* Appends ", --name" to the list, as far as it fits. */
static void list(char *names, size_t size, const char *name)
{
    size_t used = strlen(names);
    snprintf(names + used, size - used, "%s--%s", used > 0 ? ", " : "", name);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * How many letters have to be inserted, left out or replaced to make one name of the other
 * (Levenshtein 1966), a row of the table at a time.
 */
static size_t distance(const char *name, const struct given_name *given)
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

/* The advertised name that is nearest to the one given; NULL when none is near. */
static const char *nearest(const struct option_table *table, const struct given_name *given)
{
    const char *best = NULL;
    size_t least = NEAR + 1;
    for (size_t i = 0; i < table->count; i++) {
        const struct option_entry *entry = &table->entries[i];
        const char *const both[] = {entry->name, entry->alias};
        for (size_t n = 0; entry->help && n < 2; n++) {
            size_t found = both[n] ? distance(both[n], given) : least;
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
    char names[200] = "";
    for (size_t i = 0; i < table->count; i++) {
        if (begins_with(table->entries[i].name, &given))
            list(names, sizeof names, table->entries[i].name);
        if (begins_with(table->entries[i].alias, &given))
            list(names, sizeof names, table->entries[i].alias);
    }
    if (names[0] != '\0')
        return err_say(e, "ambiguous option %.100s: it may be %s", word, names);
    const char *name = given.length <= NAME_MOST ? nearest(table, &given) : NULL;
    if (name)
        return err_say(e, "unknown option %.100s; did you mean --%s?", word, name);
    return err_say(e, "unknown option %.100s; --help lists the options", word);
}
