#ifndef BONLOAD_NAMES_H
#define BONLOAD_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"
#include "util/partition.h"

/*
 * The name of every request (a path, URL or object key), computed from its number, from 1 on, and
 * the seed: nothing has to be remembered.
 *
 * In a template, two or more X are the number, zero-padded, modulo 10^length; two or more N the
 * same number of random digits, two or more R of random letters. The lines of a file are used in
 * turn, again and again.
 */
enum name_part_kind { NAME_LITERAL, NAME_NUMBER, NAME_DIGITS, NAME_LETTERS };

struct name_part {
    enum name_part_kind kind;
    const char *text; /* in the template */
    size_t length;
};

struct names {
    uint64_t seed_key;
    struct name_part *parts; /* of a template */
    size_t part_count;
    char *lines; /* of a file: all of it, a NUL behind each line */
    size_t *starts;
    uint64_t line_count;
    size_t longest;       /* bytes of the longest name, without its end */
    struct stripe stripe; /* of several ranks: which numbers are this one's */
    uint64_t own;         /* how many names are its own, where they begin again */
};

/*
 * From a template, which must outlive it, or, if that is NULL, from the lines of a file. Lines
 * without any text are left out. Returns 0 or a negative errno.
 */
int names_open(struct names *n, const char *template, const char *file, uint64_t seed,
               struct err *e);

/*
 * Deals the names out among several ranks: from now on a number is one of this rank's, and its name
 * no other rank's. False: there are fewer names than ranks, which then share them.
 */
bool names_deal(struct names *n, const struct stripe *stripe);

/* Writes the name of that number, with its end: n->longest + 1 bytes at most. Returns its length.
 */
size_t names_format(const struct names *n, uint64_t number, char *name);

/*
 * Number of names after which they begin again from the first: 0 when they do not, because parts of
 * them are random.
 */
uint64_t names_period(const struct names *n);

/* True when no two of the numbers up to `last` can have the same name. */
bool names_are_unique(const struct names *n, uint64_t last);

void names_close(struct names *n);

/* True for a URL with the scheme http or https, in small letters or capitals. */
bool name_is_url(const char *name);

#endif
