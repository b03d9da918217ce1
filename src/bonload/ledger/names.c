// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/ledger/names.h"

#include <endian.h>
#include <math.h>
#include <strings.h>
#include <sys/stat.h>

#include "sys/input.h"
#include "util/rng.h"
#include "util/units.h"

#define MAX_DIGITS  19  /* of a period in 64 bits; numbers have at most 20, so none is cut off */
#define RANDOM_ROOM 20  /* n random names are unique if the template has at least 2^20 * n^2 */
#define MAX_BYTES   GIB /* of a file of names, because the whole file is kept in memory */

static bool is_wildcard(const char *at)
{
    return (*at == 'X' || *at == 'N' || *at == 'R') && at[1] == *at;
}

/* Divides the template, and finds out when its names recur, and how random they are. */
static int open_template(struct names *n, const char *template, bool is_literal, struct err *e)
{
    size_t digits = 0;
    n->longest = strlen(template);
    n->parts = calloc(n->longest + 1, sizeof *n->parts); /* no part is empty */
    if (!n->parts)
        return err_system(e, ENOMEM, "allocate memory for the template");
    while (*template) {
        struct name_part *part = &n->parts[n->part_count++];
        *part = (struct name_part){.kind = NAME_LITERAL, .text = template};
        if (is_literal) {
            part->length = n->longest;
        } else if (!is_wildcard(template)) {
            while (template[part->length] && !is_wildcard(template + part->length))
                part->length++;
        } else {
            part->length = strspn(template, (char[]){*template, '\0'});
            if (*template == 'X') {
                part->kind = NAME_NUMBER;
                digits = part->length > digits ? part->length : digits;
            } else {
                part->kind = *template == 'N' ? NAME_DIGITS : NAME_LETTERS;
                n->random_bits += (*template == 'N' ? 3 : 5) * part->length;
            }
        }
        template += part->length;
    }
    if (n->random_bits > 0)
        return 0;
    n->period = digits > MAX_DIGITS ? UINT64_MAX : 1;
    for (; digits > 0 && digits <= MAX_DIGITS; digits--)
        n->period *= 10;
    return 0;
}

static int open_name_file(struct names *n, const char *path, struct err *e)
{
    struct stat facts;
    size_t bytes = 0;
    uint64_t lines = 1;
    int fd = input_open("open", path, e);
    if (fd < 0)
        return fd;
    int rc;
    if (fstat(fd, &facts) != 0)
        rc = err_system(e, errno, "read %s", path);
    else if (!S_ISREG(facts.st_mode) && !S_ISFIFO(facts.st_mode)) /* others may never end */
        rc = err_say(e, "%s is not a plain file or a pipe, so it cannot be read for names", path);
    else
        rc = input_contents(fd, "read", path, MAX_BYTES + 1, &n->text, &bytes, e);
    close(fd);
    if (rc != 0)
        return rc;
    if (bytes > MAX_BYTES)
        return err_say(e, "%s is longer than 1 GiB, but a file of names must be shorter", path);
    if (strlen(n->text) != bytes)
        return err_say(e, "%s contains a NUL byte, but a file of names must be text", path);
    for (size_t i = 0; i < bytes; i++)
        lines += n->text[i] == '\n';
    n->lines = malloc(lines * sizeof *n->lines);
    if (!n->lines)
        return err_system(e, ENOMEM, "allocate memory for the names in %s", path);
    for (char *line = n->text, *end; line < n->text + bytes; line = end + 1) {
        end = strchrnul(line, '\n');
        *end = '\0';
        size_t length = (size_t)(end - line);
        if (length > 0 && line[length - 1] == '\r')
            line[--length] = '\0';
        if (length > 0)
            n->lines[n->line_count++] = line;
        n->longest = MAX(n->longest, length);
    }
    n->period = n->line_count;
    return n->line_count > 0 ? 0 : err_say(e, "%s contains no name", path);
}

