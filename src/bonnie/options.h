#ifndef BONNIE_OPTIONS_H
#define BONNIE_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "bonnie/settings.h"
#include "cli/option.h"
#include "util/err.h"
#include "util/units.h"

/* Limits of the numbers on the command line. The texts in options.c and size_spec.c repeat them. */

#define LIMIT_DATA_BYTES  (1024 * TIB)
#define LIMIT_CHUNK_MIN   256
#define LIMIT_CHUNK_MAX   GIB
#define LIMIT_SEEKS       UINT64_C(1000000000000)
#define LIMIT_SEEKERS     65536
#define LIMIT_FILES_K     UINT64_C(1000000000)
#define LIMIT_FILE_BYTES  TIB
#define LIMIT_DIRECTORIES 99999

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

/*
 * GoBonnieGo's command line: its options have a single dash (-dir D, -runs=2, -json), and `-dir` is
 * `--directory`. It also accepts all options of bonnie.
 */

/* Print the texts of -help and -version in that form. */
void go_options_print_help(const struct option_table *plain, FILE *out);
void go_options_print_version(FILE *out);

/* All options of bonnie. They set a struct settings. */
extern const struct option_table option_table;

/*
 * Initialises s, and reads the command line into it. argv and e are as for cli_parse(). Returns 0
 * or -EINVAL.
 */
int options_parse(int argc, char *argv[], struct settings *s, struct err *e);

#endif
