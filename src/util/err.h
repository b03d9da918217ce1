// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/base.h"

/* The name of the program. Each program defines it in its own folder, and it is written nowhere
 * else. If one executable is several programs, main() sets it before anything else. */
extern const char *program_name;

/* Prints "NAME: TEXT" on standard error, printable, and cut after 1023 bytes: one
 * line, which a terminal gets wrapped. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether a terminal shows the answer of a report, which is a text, and standard error, too. Then
 * the answer is not repeated on standard error. */
bool answer_is_shown(bool is_text);

/* One failure that is reported in one line: what was being done, to what, and the reason. Functions
 * that can fail return 0, or a negative errno, and set the struct err that they get; one that is
 * set stays as it is, because only the first failure is worth reporting. The text is printable.
 * NULL stands for one that nobody reads, where a function only passes it on. */
struct err {
    int code;       /* positive errno; 0: nothing has failed */
    char text[512]; /* the line without its newline */
};

void err_init(struct err *e);

/* Record a failure as "TEXT: REASON", with the system's reason for the errno; or one without an
 * errno as "TEXT", whose code is EINVAL. Return the negative code. */
int err_system(struct err *e, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int err_say(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a failure, if it is one, of cleaning up: "FIRST; FURTHER", as far as there is room. */
void err_append(struct err *e, const struct err *further);