int names_open(struct names *n, const char *template, const char *file, bool is_literal,
               uint64_t seed, struct err *e)
{
    *n = (struct names){.seed_key = rng_mix(seed)};
    int rc = template ? open_template(n, template, is_literal, e) : open_name_file(n, file, e);
    if (rc != 0)
        names_close(n);
    return rc;
}

void names_close(struct names *n)
{
    free(n->parts);
    free(n->text);
    free(n->lines);
    free(n->credentials);
    *n = (struct names){0};
}

uint64_t names_number(const struct names *n, uint64_t own_number)
{
    bool recurs = n->stripe.others > 0 && n->period > 0;
    return stripe_number(&n->stripe, recurs ? (own_number - 1) % n->period + 1 : own_number);
}

uint64_t names_hash(const char *name, size_t length)
{
    uint64_t hash = length;
    while (length > 0) {
        uint64_t word = 0;
        size_t part = length < sizeof word ? length : sizeof word;
        memcpy(&word, name, part);
        hash = rng_mix(hash ^ le64toh(word));
        name += part;
        length -= part;
    }
    return hash;
}

size_t names_format(const struct names *n, uint64_t own_number, char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    struct rng rng = {0}; /* used only with random parts */
    char *to = name;
    uint64_t number = names_number(n, own_number);
    if (n->lines)
        return (size_t)(stpcpy(name, n->lines[(number - 1) % n->line_count]) - name);
    if (n->random_bits > 0)
        rng_init(&rng, n->seed_key, number);
    for (const struct name_part *part = n->parts; part < n->parts + n->part_count; part++) {
        if (part->kind == NAME_LITERAL)
            memcpy(to, part->text, part->length);
        uint64_t rest = number;
        for (size_t k = part->length; k > 0 && part->kind == NAME_NUMBER; rest /= 10)
            to[--k] = (char)('0' + rest % 10);
        for (size_t k = 0; k < part->length && part->kind == NAME_DIGITS; k++)
            to[k] = (char)('0' + rng_below(&rng, 10));
        for (size_t k = 0; k < part->length && part->kind == NAME_LETTERS; k++)
            to[k] = letters[rng_below(&rng, sizeof letters - 1)];
        to += part->length;
    }
    *to = '\0';
    return (size_t)(to - name);
}

bool names_deal(struct names *n, const struct stripe *stripe)
{
    uint64_t ranks = (uint64_t)stripe->others + 1;
    bool is_enough = n->period == 0 || n->period >= ranks;
    n->stripe = *stripe;
    if (n->period > 0)
        n->period = is_enough ? n->period / ranks : 1; /* the same for all ranks */
    return is_enough;
}

bool names_are_unique(const struct names *n, uint64_t last)
{
    if (n->lines)
        return false; /* two lines may be equal */
    if (n->period > 0)
        return last <= n->period;
    uint64_t all = last < UINT64_MAX / 2 ? last * ((uint64_t)n->stripe.others + 1) : last;
    unsigned bits = last > 1 ? 2 * (64 - (unsigned)__builtin_clzll(all)) : 0;
    return n->random_bits >= bits + RANDOM_ROOM;
}

bool name_is_url(const char *name)
{
    return strncasecmp(name, "http://", 7) == 0 || strncasecmp(name, "https://", 8) == 0;
}

char *credentials_end(char *url)
{
    if (!name_is_url(url))
        return NULL;
    char *from = strstr(url, "//") + 2;
    return memrchr(from, '@', strcspn(from, "/?#"));
}

char *url_signature(const char *at, size_t *length)
{
    static const char *const names[] = {
        "X-Amz-Signature=", "X-Goog-Signature=", "Signature=", "sig="};
    for (const char *value; (value = strpbrk(at, "?&")); at = value) {
        value++;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strncasecmp(value, names[i], strlen(names[i])) == 0) {
                value += strlen(names[i]);
                *length = strcspn(value, "&#");
                return (char *)value;
            }
    }
    return NULL;
}

