#ifndef BONLOAD_GOADER_H
#define BONLOAD_GOADER_H

#include "bonload/plan/settings.h"
#include "util/err.h"

/*
 * Under the name goader the program does what goader does, where that does no harm, so that
 * existing command lines keep working. bonload(1) lists the differences that remain.
 */

/* Moves USER:PASSWORD@ from the URL in argv to settings->credentials. Returns 0 or -EINVAL. */
int goader_take_credentials(struct settings *s, struct err *e);

/*
 * Reports an option without effect and returns 0 when called as goader; otherwise returns rc with a
 * line in e.
 */
int goader_passes(const struct settings *s, int rc, struct err *e);

#endif
