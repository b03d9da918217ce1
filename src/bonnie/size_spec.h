#ifndef BONNIE_SIZE_SPEC_H
#define BONNIE_SIZE_SPEC_H

#include "bonnie/settings.h"
#include "util/err.h"

/*
 * The two options with a grammar of their own. Fields are separated by colons; an empty field
 * keeps its default. Both return 0, or -EINVAL with what is accepted in e.
 */

/* -s SIZE[:CHUNK[:SEEKS[:SEEKERS]]]; without a suffix SIZE counts the preset's units, and
 * CHUNK bytes. */
int size_spec_data(struct settings *s, const char *text, struct err *e);

/* -n NUM[:MAX[:MIN[:DIRS[:CHUNK]]]]; NUM counts 1024 files; MAX -1 and -2 ask for links. */
int size_spec_files(struct settings *s, const char *text, struct err *e);

#endif