void url_hide_signatures(char *url)
{
    size_t length;
    if (!name_is_url(url))
        return;
    for (char *at = url; (at = url_signature(at, &length)); at += length)
        memset(at, '*', length);
}

void names_show(const struct names *n, uint64_t number, char *name)
{
    names_format(n, number, name);
    url_hide_signatures(name);
}

int names_as_goader(struct names *n, bool are_urls, struct err *e)
{
    static const char blanks[] = " \t\v\f\r";
    for (uint64_t i = 0; i < n->line_count; i++) {
        char *line = n->lines[i];
        size_t length = strlen(line);
        while (length > 0 && strchr(blanks, line[length - 1]))
            length--;
        if (length > 0) {
            line[length] = '\0';
            n->lines[i] = line += strspn(line, blanks);
        }
        char *end = are_urls ? credentials_end(line) : NULL;
        if (!end)
            continue;
        if (!n->credentials)
            n->credentials = calloc(n->line_count, sizeof *n->credentials);
        if (!n->credentials)
            return err_system(e, ENOMEM, "allocate memory for the names");
        /* "SCHEME USER:PASSWORD @ REST" becomes "USER:PASSWORD NUL SCHEME REST" */
        char scheme[sizeof "https://"];
        size_t before = (size_t)(strstr(line, "//") + 2 - line);
        length = (size_t)(end - line) - before;
        memcpy(scheme, line, before);
        memmove(line, line + before, length);
        line[length] = '\0';
        n->credentials[i] = line;
        n->lines[i] = memcpy(line + length + 1, scheme, before);
    }
    return 0;
}

#define SIZE_STREAM  UINT64_C(0x73697a6573) /* because names use the same seed */
#define LEAST_MIDDLE .5 /* of the bucket of empty bodies, because weights divide by the middle */

/* The smallest size in a bucket; for s->buckets, the size after the largest one. */
static uint64_t first_of_bucket(const struct sizes *s, uint64_t bucket)
{
    return s->least + mul_div(s->most - s->least + 1, bucket, s->buckets);
}

int sizes_open(struct sizes *s, uint64_t seed, struct err *e)
{
    uint64_t range = s->most - s->least + 1;
    double sum = 0;
    s->seed_key = rng_mix(seed ^ SIZE_STREAM);
    s->buckets = MIN(s->buckets, range);
    if (s->buckets == 0 || range == 1)
        return 0;
    s->up_to = malloc(s->buckets * sizeof *s->up_to);
    if (!s->up_to)
        return err_system(e, ENOMEM, "allocate memory for the buckets of sizes");
    for (uint64_t i = 0; i < s->buckets; i++) {
        double ends = (double)first_of_bucket(s, i) + (double)first_of_bucket(s, i + 1) - 1;
        s->up_to[i] = sum += 1 / fmax(ends / 2, LEAST_MIDDLE);
    }
    for (uint64_t i = 0; i < s->buckets; i++)
        s->up_to[i] /= sum;
    return 0;
}

void sizes_close(struct sizes *s)
{
    free(s->up_to);
    *s = (struct sizes){0};
}

uint64_t sizes_of(const struct sizes *s, uint64_t number)
{
    struct rng rng;
    if (s->least == s->most)
        return s->least;
    rng_init(&rng, s->seed_key, stripe_number(&s->stripe, number));
    if (s->buckets == 0)
        return s->least + rng_below(&rng, s->most - s->least + 1);
    double share = (double)(rng_next(&rng) >> 11) * 0x1p-53;
    uint64_t bucket = 0;
    for (uint64_t last = s->buckets - 1; bucket < last;) {
        uint64_t middle = (bucket + last) / 2;
        if (share < s->up_to[middle])
            last = middle;
        else
            bucket = middle + 1;
    }
    uint64_t first = first_of_bucket(s, bucket);
    return first + rng_below(&rng, first_of_bucket(s, bucket + 1) - first);
}
