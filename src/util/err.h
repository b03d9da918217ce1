// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

/*
 * The name of the program. Each program defines it in its own folder, and it is written nowhere
 * else. If one executable is several programs, main() sets it before anything else.
 */
extern const char *program_name;

/*
 * Prints one line on standard error: "NAME: TEXT" and a newline. Shows control characters as `?`,
 * and cuts what is longer than 1023 bytes.
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * One failure that is reported in one line: what was being done, to what, and the reason.
 *
 * Functions that can fail return 0, or a negative errno, and set the struct err that they get. Only
 * the first failure is worth reporting, so a struct err that is already set stays as it is. Control
 * characters in the text are shown as `?`, so that it stays one line whatever it names.
 */
struct err {
    int code;       /* positive errno; 0: nothing has failed */
    char text[512]; /* the line without its newline */
};

void err_init(struct err *e);

/*
 * Records a failure as "TEXT: REASON", where REASON is the system's description of the errno
 * `code`. Returns -code. Leaves e alone if it is already set.
 */
int err_system(struct err *e, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Records a failure without an errno (wrong use, a violated assumption) as "TEXT". Its code is
 * EINVAL. Returns -EINVAL.
 */
int err_say(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Adds a failure of cleaning up after the first one: "FIRST; FURTHER", as far as there is room.
 * Does nothing if `further` is not set; copies it if e is not set.
 */
void err_append(struct err *e, const struct err *further);
