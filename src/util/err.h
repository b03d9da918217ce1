#ifndef UTIL_ERR_H
#define UTIL_ERR_H

/*
 * One failure, told in one line: what was being done, to what, and the reason.
 *
 * Functions that can fail return 0 or a negative errno and fill the struct err they were handed.
 * The first failure is the one worth telling: a struct err that is already set is left alone.
 * Control characters in the text are shown as `?`, so that it is one line whatever is named in it.
 */
struct err {
    int code;       /* positive errno, 0 while nothing has failed */
    char text[512]; /* the line, without newline */
};

/* Clears e. */
void err_init(struct err *e);

/*
 * Records a failure as "TEXT: REASON", REASON being the system's word for the errno code.
 * Returns -code. Does nothing but return -code when e is already set.
 */
int err_system(struct err *e, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Records a failure that the system has no word for (wrong use, a broken promise), as "TEXT".
 * The code is EINVAL. Returns -EINVAL.
 */
int err_say(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
