#ifndef BONLOAD_GOOD_FOR_OPTION_H
#define BONLOAD_GOOD_FOR_OPTION_H

#include <stddef.h>

#include "cli/option.h"

/* The row of -good-for in a table of options, for settings with a field good_for. */

static const char *const good_for_words[] = {"etcd",    "postgres", "mariadb", "redis",
                                             "maildir", "all",      "list",    NULL};

#define OPTION_GOOD_FOR(settings)                                                                  \
    {                                                                                              \
        .name = "good-for", .value = VALUE_REQUIRED, .value_name = "PROFILE", .kind = OPTION_TEXT, \
        .field = offsetof(settings, good_for), .words = good_for_words,                            \
        .accepted = "the name of a profile, all, list, or a file",                                 \
        .group = "Is this storage good enough?",                                                   \
        .help = "judge the storage of a directory by what a program does: etcd, postgres, "        \
                "mariadb, redis, maildir, all, list, or a file with a profile"                     \
    }

#endif
