#include "cli/option_list.h"

#include "util/message.h"

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static const char *value_text(const struct option_entry *entry)
{
    static const char *const texts[] = {
        [VALUE_NONE] = "none", [VALUE_REQUIRED] = "required", [VALUE_OPTIONAL] = "optional"};
    return entry->kind == OPTION_BOOLEAN ? "boolean" : texts[entry->value];
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

static void print_words(const char *const *words, FILE *out)
{
    for (const char *const *word = words; word && *word; word++)
        fprintf(out, "%s%s", word == words ? "" : " ", *word);
}

static void print_option(const struct option_entry *entry, FILE *out)
{
    fputs("option\t", out);
    if (entry->letter)
        fputc(entry->letter, out);
    fprintf(out, "\t%s\t%s\t%s\t%s\t", or_empty(entry->name), or_empty(entry->alias),
            value_text(entry), offer_text(entry->offer, entry->words));
    print_words(entry->words, out);
    fprintf(out, "\t%s\t%s\n", or_empty(entry->value_name), entry->help);
}

void cli_print_options(const struct option_table *table, FILE *out)
{
    fprintf(out, "program\t%s\t%s\t%s\n", program_name, table->dashes ? table->dashes : "--",
            offer_text(table->operand_offer, NULL));
    for (size_t i = 0; i < table->count; i++)
        if (table->entries[i].help)
            print_option(&table->entries[i], out);
}
