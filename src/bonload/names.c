#include "bonload/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/rng.h"

/* A number has 20 digits at most: 10^length does not fit any more, and no number is cut off. */
#define MOST_DIGITS 19

/* Two random names are taken to be different when there are more than numbers x 2^20 of them. */
#define RANDOM_ROOM 20

static bool is_wildcard(const char *at)
{
    return (*at == 'X' || *at == 'N' || *at == 'R') && at[1] == *at;
}

/* The part that begins at `at`. */
static struct name_part part_at(const char *at)
{
    struct name_part part = {.kind = NAME_LITERAL, .text = at};
    if (is_wildcard(at)) {
        part.kind = *at == 'X' ? NAME_NUMBER : *at == 'N' ? NAME_DIGITS : NAME_LETTERS;
        while (at[part.length] == *at)
            part.length++;
    } else {
        while (at[part.length] && !is_wildcard(at + part.length))
            part.length++;
    }
    return part;
}

static size_t count_parts(const char *template)
{
    size_t count = 0;
    for (; *template; count++)
        template += part_at(template).length;
    return count;
}

static int open_template(struct names *n, const char *template, struct err *e)
{
    n->parts = calloc(count_parts(template) + 1, sizeof *n->parts);
    if (!n->parts)
        return err_system(e, ENOMEM, "memory for the template");
    n->longest = strlen(template);
    for (; *template; n->part_count++) {
        n->parts[n->part_count] = part_at(template);
        template += n->parts[n->part_count].length;
    }
    return 0;
}

/* Reads the whole file, and puts a NUL behind it. */
static int read_file(struct names *n, const char *path, size_t *length, struct err *e)
{
    size_t room = 0;
    FILE *in = fopen(path, "re");
    if (!in)
        return err_system(e, errno, "open %s", path);
    *length = 0;
    int rc = 0;
    do {
        if (room - *length < 2) {
            room = 2 * room + 65536;
            char *more = realloc(n->lines, room);
            if (!more) {
                rc = err_system(e, ENOMEM, "memory for the names in %s", path);
                break;
            }
            n->lines = more;
        }
        *length += fread(n->lines + *length, 1, room - *length - 1, in);
    } while (!feof(in) && !ferror(in));
    if (rc == 0 && ferror(in))
        rc = err_system(e, errno, "read %s", path);
    if (rc == 0)
        n->lines[*length] = '\0';
    fclose(in);
    return rc;
}

static uint64_t count_lines(const char *text, size_t length)
{
    uint64_t lines = 1;
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    return lines;
}

/* Finds the lines that have text, and ends each with a NUL. */
static void split_lines(struct names *n, size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t line = strcspn(n->lines + at, "\n");
        size_t next = at + line + 1;
        n->lines[at + line] = '\0';
        if (line > 0 && n->lines[at + line - 1] == '\r')
            n->lines[at + --line] = '\0';
        if (line > 0)
            n->starts[n->line_count++] = at;
        if (line > n->longest)
            n->longest = line;
        at = next;
    }
}

static int open_file(struct names *n, const char *path, struct err *e)
{
    size_t length = 0;
    int rc = read_file(n, path, &length, e);
    if (rc != 0)
        return rc;
    if (strlen(n->lines) != length)
        return err_say(e, "%s contains a NUL byte, but a file of names must be text", path);
    n->starts = malloc(count_lines(n->lines, length) * sizeof *n->starts);
    if (!n->starts)
        return err_system(e, ENOMEM, "memory for the names in %s", path);
    split_lines(n, length);
    return n->line_count > 0 ? 0 : err_say(e, "%s contains no name", path);
}

int names_open(struct names *n, const char *template, const char *file, uint64_t seed,
               struct err *e)
{
    *n = (struct names){.seed_key = rng_mix(seed)};
    int rc = template ? open_template(n, template, e) : open_file(n, file, e);
    if (rc != 0)
        names_close(n);
    return rc;
}

void names_close(struct names *n)
{
    free(n->parts);
    free(n->lines);
    free(n->starts);
    *n = (struct names){0};
}

