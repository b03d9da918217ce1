#include "bonnie/go_options.h"

#include <string.h>

#include "bonnie/option_setters.h"
#include "bonnie/preset.h"
#include "cli/help.h"
#include "cli/option.h"
#include "cli/parser.h"

/* The program whose command line this is, and the preset that imitates it. */
#define NAME "gobonniego"

bool go_options_are_meant(int argc, char *const argv[])
{
    if (cli_is_called(argc, argv, NAME))
        return true;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--preset=" NAME) == 0 ||
            (strcmp(argv[i], "--preset") == 0 && i + 1 < argc && strcmp(argv[i + 1], NAME) == 0))
            return true;
    return false;
}

/* Stores the value of a Go flag. A flag without a value is true. */
static int take_flag(const char *value, bool *flag, struct err *e)
{
    return value_boolean(flag, value ? value : "true", e);
}

static int set_json_flag(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    bool is_wanted = false;
    int rc = take_flag(value, &is_wanted, e);
    s->format_count = 0;
    return rc == 0 && is_wanted ? set_json(s, NULL, e) : rc;
}

static int set_verbose_flag(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    bool is_wanted = false;
    int rc = take_flag(value, &is_wanted, e);
    s->verbose = is_wanted;
    return rc;
}

/* Changes an option to the form that GoBonnieGo gives it. */
static void adapt_option(struct option_entry *entry)
{
    if (!entry->name)
        return;
    if (strcmp(entry->name, "directory") == 0)
        entry->alias = "dir";
    if (strcmp(entry->name, "json") == 0)
        entry->set = set_json_flag;
    if (strcmp(entry->name, "verbose") == 0) {
        /* with a letter, "-v=true" would be read as -v with the value "=true" */
        entry->letter = 0;
        entry->alias = "v";
        entry->kind = OPTION_CUSTOM;
        entry->set = set_verbose_flag;
        entry->field = 0;
    }
    if (entry->set == set_json_flag || entry->set == set_verbose_flag) {
        entry->value = VALUE_OPTIONAL;
        entry->value_name = "true|false";
    }
}

static struct option_table adapted(const struct option_table *plain,
                                   struct option_entry entries[OPTIONS_MOST])
{
    for (size_t i = 0; i < plain->count; i++) {
        entries[i] = plain->entries[i];
        adapt_option(&entries[i]);
    }
    return (struct option_table){
        .entries = entries,
        .count = plain->count,
        .usage = "Usage: " NAME " [FLAG]...\n"
                 "Measure writing, reading and IOPS of a filesystem. GoBonnieGo's flags are -dir,\n"
                 "-iops-duration, -json, -runs, -seconds, -size, -threads, -v and -version; all\n"
                 "of these are accepted, and any long name may be written with one dash:\n\n",
        .closing = plain->closing,
        .single_dash = true,
    };
}

int go_options_parse(const struct option_table *plain, int argc, char *argv[], struct settings *s,
                     struct err *e)
{
    struct option_entry entries[OPTIONS_MOST];
    struct option_table table = adapted(plain, entries);
    s->has_go_flags = true;
    if (cli_is_called(argc, argv, NAME))
        s->preset = preset_by_name(NAME);
    return cli_parse(&table, argc, argv, s, e);
}

void go_options_print_help(const struct option_table *plain, FILE *out)
{
    struct option_entry entries[OPTIONS_MOST];
    struct option_table table = adapted(plain, entries);
    cli_print_help(&table, out);
}

void go_options_print_version(FILE *out)
{
    fprintf(out, NAME " version %s\n", PACKAGE_VERSION);
}
