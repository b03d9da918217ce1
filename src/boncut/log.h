// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "boncut/methods/method.h"
#include "storage/scratch.h"

/* One line of the log: "METHOD UNIT VERSION TIME CHECKSUM" and a newline. The numbers are decimal,
 * the time is in microseconds since the run began, and the checksum has eight hexadecimal digits.
 * The checksum covers the text before its blank and the run's number, so `check` counts a line of
 * another run as damaged.
 *
 * A `!` before the method says that a call failed while it gave the unit this version. The
 * canaries number their writes: the version is the number of writes that have returned, and the
 * unit is the number of those that a syncfs may have made durable (0 for `drive`). */
struct log_line {
    unsigned method; /* index in the table of methods */
    bool is_failure;
    uint32_t unit;
    uint64_t version;
    uint64_t time_us;
};

/* Formats the line. Returns the length with the newline. */
#define MAX_LOG_LINE 96
size_t log_line_format(char text[static MAX_LOG_LINE], const struct log_line *line, uint64_t run);

/* Reads a line, without its newline. What a console has put before it, and blanks or carriage
 * returns at its end, are left out: the checksum decides. false: it is no line of this run. */
bool log_line_parse(struct log_line *line, const char *text, size_t length, uint64_t run);

/* Stores a blank and the checksum of the text, with eight digits, and a NUL. */
#define LOG_CHECKSUM_LENGTH 9
void log_checksum_put(char to[static LOG_CHECKSUM_LENGTH + 1], const char *text, size_t length,
                      uint64_t key);

/* Writes of all powers of two between these sizes are promised whole. */
struct whole_sizes {
    uint32_t least; /* in bytes; 0: nothing is promised whole */
    uint32_t most;
};

/* The first line of the log: everything that `check` must know besides the promises. `boncut write`
 * prints it when all files of the run have become durable. */
#define HEADER_TEXT 512
struct header {
    uint64_t seed;
    uint64_t run;
    uint32_t block_bytes;
    uint32_t units; /* number of units that each worker has for each method */
    unsigned workers;
    unsigned methods; /* a bit for each method in use */
    char directory[PRIVATE_NAME_SIZE];
    char device[HEADER_TEXT]; /* the kernel's name for the device; empty: none, or not known */
    char filesystem[HEADER_TEXT];
    char options[HEADER_TEXT]; /* mount options */
    char boot_id[HEADER_TEXT]; /* empty: not known */
    char kernel[HEADER_TEXT];
    uint64_t mount_id;          /* never used twice within one boot; 0: not known */
    int64_t time;               /* seconds since 1970 */
    char uuid[HEADER_TEXT];     /* UUID of the filesystem; empty: not known */
    char parent[HEADER_TEXT];   /* what identifies the user's directory within the filesystem, after
                                   a power cut, too; empty: not known */
    uint64_t superblock;        /* differs whenever the filesystem is mounted anew; 0: not known */
    struct whole_sizes whole;   /* of the writes of `atomic` and `plain` */
    uint32_t drive_is_in_place; /* 1: a direct overwrite that was not flushed reaches the device, at
                               the place where the file's data was before */
};

/* Limits on the numbers in a header, because `check` allocates memory for so many units. */
#define MAX_HEADER_WORKERS 256
#define MAX_HEADER_UNITS   100000
#define HEADER_BLOCK_LEAST 512
#define MAX_HEADER_BLOCK   (1U << 20)

/* Fills in filesystem, mount and boot of the user's directory. What is unknown stays empty or 0. */
void header_describe_place(struct header *h, int directory_fd);

/* Formats the header as a line. Returns the length with the newline. */
#define MAX_HEADER_LINE 16384
size_t header_format(char text[static MAX_HEADER_LINE], const struct header *h);

/* Reads the header from a line of `length` bytes without its newline, as log_line_parse() does.
 * Returns 0, or -EINVAL with a line in e when that is not the header of a log. For a line that has
 * nothing of a header, the reason that is in e already stays. */
int header_parse(struct header *h, const char *text, size_t length, struct err *e);

/* The last promise about a unit. The versions of a unit only grow. */
struct promise {
    uint64_t version; /* 0: nothing was promised */
    uint64_t time_us;
    uint64_t failed; /* the last version that a call failed to give it; if that is later than the
                        promised one, the sectors may hold anything */
};

/* All promises of a log. Its memory depends on the number of units, not on that of promises. */
struct ledger {
    struct header header;
    struct promise *units[METHODS]; /* the units of each method; NULL: not in use */
    uint64_t promises[METHODS];     /* promises of each method; for canaries, writes */
    uint64_t promised;              /* number of all promises, without such writes */
    uint64_t last_us;               /* time of the latest line, in microseconds */
    uint64_t lines;                 /* number of lines without the header */
    uint64_t damaged;               /* number of lines ignored because of a wrong checksum */
    uint64_t repeated;              /* number of lines that add nothing to earlier ones */
    bool unfinished;                /* the last line has no newline, and was ignored */
    uint64_t cached_from;           /* writes of `cached` up to this number may be durable */
};

/* Reads a log to its end, in one pass. After the header, lines may be missing, damaged, repeated
 * and in any order: then the ledger claims less. Returns 0, or a negative errno with a line in e
 * when the input is not a log, or contains logs of several runs. */
int ledger_read(struct ledger *l, int fd, struct err *e);
void ledger_release(struct ledger *l);
