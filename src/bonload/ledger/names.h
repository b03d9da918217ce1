// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/err.h"
#include "util/partition.h"

/* Computes the name of every request (a path, URL or object key) from the request's number, which
 * counts from 1, and the seed. In a template, two or more X become the number modulo 10^length,
 * with leading zeros, and two or more N or R as many random digits or letters. The lines of a file
 * are used in turn, again and again. */
enum name_part_kind { NAME_LITERAL, NAME_NUMBER, NAME_DIGITS, NAME_LETTERS };

struct name_part {
    enum name_part_kind kind;
    const char *text; /* points into the template */
    size_t length;
};

struct names {
    uint64_t seed_key;
    struct name_part *parts; /* parts of the template */
    size_t part_count;
    char *text;               /* the whole file, with a NUL after each line */
    char **lines;             /* names in the file; NULL: names are made from the template */
    const char **credentials; /* for each line, the credentials of its URL; NULL: no line has any */
    uint64_t line_count;
    size_t longest;       /* length of the longest name in bytes, without the NUL */
    struct stripe stripe; /* numbers of this rank, if there are several */
    uint64_t period;      /* number of this rank's names after which they recur; 0: never */
    size_t random_bits;   /* at least this many random bits are in each name */
};

/* Opens names from a template, which must outlive n, or, if `template` is NULL, from the lines of a
 * file, except empty ones. With is_literal, the template is the only name, whatever it contains. */
int names_open(struct names *n, const char *template, const char *file, bool is_literal,
               uint64_t seed, struct err *e);
void names_close(struct names *n);

/* Divides the names among the ranks: from now on numbers are this rank's own, and no other rank
 * uses their names. Returns false if there are fewer names than ranks, which then share them. */
bool names_deal(struct names *n, const struct stripe *stripe);

/* A 64-bit hash of a name of that length. */
uint64_t names_hash(const char *name, size_t length);

/* Turns this rank's own number into the number, among all ranks, from which the name is made. */
uint64_t names_number(const struct names *n, uint64_t own_number);

/* Writes the name with that number and a NUL, at most n->longest + 1 bytes. Returns its length. */
size_t names_format(const struct names *n, uint64_t number, char *name);

/* Whether all numbers up to `last` are sure to have different names. */
bool names_are_unique(const struct names *n, uint64_t last);

/* Whether the name is a URL with the scheme http or https, in lower or upper case. */
bool name_is_url(const char *name);

/* The @ that ends the credentials in a URL, USER:PASSWORD@, or NULL if the URL has none. */
char *credentials_end(char *url);

/* The value of the next parameter that signs a presigned URL, and its length; NULL: none. */
char *url_signature(const char *at, size_t *length);

/* Puts stars in the place of a URL's signatures, which are secrets. Other names stay. */
void url_hide_signatures(char *url);

/* Does the same as names_format(), for people and reports. */
void names_show(const struct names *n, uint64_t number, char *name);

/* Strips blanks from a file's lines, unless they are all blank, and credentials from URLs. */
int names_as_goader(struct names *n, bool are_urls, struct err *e);

/* Computes the size of every body that is written from the body's number and the seed. Sizes are
 * constant, uniform between two sizes, or fair: of equal buckets, each with uniform sizes, one is
 * drawn with a weight of 1/size (in its middle), so that all move about as many bytes. */
struct sizes {
    /* The caller sets these. */
    uint64_t least;
    uint64_t most;
    uint64_t buckets;     /* 0: sizes are uniform */
    struct stripe stripe; /* numbers of this rank, if there are several */

    uint64_t seed_key;
    double *up_to; /* for each bucket, the share of requests in it and all buckets before it */
};

/* Returns 0, or -ENOMEM with a line in e; then there is nothing to close. */
int sizes_open(struct sizes *s, uint64_t seed, struct err *e);
void sizes_close(struct sizes *s);

/* Size in bytes of the body with this rank's number. */
uint64_t sizes_of(const struct sizes *s, uint64_t number);
