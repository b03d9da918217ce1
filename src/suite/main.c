// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "bonnie/program.h"
#include "sys/program.h"
#include "tools/tool.h"
#include "util/err.h"

/*
 * bonnie and the small programs are one executable, because they share most of their code. The name
 * by which the user calls it says which program it is.
 */

static const struct {
    const char *name;
    int (*work)(int argc, char *argv[], struct err *e);
} programs[] = {
    {"bonnie", bonnie}, /* also for any other name */
    {"generate_randfile", generate_randfile},
    {"getc_putc", getc_putc},
    {"zcav", zcav},
};

static size_t index_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strcmp(name, programs[i].name) == 0)
            return i;
    return 0;
}

int main(int argc, char *argv[])
{
    size_t i = argc > 0 ? index_of(argv[0]) : 0;
    program_name = programs[i].name;
    return program_run(argc, argv, programs[i].work);
}
