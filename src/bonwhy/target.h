// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sys/privilege.h"

/* What is watched: a process, a control group, or a command that this program starts. */
struct target {
    int process;          /* 0: a control group */
    char group[PATH_MAX]; /* directory of the control group */
    bool is_command;
    int gate;   /* the command begins when this is closed; -1: it has begun */
    int status; /* the command's, as a shell has it; -1: it has not ended */
};

/* Finds a pid, a control group by path, or a unit; or starts a command, waiting at its gate. */
int target_find(struct target *t, const char *word, struct err *e);
int target_start(struct target *t, char *const command[], const struct identity *id, struct err *e);

/* Calls follow() for all threads of the target, and of the processes below a process. */
typedef void target_follow(void *context, int thread);
void target_visit(const struct target *t, target_follow *follow, void *context);

/* Whether the process or the command has ended; waits for the command, which a stop of this program
 * ends, and returns its status. */
bool target_has_ended(struct target *t);
int target_wait(struct target *t);
