#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "util/message.h"

#define LAST_COLUMN 80
#define HELP_COLUMN 8

/* Prints " -s, --size SIZE[:CHUNK...]", with the value as it must be given. */
static void print_form(FILE *out, const char *dashes, const struct option_entry *entry)
{
    fputs("  ", out);
    if (entry->letter)
        fprintf(out, "-%c%s", entry->letter, entry->name ? ", " : "");
    if (entry->name)
        fprintf(out, "%s%s", dashes, entry->name);
    if (entry->alias)
        fprintf(out, ", %s%s", dashes, entry->alias);
    if (entry->value == VALUE_REQUIRED)
        fprintf(out, " %s", entry->value_name);
    if (entry->value == VALUE_OPTIONAL)
        fprintf(out, "[%s%s]", entry->name ? "=" : "", entry->value_name);
    fputc('\n', out);
}

/* Prints a text, indented and with lines broken at blanks. */
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

void cli_print_help(const struct option_table *table, FILE *out)
{
    fputs(table->usage, out);
    for (size_t i = 0; i < table->count; i++) {
        if (!table->entries[i].help)
            continue;
        if (table->entries[i].group)
            fprintf(out, "\n%s\n", table->entries[i].group);
        print_form(out, table->dashes ? table->dashes : "--", &table->entries[i]);
        print_text(out, table->entries[i].help);
    }
    fputs(table->closing, out);
}

void cli_print_version(FILE *out)
{
    fprintf(out, "%s %s\n", program_name, PACKAGE_VERSION);
}
