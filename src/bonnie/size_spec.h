#ifndef BONNIE_SIZE_SPEC_H
#define BONNIE_SIZE_SPEC_H

#include "bonnie/settings.h"
#include "util/err.h"

/*
 * Two options that consist of fields separated by colons. An empty field keeps its default. Both
 * functions return 0, or -EINVAL with a line in e that says what is accepted.
 */

/*
 * Parses -s SIZE[:CHUNK[:SEEKS[:SEEKERS]]]. Without a suffix SIZE is in the preset's units, and
 * CHUNK in bytes.
 */
int size_spec_data(struct settings *s, const char *text, struct err *e);

/*
 * Parses -n NUM[:MAX[:MIN[:DIRS[:CHUNK]]]]. NUM is in units of 1024 files; a MAX of -1 or -2 asks
 * for links.
 */
int size_spec_files(struct settings *s, const char *text, struct err *e);

#endif
