#ifndef BONLOAD_LEDGER_NAMES_H
#define BONLOAD_LEDGER_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"
#include "util/partition.h"

/*
 * The name of every request (a path, URL or object key), computed from the request's number, from 1
 * on, and the seed, so that nothing has to be stored.
 *
 * In a template, two or more X are the number, zero-padded, modulo 10^length; two or more N the
 * same number of random digits, two or more R of random letters. The lines of a file are used in
 * turn, repeatedly.
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
    char *lines; /* the whole file, with a NUL after each line */
    size_t *starts;
    const char **credentials; /* for each line, those of its URL; NULL: there are none */
    uint64_t line_count;
    size_t longest;       /* bytes of the longest name, without its NUL */
    struct stripe stripe; /* with several ranks: the numbers of this rank */
    uint64_t own;         /* number of this rank's names, where they recur */
};

/*
 * Opens names from a template, which must outlive n, or, if that is NULL, from the lines of a file,
 * without empty ones. Returns 0 or a negative errno.
 */
int names_open(struct names *n, const char *template, const char *file, uint64_t seed,
               struct err *e);

/* Removes blanks from both ends of the lines of a file. Lines of blanks only stay. */
void names_trim(struct names *n);

/*
 * Deals the names out among several ranks: from now on numbers are this rank's own, and no other
 * rank has their names. Returns false when there are fewer names than ranks, which then share them.
 */
bool names_deal(struct names *n, const struct stripe *stripe);

/*
 * The directory that contains all names, directly or not: the length of their common prefix up to
 * and including a slash, 0 if there is none; *text points to it.
 */
size_t names_directory(const struct names *n, const char **text);

/* A hash of a name, of all 64 bits. */
uint64_t names_hash(const char *name);

/* The number among all ranks from which the name of this rank's number is made. */
uint64_t names_number(const struct names *n, uint64_t own_number);

/* Writes the name of that number with a NUL: at most n->longest + 1 bytes. Returns its length. */
size_t names_format(const struct names *n, uint64_t number, char *name);

/*
 * The number of names after which they recur; 0 when they do not, because parts of them are random.
 */
uint64_t names_period(const struct names *n);

/* True when no two of the numbers up to `last` can have the same name. */
bool names_are_unique(const struct names *n, uint64_t last);

void names_close(struct names *n);

/* True for a URL with the scheme http or https, in lower or upper case. */
bool name_is_url(const char *name);

#endif
