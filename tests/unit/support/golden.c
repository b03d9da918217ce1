// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"

char *golden_text(const char *name)
{
    const char *top = getenv("BONNIE_TEST_SRCDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/golden/report/%s", top ? top : ".", name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("cannot open %s: %s", path, strerror(errno));
    char *text = NULL;
    size_t room = 0;
    if (getdelim(&text, &room, '\0', file) < 0)
        fail_msg("cannot read %s", path);
    fclose(file);
    return text;
}
