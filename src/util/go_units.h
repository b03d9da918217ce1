#ifndef UTIL_GO_UNITS_H
#define UTIL_GO_UNITS_H

#include <stdint.h>

/*
 * Durations and sizes as programs written in Go read and print them. Nothing is guessed: no blanks,
 * no trailing characters. The parsers return 0, -EINVAL (not such a value) or -ERANGE (one that
 * does not fit), and leave the value alone when they fail.
 */

/* Room for any text that a formatter below makes, with its terminating NUL. */
#define GO_UNITS_TEXT 40

/*
 * A duration in nanoseconds: numbers with or without a fraction, each with a unit ns, us (also µs),
 * ms, s, m or h, one after the other ("300ms", "1m30s", "1.5s"), or a bare 0. No sign.
 */
int go_parse_duration(const char *text, uint64_t *nanoseconds);

/*
 * A size in bytes: a number with or without a fraction, and a unit: B, KB, MB, GB, TB, PB, EB or
 * their first letters are powers of 1000, KiB, MiB ... (or Ki, Mi ...) powers of 1024, in upper or
 * lower case; a number without a unit counts bytes. A fraction of a byte is dropped.
 */
int go_parse_size(const char *text, uint64_t *bytes);

/* Yes or no: 1, t, T, true, TRUE, True, 0, f, F, false, FALSE, False. Returns 0 or -EINVAL. */
int go_parse_bool(const char *text, _Bool *value);

/* A duration in the largest unit below it: "537.25µs", "1.353748ms", "1m30s", "0s". */
void go_format_duration(char text[static GO_UNITS_TEXT], uint64_t nanoseconds);

#endif
