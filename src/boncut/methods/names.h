#ifndef BONCUT_METHODS_NAMES_H
#define BONCUT_METHODS_NAMES_H

#include "boncut/methods/contents.h"
#include "boncut/methods/method.h"

/*
 * What the methods share whose versions are file names: a worker has one or two directories, in
 * which version 4 of unit 17 is called "17.4". No name is used twice.
 */

/*
 * Makes the worker's directory, and opens it as w->fd; with two sides, the second one is
 * w->other_fd.
 */
int names_begin(struct work *w, unsigned sides);
void names_end(struct work *w);

/* Makes the directory durable. */
int names_sync(struct work *w, int directory_fd);

/* Makes a file with `version` in all its blocks, and syncs it with `sync` (NULL: not at all). */
int names_make_file(struct work *w, int directory_fd, const char *name, uint32_t unit,
                    unsigned blocks, uint64_t version, int (*sync)(int fd));

/*
 * Removes the name of version - 2 of a unit before the unit gets `version`: nothing is promised
 * about that name any more. `flags` are those of unlinkat(2).
 */
int names_forget(struct work *w, uint32_t unit, uint64_t version, int flags);

/* Which names of a unit may and must exist after the cut. */
struct names_rule {
    unsigned sides;    /* number of directories; if 2, the second one has the odd versions */
    bool is_absent;    /* no version up to the promised one may exist; otherwise that one or a later
                          one must */
    bool leaves_none;  /* no version before the promised one may exist */
    bool has_contents; /* each name is that of a file of one block */
    bool has_version;  /* the block contains that version; otherwise version 0 */
};

/* Examines one unit in the worker's directory. `promised` is its last promised version. */
typedef void names_look(struct judging *j, int directory_fd, unsigned worker, uint32_t unit,
                        uint64_t promised, struct sight *s);

/* Judges all units of a worker with a method in which a unit's name, "17", never changes. */
void names_judge_units(struct judging *j, unsigned worker, names_look *look);

/* Judges all units of a worker by the rule. */
void names_judge(struct judging *j, unsigned worker, const struct names_rule *rule);

#endif
