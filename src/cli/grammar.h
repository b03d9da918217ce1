#ifndef BONNIE_CLI_GRAMMAR_H
#define BONNIE_CLI_GRAMMAR_H

#include "cli/settings.h"
#include "util/err.h"

/*
 * The two options with a grammar of their own. Fields are separated by colons; an empty field
 * keeps its default. Both return 0, or -EINVAL with what is accepted in e.
 */

/* -s SIZE[:CHUNK[:SEEKS[:SEEKERS]]]; without a suffix SIZE counts the preset's units, and
 * CHUNK bytes. */
int grammar_size(struct settings *s, const char *text, struct err *e);

/* -n NUM[:MAX[:MIN[:DIRS[:CHUNK]]]]; NUM counts 1024 files; MAX -1 and -2 ask for links. */
int grammar_files(struct settings *s, const char *text, struct err *e);

#endif