/* The number's last digits, zero-padded. */
static void put_number(char *to, size_t length, uint64_t number)
{
    while (length-- > 0) {
        to[length] = (char)('0' + number % 10);
        number /= 10;
    }
}

static void put_random(char *to, const struct name_part *part, struct rng *rng)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (size_t i = 0; i < part->length; i++)
        to[i] = part->kind == NAME_DIGITS ? (char)('0' + rng_below(rng, 10))
                                          : letters[rng_below(rng, sizeof letters - 1)];
}

/* The number among those of all ranks. */
static uint64_t number_of_all(const struct names *n, uint64_t number)
{
    return stripe_number(&n->stripe, n->own > 0 ? (number - 1) % n->own + 1 : number);
}

size_t names_format(const struct names *n, uint64_t own_number, char *name)
{
    struct rng rng;
    bool has_rng = false;
    char *to = name;
    uint64_t number = number_of_all(n, own_number);
    if (n->lines) {
        const char *line = n->lines + n->starts[(number - 1) % n->line_count];
        size_t length = strlen(line);
        memcpy(name, line, length + 1);
        return length;
    }
    for (size_t i = 0; i < n->part_count; i++) {
        const struct name_part *part = &n->parts[i];
        if (part->kind == NAME_LITERAL) {
            memcpy(to, part->text, part->length);
        } else if (part->kind == NAME_NUMBER) {
            put_number(to, part->length, number);
        } else {
            if (!has_rng)
                rng_init(&rng, n->seed_key, number);
            has_rng = true;
            put_random(to, part, &rng);
        }
        to += part->length;
    }
    *to = '\0';
    return (size_t)(to - name);
}

static uint64_t power_of_ten(size_t digits)
{
    uint64_t power = 1;
    if (digits > MOST_DIGITS)
        return UINT64_MAX;
    while (digits-- > 0)
        power *= 10;
    return power;
}

uint64_t names_period(const struct names *n)
{
    uint64_t period = 1;
    if (n->own > 0)
        return n->own;
    if (n->lines)
        return n->line_count;
    for (size_t i = 0; i < n->part_count; i++) {
        if (n->parts[i].kind == NAME_DIGITS || n->parts[i].kind == NAME_LETTERS)
            return 0;
        if (n->parts[i].kind == NAME_NUMBER && power_of_ten(n->parts[i].length) > period)
            period = power_of_ten(n->parts[i].length);
    }
    return period;
}

bool names_deal(struct names *n, const struct stripe *stripe)
{
    uint64_t ranks = (uint64_t)stripe->others + 1;
    uint64_t period = names_period(n);
    if (ranks == 1)
        return true;
    n->stripe = *stripe;
    if (period > 0)
        n->own = period < ranks ? 1 : period / ranks; /* the same number for all; some are left */
    return period == 0 || period >= ranks;
}

/* How many bits the random parts and the number of a template have at least. */
static unsigned random_bits(const struct names *n)
{
    unsigned bits = 0;
    for (size_t i = 0; i < n->part_count; i++) {
        unsigned of_one = n->parts[i].kind == NAME_DIGITS    ? 3
                          : n->parts[i].kind == NAME_LETTERS ? 5
                                                             : 0;
        bits += of_one * (unsigned)(n->parts[i].length < 64 ? n->parts[i].length : 64);
    }
    return bits;
}

bool names_are_unique(const struct names *n, uint64_t last)
{
    uint64_t period = names_period(n);
    if (n->lines)
        return false; /* a line may be there twice */
    if (period > 0)
        return last <= period;
    uint64_t all = last < UINT64_MAX / 2 ? last * ((uint64_t)n->stripe.others + 1) : last;
    unsigned bits = last > 1 ? 2 * (64 - (unsigned)__builtin_clzll(all)) : 0;
    return random_bits(n) >= bits + RANDOM_ROOM;
}

bool name_is_url(const char *name)
{
    return strncasecmp(name, "http://", 7) == 0 || strncasecmp(name, "https://", 8) == 0;
}
