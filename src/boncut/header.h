#ifndef BONCUT_HEADER_H
#define BONCUT_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "storage/scratch_names.h"
#include "util/err.h"

/*
 * The first line of the log: everything that `check` has to know besides the promises. It is
 * written when everything that the run begins with is durable.
 */
#define HEADER_TEXT 512
struct header {
    uint64_t seed;
    uint64_t run;
    uint32_t block_bytes;
    uint32_t units; /* number of units of each method, per worker */
    unsigned workers;
    unsigned methods; /* a bit for each method in use */
    char directory[PRIVATE_NAME_SIZE];
    char device[HEADER_TEXT]; /* the kernel's name for it; empty: none, or not known */
    char filesystem[HEADER_TEXT];
    char options[HEADER_TEXT]; /* mount options */
    char boot_id[HEADER_TEXT]; /* empty: not known */
    char kernel[HEADER_TEXT];
    uint64_t mount_id; /* 0: not known */
    int64_t time;      /* seconds since 1970 */
};

/* Limits on a header's numbers: `check` has memory for that many units of a method. */
#define HEADER_WORKERS_MOST 256
#define HEADER_UNITS_MOST   100000
#define HEADER_BLOCK_LEAST  512
#define HEADER_BLOCK_MOST   (1U << 20)

/* Room for the line with its newline. */
#define HEADER_LINE_MOST 16384

/* The number of a method's units that each worker has; they are consecutive. */
uint32_t header_units_of_worker(const struct header *h, unsigned method);
uint32_t header_units(const struct header *h, unsigned method);

/* Fills in the present mount and boot; what cannot be found out stays empty or 0. */
void header_describe_place(struct header *h, int directory_fd);

/* Formats the line. Returns its length with the newline. */
size_t header_format(char text[static HEADER_LINE_MOST], const struct header *h);

/*
 * Reads a line of that length, without its newline. Returns 0, or -EINVAL with a line in e when it
 * is not the header of such a log.
 */
int header_parse(struct header *h, const char *text, size_t length, struct err *e);

#endif
