#ifndef BONLOAD_PROFILES_OWN_H
#define BONLOAD_PROFILES_OWN_H

#include "bonload/profiles/profile.h"
#include "util/err.h"

/*
 * Parses a user's own profile: a text with a line for each property, which bonload(1) describes.
 * The profile points into `text`, which is changed, and has to outlive it.
 *
 * Fills *p and returns 0, or a negative errno with a line in e, which names the number of the
 * text's line and what is accepted there.
 */
int profile_parse(struct profile *p, char *text, struct err *e);

/* Reads a profile from a file; *text is to be freed when the profile is no longer used. */
int profile_read(struct profile *p, const char *path, char **text, struct err *e);

#endif
