#ifndef BONCUT_LOG_LINE_H
#define BONCUT_LOG_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One line of the log: "METHOD UNIT VERSION TIME CHECKSUM\n", numbers in decimal, the time in
 * microseconds since the run began, and the checksum in eight hexadecimal digits. It covers
 * everything before its blank and the number of the run, so that a line of another run counts as
 * damaged.
 *
 * A `!` before the method says that a call failed while the unit was given this version. The
 * control groups number their writes: the version is how many have returned, the unit is 0.
 */
struct log_line {
    unsigned method; /* index in the table of methods */
    bool is_failure;
    uint32_t unit;
    uint64_t version;
    uint64_t time_us;
};

/* Room for a line with its newline. */
#define LOG_LINE_MOST 96

/* Eight digits and a blank. */
#define LOG_CHECKSUM_LENGTH 9

/* Formats the line without a NUL at its end. Returns its length with the newline. */
size_t log_line_format(char text[static LOG_LINE_MOST], const struct log_line *line, uint64_t run);

/*
 * Reads a line of that length, without its newline. Returns false when it is not a line of this
 * run.
 */
bool log_line_parse(struct log_line *line, const char *text, size_t length, uint64_t run);

/*
 * Appends a blank and the checksum of the text, for which there must be room. Returns the new
 * length.
 */
size_t log_checksum_append(char *text, size_t length, uint64_t key);

/* Whether the text ends in its checksum; *length becomes the length of the text before that. */
bool log_checksum_is_right(const char *text, size_t *length, uint64_t key);

#endif
