// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdint.h>

/*
 * Durations and sizes as programs written in Go read and print them. Nothing is guessed: no blanks,
 * no trailing characters. The parsers return 0, -EINVAL (no such value) or -ERANGE (it does not
 * fit), and leave the value alone when they fail.
 */

/* Room for a formatted duration, with its NUL. */
#define GO_UNITS_TEXT 40

/*
 * Parses a duration into nanoseconds: numbers with or without a fraction, each with a unit ns, us
 * (or µs), ms, s, m or h, one after another ("300ms", "1m30s", "1.5s"), or just 0. No sign.
 */
int go_parse_duration(const char *text, uint64_t *nanoseconds);

/*
 * Parses a size into bytes: a number with or without a fraction, and a unit in upper or lower case.
 * B, KB, MB, GB, TB, PB, EB or their first letters are powers of 1000; KiB, MiB ... (or Ki, Mi ...)
 * are powers of 1024; a number without a unit is in bytes. A fraction of a byte is dropped.
 */
int go_parse_size(const char *text, uint64_t *bytes);

/* Parses 1, t, T, true, TRUE, True, 0, f, F, false, FALSE, False. Returns 0 or -EINVAL. */
int go_parse_bool(const char *text, _Bool *value);

/*
 * Formats a duration in the largest unit below it: "537.25µs", "1.353748ms", "1m30s", "0s". The
 * text is returned by value, so go_duration(ns).text can be an argument of printf().
 */
struct go_text {
    char text[GO_UNITS_TEXT];
};
struct go_text go_duration(uint64_t nanoseconds);
