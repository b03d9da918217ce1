// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "boncut/methods/method.h"

/*
 * The methods whose units are names: a worker has one or two directories, in which version 4 of
 * unit 17 is called "17.4", or "17" where a unit's name never changes. No name with a version is
 * used twice.
 */
int names_begin(struct work *w);
void names_end(struct work *w);

/* Judges all units of a worker by the method's rule (struct names_rule). */
void names_judge(struct judging *j, unsigned worker);

/*
 * Number of blocks in a file of `replace`: several, so that `check` notices a file with only half
 * of a version.
 */
#define REPLACE_BLOCKS 4

/* The parts of each method that differ, as struct method describes them. */
int create_step(struct work *w, uint32_t unit, const uint64_t versions[]);
int unlink_step(struct work *w, uint32_t unit, const uint64_t versions[]);
int rename_step(struct work *w, uint32_t unit, const uint64_t versions[]);
int link_step(struct work *w, uint32_t unit, const uint64_t versions[]);
int mkdir_step(struct work *w, uint32_t unit, const uint64_t versions[]);
int replace_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void replace_judge(struct judging *j, unsigned worker);
int truncate_begin(struct work *w);
int truncate_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void truncate_judge(struct judging *j, unsigned worker);

/* Syncs a new file, but not its directory; `check` counts those that have kept their names. */
int new_name_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void new_name_judge(struct judging *j, unsigned worker);
