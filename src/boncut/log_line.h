#ifndef BONCUT_LOG_LINE_H
#define BONCUT_LOG_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One line of the log: "METHOD UNIT VERSION TIME CHECKSUM
 * ". The numbers are decimal, the time is in microseconds since the run began, and the checksum has
 * eight hexadecimal digits. The checksum covers the text before its blank and the run's number, so
 * `check` counts a line of another run as damaged.
 *
 * A `!` before the method says that a call failed while it gave the unit this version. The control
 * groups number their writes: the version is the number of writes that have returned, and the unit
 * is the number of those that a syncfs may have made durable (0 for `drive`).
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

/* Formats the line, without a NUL at its end. Returns the length with the newline. */
size_t log_line_format(char text[static LOG_LINE_MOST], const struct log_line *line, uint64_t run);

/*
 * Reads a line of `length` bytes without its newline. Returns false when the text is not a line of
 * this run.
 */
bool log_line_parse(struct log_line *line, const char *text, size_t length, uint64_t run);

/*
 * Appends a blank and the checksum of the text; the buffer must have room for LOG_CHECKSUM_LENGTH
 * more bytes. Returns the new length.
 */
size_t log_checksum_append(char *text, size_t length, uint64_t key);

/*
 * Whether the text ends in its checksum. If so, *length becomes the length of the text before the
 * blank and the checksum.
 */
bool log_checksum_is_right(const char *text, size_t *length, uint64_t key);

#endif
