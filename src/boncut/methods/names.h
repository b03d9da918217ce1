#ifndef BONCUT_METHODS_NAMES_H
#define BONCUT_METHODS_NAMES_H

#include "boncut/methods/contents.h"
#include "boncut/methods/method.h"

/*
 * Shared by the methods whose versions are names: a worker has a directory of its own, or two, in
 * which the fourth version of unit 17 is called "17.4". A name is never used twice.
 */

/* Makes the worker's directory and opens it as w->fd; with two sides also w->other_fd. */
int names_begin(struct work *w, unsigned sides);
void names_end(struct work *w);

/* Makes the directory durable. */
int names_sync(struct work *w, int directory_fd);

/*
 * Makes a file with contents of that version, and makes them durable with `sync`, which may be
 * NULL.
 */
int names_make_file(struct work *w, int directory_fd, const char *name, uint32_t unit,
                    unsigned blocks, uint64_t version, int (*sync)(int fd));

/*
 * Before a unit gets this version: removes the name of the last version but one, about which
 * nothing is promised any more, with flags of unlinkat(2).
 */
int names_forget(struct work *w, uint32_t unit, uint64_t version, int flags);

/* The rule for the names of a unit. */
struct names_rule {
    unsigned sides; /* number of directories; of two, the second has odd versions */
    bool is_absent; /* no version up to the promised one may exist; otherwise one from it on must */
    bool leaves_none;  /* nor may any version before that one */
    bool has_contents; /* the name is that of a file of one block */
    bool has_version;  /* with the version of its name; otherwise with version 0 */
};

/* Examines one unit in the worker's directory, of which that version was promised. */
typedef void names_look(struct judging *j, int directory_fd, unsigned worker, uint32_t unit,
                        uint64_t promised, struct sight *s);

/* Judges all units of a worker whose names stay the same: "17". */
void names_judge_units(struct judging *j, unsigned worker, names_look *look);

/* Judges all units of a worker. */
void names_judge(struct judging *j, unsigned worker, const struct names_rule *rule);

#endif
