#ifndef BONLOAD_PROFILES_OWN_H
#define BONLOAD_PROFILES_OWN_H

#include "bonload/profiles/profile.h"
#include "util/err.h"

/*
 * Parses a user's own profile: a text with a line for each property, which bonload(1) describes.
 * Changes the text. The profile points into it, so it must outlive the profile.
 *
 * Returns 0, or a negative errno with a line in e that gives the number of the wrong line, and what
 * is accepted there.
 */
int profile_parse(struct profile *p, char *text, struct err *e);

/*
 * Reads a profile from a file. The caller frees *text when it no longer uses the profile. Returns
 * 0, or a negative errno with a line in e.
 */
int profile_read(struct profile *p, const char *path, char **text, struct err *e);

#endif
