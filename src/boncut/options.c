// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/options.h"

#include "boncut/log.h"
#include "cli/parser.h"
#include "cli/rows.h"
#include "util/rng.h"

#define FIELD(name) offsetof(struct settings, name)
#define COMMAND(option, member)                                                                    \
    VALUE(option, "COMMAND", OPTION_TEXT, member), .accepted = "a command", .owners = OF_CAMPAIGN

static const char *const command_words[COMMANDS + 1] = {"",         "write",       "check", "audit",
                                                        "campaign", "fs-shutdown", NULL};

/* The bits in `owners`: the commands, in their order. */
enum { OF_WRITE = 1, OF_CHECK = 2, OF_AUDIT = 4, OF_CAMPAIGN = 8, OF_FS_SHUTDOWN = 16 };

static bool take_method(void *settings, char *word)
{
    struct settings *s = settings;
    unsigned method;
    if (!method_find(word, &method) || !method_promises(method))
        return false;
    s->methods |= 1U << method;
    return true;
}

static int set_methods(void *settings, const char *value, struct err *e)
{
    struct settings *s = settings;
    s->methods = 0;
    return value_list(s, value, take_method, NULL, e);
}

/* Parses a duration, or two with ".." between them. */
static int set_after(void *settings, const char *value, struct err *e)
{
    static const char accepted[] = "MIN..MAX, durations such as 5s and 30s";
    struct settings *s = settings;
    char least[UNITS_TEXT];
    const char *dots = strstr(value, "..");
    int length = snprintf(least, sizeof least, "%.*s", dots ? (int)(dots - value) : -1, value);
    int rc = value_duration(&s->after_least_ns, least, 0, accepted, e);
    if (rc == 0)
        rc = value_duration(&s->after_most_ns, dots ? dots + 2 : least, 0, accepted, e);
    if (length >= (int)sizeof least || s->after_least_ns.value > s->after_most_ns.value)
        rc = err_say(e, "%s", accepted);
    return rc;
}

static int take_operand(void *settings, const char *word, struct err *e)
{
    struct settings *s = settings;
    int command = value_word(word, command_words);
    if (s->command == COMMAND_NONE && !s->directory && command > COMMAND_NONE) {
        s->command = command;
        return 0;
    }
    const char *near = s->command == COMMAND_NONE ? cli_nearest(command_words + 1, word) : NULL;
    if (near && s->directory == NULL)
        return err_say(e, "unknown command '%.100s'; did you mean %s?", word, near);
    if (*word == '\0' || s->directory)
        return err_say(e, "unexpected argument '%.100s'; %s", word,
                       s->command == COMMAND_CHECK ? "promises are read from standard input: < FILE"
                                                   : "a command and one directory are expected");
    s->directory = word;
    return 0;
}

static const struct option_entry entries[] = {
    {COUNT("workers", "N", workers, 1, MAX_HEADER_WORKERS), .letter = 'c', .owners = OF_WRITE,
     .group = "write", .help = "workers, each with its own files (default: 4)"},
    {COUNT("units", "N", units, 1, MAX_HEADER_UNITS), .owners = OF_WRITE,
     .help = "blocks or names of each method and worker (default: 32)"},
    {VALUE("block", "SIZE", OPTION_SIZE, block_bytes), .owners = OF_WRITE,
     .min = HEADER_BLOCK_LEAST, .max = MAX_HEADER_BLOCK, .unit = 1, .multiple = HEADER_BLOCK_LEAST,
     .accepted = "512 bytes to 1m, a multiple of 512",
     .help = "size of a block, up to 1m (default: 4k)"},
    {SETTER("methods", "LIST", set_methods), .owners = OF_WRITE, .words = method_words,
     .offer = OFFER_LIST, .list = method_print_all,
     .help = "ways of asking for durability; help lists them (default: all)"},
    {COUNT("rate", "N", rate, 1, 1000000000), .owners = OF_WRITE,
     .help = "promises per second, all workers together (default: as many as possible)"},
    {COUNT("seed", "N", seed, 0, SEED_MAX), .owners = OF_WRITE, .help = OPTION_SEED_HELP},
    {DURATION("time", time_ns, 1), .owners = OF_WRITE,
     .help = "end after this time (default: when the power is cut)"},
    {OPTION_JSON(json), .owners = OF_CHECK | OF_AUDIT | OF_CAMPAIGN,
     .group = "check, audit and campaign"},
    {OPTION_OUTPUT(output), .owners = OF_CHECK | OF_AUDIT | OF_CAMPAIGN},
    {FLAG("unmounted", is_unmounted), .owners = OF_CHECK, .group = "check",
     .help = "DIR's filesystem can no longer be mounted: all is lost"},
    {FLAG("verbose", verbose), .letter = 'v', .owners = OF_CHECK,
     .help = "report each method, even if nothing is lost"},
    {COMMAND("victim", victim), .group = "campaign",
     .help = "how commands are run on the victim: 'ssh HOST'"},
    {COMMAND("cut", cut), .help = "cuts and restores the victim's power"},
    {COUNT("cuts", "N", cuts, 1, 9999), .owners = OF_CAMPAIGN,
     .help = "number of cuts (default: 10)"},
    {SETTER("after", "MIN..MAX", set_after), .owners = OF_CAMPAIGN,
     .help = "time from the first promise to the cut (default: 5s..30s)"},
    {COMMAND("before-check", before_check),
     .help = "command run on this machine before each check: mount, fsck"},
    {VALUE("write-options", "OPTIONS", OPTION_TEXT, write_options), .owners = OF_CAMPAIGN,
     .accepted = "options of boncut write in one text",
     .help = "options of boncut write on the victim"},
    {VALUE("logs", "LOGS", OPTION_TEXT, logs), .owners = OF_CAMPAIGN,
     .accepted = "the path of a directory", .offer = OFFER_DIRECTORIES,
     .help = "where everything is kept, so an interrupted campaign can go on"},
    {OPTION_HTML(page), .owners = OF_CAMPAIGN},
    {DURATION("timeout", timeout_ns, 1), .owners = OF_CAMPAIGN,
     .help = "time in which the victim must be up again (default: 600)"},
    {DURATION("patience", patience_ns, 1), .owners = OF_CAMPAIGN,
     .help = "end a command that takes longer (default: 60)"},
    {FLAG("same-boot", same_boot), .owners = OF_CAMPAIGN,
     .help = "a cut does not restart the victim (for test rigs)"},
    {FLAG("yes", yes), .owners = OF_FS_SHUTDOWN, .group = "fs-shutdown",
     .help = "confirm that the filesystem of DIR is to stop at once"},
    {OPTION_TRUST(trusts_directory), .group = "Other"},
    {OPTION_CLEANUP(cleanup)},
    OPTIONS_ABOUT,
};

