// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/session.h"
#include "bonwhy/bonwhy.h"
#include "cli/parser.h"
#include "sys/program.h"
#include "tools/tool.h"

/* bonnie and the small programs are one executable, because they share most of their code. The name
 * by which the user calls it says which program it is. */

static const struct {
    const char *name;
    int (*work)(int argc, char *argv[], struct err *e);
} programs[] = {
    {"bonnie", bonnie}, /* also for any other name */
    {"bonwhy", bonwhy},       {"generate_randfile", generate_randfile},
    {"getc_putc", getc_putc}, {"zcav", zcav},
};

int main(int argc, char *argv[])
{
    size_t i = COUNT_OF(programs) - 1;
    while (i > 0 && !cli_is_called(argc, argv, programs[i].name))
        i--;
    program_name = programs[i].name;
    return program_run(argc, argv, PROGRAM_STACK_KIB, programs[i].work);
}
