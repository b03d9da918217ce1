// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdio.h>

#include "bonnie/settings.h"
#include "cli/option.h"
#include "util/err.h"
#include "util/units.h"

/* Limits of the sizes and numbers in -s and -n. The texts in options.c repeat them. */
#define LIMIT_DATA_BYTES  (1024 * TIB)
#define LIMIT_CHUNK_MIN   256
#define LIMIT_CHUNK_MAX   GIB
#define LIMIT_SEEKS       UINT64_C(1000000000000)
#define LIMIT_SEEKERS     65536
#define LIMIT_FILES_K     UINT64_C(1000000000)
#define LIMIT_FILE_BYTES  TIB
#define LIMIT_DIRECTORIES 99999

/*
 * Initialises s, and reads the command line into it. argv, `out`, the result and e are as for
 * cli_parse(). GoBonnieGo's command line has help of its own: its options have a single dash (-dir
 * D, -runs=2, -json), beside all options of bonnie.
 */
int options_parse(int argc, char *argv[], struct settings *s, FILE *out, struct err *e);
