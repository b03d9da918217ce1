#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "engines/engine.h"

#define LAST_COLUMN 80
#define HELP_COLUMN 8

/* "  -s, --size SIZE[:CHUNK...]", with the value written as it must be. */
static void print_form(FILE *out, const struct option_entry *entry)
{
    fputs("  ", out);
    if (entry->letter)
        fprintf(out, "-%c%s", entry->letter, entry->name ? ", " : "");
    if (entry->name)
        fprintf(out, "--%s", entry->name);
    if (entry->alias)
        fprintf(out, ", --%s", entry->alias);
    if (entry->value == VALUE_REQUIRED)
        fprintf(out, " %s", entry->value_name);
    if (entry->value == VALUE_OPTIONAL)
        fprintf(out, "[%s%s]", entry->name ? "=" : "", entry->value_name);
    putc('\n', out);
}

/* The text, indented and broken at blanks. */
static void print_text(FILE *out, const char *text)
{
    while (*text) {
        size_t room = LAST_COLUMN - HELP_COLUMN;
        size_t length = strlen(text);
        if (length > room) {
            length = room;
            while (text[length] != ' ')
                length--;
        }
        fprintf(out, "%*s%.*s\n", HELP_COLUMN, "", (int)length, text);
        text += length;
        text += strspn(text, " ");
    }
}

void cli_print_help(FILE *out)
{
    fputs("Usage: bonnie [OPTION]...\n"
          "Measure the speed of storage through a filesystem.\n\n",
          out);
    for (size_t i = 0; i < option_count; i++) {
        if (!option_table[i].help)
            continue;
        print_form(out, &option_table[i]);
        print_text(out, option_table[i].help);
    }
    fputs("\nSizes take a suffix k, m, g or t (powers of 1024). The manual is bonnie(8).\n", out);
}

void cli_print_engines(FILE *out)
{
    for (const struct engine_ops *const *engine = engine_table; *engine; engine++) {
        struct err reason;
        err_init(&reason);
        bool works = (*engine)->available(&reason) == 0;
        fprintf(out, "%-9s %s\n", (*engine)->name, (*engine)->summary);
        if (!works)
            fprintf(out, "%-9s cannot be used here: %s\n", "", reason.text);
    }
}

void cli_print_version(FILE *out)
{
    fputs("bonnie " PACKAGE_VERSION "\n", out);
}
