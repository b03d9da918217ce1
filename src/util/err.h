#ifndef UTIL_ERR_H
#define UTIL_ERR_H

/*
 * One failure, reported in one line: what was being done, to what, and the reason.
 *
 * Functions that can fail return 0 or a negative errno and fill the struct err they were handed.
 * Only the first failure is worth reporting: a struct err that is already set is left alone.
 * Control characters in the text are shown as `?`, so that it stays one line whatever it names.
 */
struct err {
    int code;       /* positive errno, 0 while nothing has failed */
    char text[512]; /* the line, without newline */
};

/* Clears e. */
void err_init(struct err *e);

/*
 * Records a failure as "TEXT: REASON", where REASON is the system's description of the errno code.
 * Returns -code, and leaves e alone if it is already set.
 */
int err_system(struct err *e, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Records a failure that has no errno code (wrong use, a violated assumption) as "TEXT", with the
 * code EINVAL. Returns -EINVAL.
 */
int err_say(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Adds a failure that came of cleaning up after the first: "FIRST; FURTHER", as far as there is
 * room. Does nothing if `further` is not set, and copies it if e is not.
 */
void err_append(struct err *e, const struct err *further);

#endif