static const struct option_table option_table = {
    .owners = command_words + 1,
    .entries = entries,
    .count = sizeof entries / sizeof *entries,
    .usage = "Usage: boncut write [OPTION]... DIR > PROMISES\n"
             "       boncut check [--json] [--unmounted] DIR < PROMISES\n"
             "       boncut audit [--json] DIR\n"
             "       boncut campaign --victim=COMMAND --cut=COMMAND --logs=LOGS DIR\n"
             "       boncut fs-shutdown --yes DIR\n"
             "       boncut --cleanup DIR\n"
             "Does what fsync promised survive a power cut?\n",
    .brief = "Usage: boncut COMMAND [OPTION]... DIR\n"
             "Does what fsync promised survive a power cut?\n\n"
             "What is known without a cut:\n"
             "    boncut audit /data\n"
             "Promises, kept on another machine until somebody cuts the power:\n"
             "    boncut write /data | ssh OTHER 'cat >promises'\n"
             "After the cut, which of them were kept:\n"
             "    ssh OTHER cat promises | boncut check /data\n"
             "Many cuts, by a command that cuts and restores the power:\n"
             "    boncut campaign --victim='ssh HOST' --cut=COMMAND --logs=LOGS /data\n"
             "Remove what earlier runs left behind:\n"
             "    boncut --cleanup /data\n\n"
             "boncut --help lists all options; the manual is boncut(1).\n",
    .closing = "\nSizes take a suffix k or m (powers of 1024). The manual is boncut(1).\n",
    .operand = take_operand,
    .operand_offer = OFFER_DIRECTORIES,
};

/* DIR may have only these characters: up to two shells split the commands that it is in. */
#define SAFE_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+:@%=,-"

int options_parse(int argc, char *argv[], struct settings *s, struct err *e)
{
    bool given[MAX_OPTIONS];
    *s = (struct settings){.workers.value = 4,
                           .units.value = 32,
                           .block_bytes.value = 4 * KIB,
                           .cuts.value = 10,
                           .write_options = "",
                           .after_least_ns.value = 5 * BILLION,
                           .after_most_ns.value = 30 * BILLION,
                           .timeout_ns.value = 600 * BILLION,
                           .patience_ns.value = 60 * BILLION};
    int rc = cli_parse(&option_table, argc, argv, s, given, stdout, e);
    const char *dir = s->directory;
    if (rc != 0)
        return rc;
    if (s->command == COMMAND_NONE && dir && !s->cleanup) {
        message("does %s keep what fsync promises, as far as is known without a cut? boncut audit "
                "%s",
                dir, dir);
        message("what does a power cut leave? boncut write %s | ssh OTHER 'cat >promises', and "
                "after the cut ssh OTHER cat promises | boncut check %s",
                dir, dir);
        return err_say(e,
                       "what do many cuts show? boncut campaign --victim='ssh HOST' --cut=COMMAND "
                       "--logs=LOGS %s",
                       dir);
    }
    if (s->cleanup ? s->command != COMMAND_NONE : s->command == COMMAND_NONE)
        return err_say(e, "a command is expected: write, check, audit, campaign or fs-shutdown; or "
                          "--cleanup alone");
    if (!dir)
        return err_say(e, "DIR is missing: the directory that is tested");
    if (s->units.value * s->workers.value > MAX_HEADER_UNITS)
        return err_say(e, "--units: all workers together have at most %d units", MAX_HEADER_UNITS);
    for (size_t i = 0; rc == 0 && i < option_table.count; i++)
        if (given[i])
            rc = cli_check_owner(&option_table, &entries[i],
                                 s->cleanup ? "--cleanup" : command_words[s->command], e);
    if (rc != 0)
        return rc;
    if (s->command == COMMAND_FS_SHUTDOWN && !s->yes)
        return err_say(e, "fs-shutdown stops the whole filesystem of DIR, and what it has not yet "
                          "written is lost: --yes confirms that");
    if (s->command != COMMAND_CAMPAIGN)
        return 0;
    if (!s->victim || !s->cut || !s->logs)
        return err_say(e, "campaign: %s is missing",
                       !s->victim ? "--victim"
                       : !s->cut  ? "--cut"
                                  : "--logs");
    if (dir[strspn(dir, SAFE_CHARACTERS)] != '\0' || *dir == '-')
        return err_say(e, "campaign: DIR has characters that a shell would not leave as they are");
    return 0;
}
