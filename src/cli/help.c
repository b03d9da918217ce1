// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/parser.h"

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static const char *offer_text(enum option_offer offer, const char *const *words)
{
    static const char *const texts[] = {
        [OFFER_WORDS] = "words", [OFFER_LIST] = "list",
        [OFFER_FILES] = "files", [OFFER_DIRECTORIES] = "directories",
        [OFFER_USERS] = "users", [OFFER_GROUPS] = "groups",
    };
    return offer == OFFER_WORDS && !words ? "" : texts[offer];
}

#define HELP_COLUMN 8

static void print_help(const struct option_table *table, FILE *out)
{
    const char *dashes = option_dashes(table);
    fputs(table->usage, out);
    for (size_t i = 0; i < table->count; i++) {
        const struct option_entry *entry = &table->entries[i];
        if (!entry->help || entry->quirks & OPTION_UNLISTED)
            continue;
        if (entry->group)
            fprintf(out, "\n%s\n", entry->group);
        /* " -s, --size SIZE[:CHUNK...]", with the value as it must be given */
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
        fprintf(out, "\n%*s", HELP_COLUMN, "");
        print_wrapped(out, HELP_COLUMN, option_help(entry).text);
    }
    fputs(table->closing, out);
}

/* Prints the table for programs: CLI_OPTIONS. */
static void print_options(const struct option_table *table, FILE *out)
{
    static const char *const value_names[] = {
        [VALUE_NONE] = "none", [VALUE_REQUIRED] = "required", [VALUE_OPTIONAL] = "optional"};
    fprintf(out, "program\t%s\t%s\t%s\n", program_name, option_dashes(table),
            offer_text(table->operand_offer, NULL));
    for (size_t i = 0; i < table->count; i++) {
        const struct option_entry *entry = &table->entries[i];
        if (!entry->help)
            continue;
        fputs("option\t", out);
        if (entry->letter)
            fputc(entry->letter, out);
        fprintf(out, "\t%s\t%s\t%s\t%s\t", or_empty(entry->name), or_empty(entry->alias),
                entry->kind == OPTION_BOOLEAN ? "boolean" : value_names[entry->value],
                offer_text(entry->offer, entry->words));
        for (const char *const *word = entry->words; word && *word; word++)
            fprintf(out, "%s%s", word == entry->words ? "" : " ", *word);
        fprintf(out, "\t%s\t%s\n", or_empty(entry->value_name), option_help(entry).text);
    }
}

void cli_answer(const struct option_table *table, enum cli_answer answer,
                const struct option_entry *listed, FILE *out)
{
    if (answer == CLI_OPTIONS)
        print_options(table, out);
    else if (answer == CLI_LIST && listed->list)
        listed->list(out);
    else if (answer == CLI_LIST)
        for (const char *const *word = listed->words; *word; word++)
            fprintf(out, "%s\n", *word);
    else if (answer == CLI_VERSION)
        fprintf(out, "%s %s\n", table->version ? table->version : program_name, PACKAGE_VERSION);
    else if (answer == CLI_BRIEF || !table->usage)
        fputs(table->brief, out);
    else
        print_help(table, out);
}
