// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdint.h>

/* Room for a formatted duration, with its NUL. */
#define GO_UNITS_TEXT 40

/*
 * Formats a duration in the largest unit below it: "537.25µs", "1.353748ms", "1m30s", "0s". The
 * text is returned by value, so go_duration(ns).text can be an argument of printf().
 */
struct go_text {
    char text[GO_UNITS_TEXT];
};
struct go_text go_duration(uint64_t nanoseconds);
