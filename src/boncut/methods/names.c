// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/methods/names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boncut/layout.h"
#include "boncut/methods/contents.h"
#include "storage/scratch.h"
#include "util/descriptor.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void side_name(char name[LAYOUT_NAME], unsigned method, unsigned worker, unsigned side)
{
    if (methods[method].names.sides == 1)
        layout_worker_name(name, method, worker);
    else
        layout_side_name(name, method, worker, side);
}

void names_end(struct work *w)
{
    descriptor_close(&w->fd);
    descriptor_close(&w->other_fd);
}

static int sync_directory(struct work *w, int directory_fd)
{
    return work_called(w, "fsync of the directory", fsync(directory_fd));
}

/* Makes a file with `version` in all its blocks, and syncs it with `sync` (NULL: not at all). */
static int make_file(struct work *w, int directory_fd, const char *name, uint32_t unit,
                     unsigned blocks, uint64_t version, int (*sync)(int fd))
{
    int fd = work_create(w, directory_fd, name, 0);
    if (fd < 0)
        return fd;
    int rc =
        contents_write(w, fd, layout_stamp(w->method, w->worker, unit + 1), 0, blocks, version, 0);
    if (rc == 0 && sync)
        rc = work_called(w, "fsync", sync(fd));
    descriptor_close(&fd);
    return rc;
}

/*
 * Removes the name of version - 2 of a unit before the unit gets `version`: nothing is promised
 * about that name any more. `flags` are those of unlinkat(2).
 */
static int forget_name(struct work *w, uint32_t unit, uint64_t version, int flags)
{
    char name[LAYOUT_NAME];
    if (version <= 2)
        return 0;
    layout_version_name(name, unit, version - 2);
    return work_called(w, flags ? "rmdir" : "unlink", unlinkat(w->fd, name, flags));
}

/*
 * Makes the first file of each unit. Where names move between two directories it has that of
 * version 0, otherwise the unit's number: `link` makes all links to it, `replace` renames over it.
 */
static int make_first_files(struct work *w, const struct names_rule *rule)
{
    char name[LAYOUT_NAME];
    int rc = 0;
    for (uint32_t unit = 0; rc == 0 && unit < w->header->units; unit++) {
        if (rule->sides > 1)
            layout_version_name(name, unit, 0);
        else
            layout_unit_name(name, unit);
        rc = make_file(w, w->fd, name, unit, rule->first_blocks, 0, w->first_sync);
    }
    return rc;
}

int names_begin(struct work *w)
{
    const struct names_rule *rule = &methods[w->method].names;
    int *const fds[] = {&w->fd, &w->other_fd};
    char name[LAYOUT_NAME];
    for (unsigned side = 0; side < 2 && side < rule->sides; side++) {
        side_name(name, w->method, w->worker, side);
        *fds[side] = work_make_directory(w, w->directory_fd, name);
        if (*fds[side] < 0)
            return *fds[side];
    }
    return rule->first_blocks > 0 ? make_first_files(w, rule) : 0;
}

int new_name_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    char name[LAYOUT_NAME];
    int rc = forget_name(w, unit, versions[0], 0);
    layout_version_name(name, unit, versions[0]);
    return rc == 0 ? make_file(w, w->fd, name, unit, 1, versions[0], fsync) : rc;
}

int create_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    int rc = new_name_step(w, unit, versions);
    return rc == 0 ? sync_directory(w, w->fd) : rc;
}

/* Makes the name durable before it removes it: otherwise no cut could bring the name back. */
int unlink_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    char name[LAYOUT_NAME];
    layout_version_name(name, unit, versions[0]);
    int rc = make_file(w, w->fd, name, unit, 1, versions[0], NULL);
    if (rc == 0)
        rc = sync_directory(w, w->fd);
    if (rc == 0)
        rc = work_called(w, "unlink", unlinkat(w->fd, name, 0));
    return rc == 0 ? sync_directory(w, w->fd) : rc;
}

int rename_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    char from[LAYOUT_NAME];
    char to[LAYOUT_NAME];
    bool is_odd = versions[0] % 2;
    int from_fd = is_odd ? w->fd : w->other_fd;
    int to_fd = is_odd ? w->other_fd : w->fd;
    layout_version_name(from, unit, versions[0] - 1);
    layout_version_name(to, unit, versions[0]);
    int rc = work_called(w, "rename", renameat(from_fd, from, to_fd, to));
    if (rc == 0)
        rc = sync_directory(w, to_fd);
    return rc == 0 ? sync_directory(w, from_fd) : rc;
}

static int sync_file(struct work *w, const char *name)
{
    int fd = openat(w->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int rc = work_called(w, "open", fd);
    if (rc == 0)
        rc = work_called(w, "fsync", fsync(fd));
    descriptor_close(&fd);
    return rc;
}

int link_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    char target[LAYOUT_NAME];
    char name[LAYOUT_NAME];
    int rc = forget_name(w, unit, versions[0], 0);
    layout_unit_name(target, unit);
    layout_version_name(name, unit, versions[0]);
    if (rc == 0)
        rc = work_called(w, "link", linkat(w->fd, target, w->fd, name, 0));
    if (rc == 0)
        rc = sync_file(w, name);
    return rc == 0 ? sync_directory(w, w->fd) : rc;
}

int mkdir_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    char name[LAYOUT_NAME];
    int rc = forget_name(w, unit, versions[0], AT_REMOVEDIR);
    layout_version_name(name, unit, versions[0]);
    int fd = rc == 0 ? work_make_directory(w, w->fd, name) : rc;
    if (fd < 0)
        return fd;
    rc = sync_directory(w, fd);
    descriptor_close(&fd);
    return rc == 0 ? sync_directory(w, w->fd) : rc;
}

int replace_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    char aside[LAYOUT_NAME];
    char name[LAYOUT_NAME];
    layout_version_name(aside, unit, versions[0]);
    layout_unit_name(name, unit);
    int rc = make_file(w, w->fd, aside, unit, REPLACE_BLOCKS, versions[0], fsync);
    if (rc == 0)
        rc = work_called(w, "rename", renameat(w->fd, aside, w->fd, name));
    return rc == 0 ? sync_directory(w, w->fd) : rc;
}

/*
 * Files of even units grow from size 0, so their size is their version. Files of odd units shrink
 * from SPAN, so SPAN minus their size is their version. No file has blocks.
 */
#define SPAN (UINT64_C(1) << 26)

static uint64_t size_of(uint32_t unit, uint64_t version)
{
    return unit % 2 ? SPAN - version : version;
}

static int set_size(struct work *w, int fd, uint32_t unit, uint64_t version, int (*sync)(int fd))
{
    int rc = work_called(w, "truncate", ftruncate(fd, (off_t)size_of(unit, version)));
    return rc == 0 && sync ? work_called(w, "fsync", sync(fd)) : rc;
}

int truncate_begin(struct work *w)
{
    char name[LAYOUT_NAME];
    int rc = names_begin(w);
    for (uint32_t unit = 0; rc == 0 && unit < w->header->units; unit++) {
        layout_unit_name(name, unit);
        int fd = work_create(w, w->fd, name, 0);
        rc = fd < 0 ? fd : set_size(w, fd, unit, 0, w->first_sync);
        descriptor_close(&fd);
    }
    return rc;
}

int truncate_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    char name[LAYOUT_NAME];
    w->call = "truncate";
    if (versions[0] >= SPAN)
        return -EFBIG;
    layout_unit_name(name, unit);
    int fd = openat(w->fd, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    int rc = work_called(w, "open", fd);
    if (rc == 0)
        rc = set_size(w, fd, unit, versions[0], fsync);
    descriptor_close(&fd);
    return rc;
}

/* ---- judging --------------------------------------------------------------------------------- */

/* The versions of a unit whose names the directories have. */
struct sightings {
    /* a version older than the promised one exists; with is_absent, the promised one counts, too */
    bool has_old;
    uint64_t old;    /* one of these versions */
    bool has_wanted; /* the promised version or a later one is sound: nothing else matters then */
    bool is_unreadable; /* one of these cannot be read */
    bool has_exact;     /* the promised version exists, in the state `exact` */
    struct sight exact;
};

/* The state of judging one worker. */
struct names {
    struct judging *j;
    const struct names_rule *rule;
    unsigned worker;
    unsigned side;
    uint32_t first; /* the worker's first unit */
    struct sightings *seen;
    char directory[LAYOUT_NAME];
    enum finding listing; /* a directory is missing or unreadable; or FOUND_KEPT */
};

static void check_contents(const struct names *n, int fd, const char *name, uint32_t unit,
                           uint64_t version, struct sight *s)
{
    *s = (struct sight){.finding = FOUND_KEPT};
    if (!n->rule->has_contents)
        return;
    int file = judging_open(n->j, fd, name);
    if (file < 0) {
        s->finding = judging_failure(n->j, -file);
        return;
    }
    versions_check(n->j, file, layout_stamp(n->j->method, n->worker, unit + 1), 0, 1,
                   n->rule->has_version ? version : 0, s);
    descriptor_close(&file);
}

static void see_version(const struct names *n, int fd, const char *name, uint32_t unit,
                        uint64_t version)
{
    struct sightings *seen = &n->seen[unit];
    struct sight sight;
    uint64_t promised = ledger_promise(n->j->ledger, n->j->method, n->first + unit)->version;
    if (version < promised || (n->rule->is_absent && version == promised)) {
        seen->has_old = true;
        seen->old = version;
        return;
    }
    if (seen->has_wanted || n->rule->is_absent)
        return;
    check_contents(n, fd, name, unit, version, &sight);
    seen->has_wanted |= sight.finding == FOUND_KEPT;
    seen->is_unreadable |= sight.finding == FOUND_UNREADABLE;
    if (version == promised) {
        seen->has_exact = true;
        seen->exact = sight;
    }
}

static void see_name(void *context, int fd, const char *name)
{
    const struct names *n = context;
    uint32_t unit;
    uint64_t version;
    if (layout_parse_version(name, &unit, &version) && unit < n->j->header->units &&
        version % n->rule->sides == n->side)
        see_version(n, fd, name, unit, version);
}

/* Returns the state of a unit. *version becomes the version whose name shows it. */
static enum finding names_finding(const struct names *n, const struct sightings *seen,
                                  uint64_t promised, uint64_t *version)
{
    bool wants_none = n->rule->is_absent || n->rule->leaves_none;
    *version = promised;
    if (n->listing == FOUND_MISSING)
        return FOUND_MISSING;
    if (seen->has_old && wants_none) {
        *version = seen->old;
        return FOUND_CAME_BACK;
    }
    if (n->listing == FOUND_UNREADABLE ? wants_none || !seen->has_wanted
                                       : seen->is_unreadable && !seen->has_wanted)
        return FOUND_UNREADABLE;
    if (n->rule->is_absent || seen->has_wanted)
        return FOUND_KEPT;
    return seen->has_exact ? seen->exact.finding : FOUND_MISSING;
}

static void judge_unit(const struct names *n, uint32_t unit)
{
    char name[LAYOUT_NAME];
    char file[FILE_TEXT];
    uint64_t version;
    const struct sightings *seen = &n->seen[unit];
    uint64_t promised = ledger_promise(n->j->ledger, n->j->method, n->first + unit)->version;
    if (promised == 0)
        return;
    struct sight sight = seen->has_exact ? seen->exact : (struct sight){0};
    sight.finding = names_finding(n, seen, promised, &version);
    if (sight.finding == FOUND_CAME_BACK) {
        sight.has_version = true;
        sight.found = version;
    }
    layout_version_name(name, unit, version);
    snprintf(file, sizeof file, "%s/%s", n->directory, name);
    judging_add(n->j, n->first + unit, &sight, file);
}

void names_judge(struct judging *j, unsigned worker)
{
    const struct names_rule *rule = &methods[j->method].names;
    struct names n = {.j = j,
                      .rule = rule,
                      .worker = worker,
                      .first = worker * header_units_of_worker(j->header, j->method),
                      .seen = calloc(j->header->units, sizeof *n.seen)};
    if (!n.seen) {
        j->failure = ENOMEM;
        return;
    }
    for (n.side = 0; n.listing != FOUND_MISSING && n.side < rule->sides; n.side++) {
        side_name(n.directory, j->method, worker, n.side);
        int rc = directory_list(j->directory_fd, n.directory, see_name, &n);
        if (rc < 0)
            n.listing = judging_failure(j, -rc);
    }
    for (uint32_t unit = 0; unit < j->header->units; unit++)
        judge_unit(&n, unit);
    free(n.seen);
}

/* Examines one unit in the worker's directory. `promised` is its last promised version. */
typedef void unit_check(struct judging *j, int directory_fd, unsigned worker, uint32_t unit,
                        uint64_t promised, struct sight *s);

/* Judges all units of a worker with a method in which a unit's name, "17", never changes. */
static void judge_units(struct judging *j, unsigned worker, unit_check *check)
{
    char directory[LAYOUT_NAME];
    char file[FILE_TEXT];
    struct sight sight;
    uint32_t first = worker * header_units_of_worker(j->header, j->method);
    layout_worker_name(directory, j->method, worker);
    int fd = directory_open(j->directory_fd, directory);
    for (uint32_t unit = 0; unit < j->header->units; unit++) {
        uint64_t promised = ledger_promise(j->ledger, j->method, first + unit)->version;
        if (promised == 0)
            continue;
        if (fd >= 0)
            check(j, fd, worker, unit, promised, &sight);
        else
            sight = (struct sight){.finding = judging_failure(j, -fd)};
        snprintf(file, sizeof file, "%s/%u", directory, unit);
        judging_add(j, first + unit, &sight, file);
    }
    descriptor_close(&fd);
}

/* A file may have any version from the promised one on, but all its blocks must have the same. */
static void replace_check(struct judging *j, int directory_fd, unsigned worker, uint32_t unit,
                          uint64_t promised, struct sight *s)
{
    char name[LAYOUT_NAME];
    layout_unit_name(name, unit);
    int fd = judging_open(j, directory_fd, name);
    if (fd < 0) {
        *s = (struct sight){.finding = judging_failure(j, -fd)};
        return;
    }
    versions_check(j, fd, layout_stamp(j->method, worker, unit + 1), 0, REPLACE_BLOCKS, 0, s);
    descriptor_close(&fd);
    if (s->finding != FOUND_KEPT)
        return;
    s->has_version = true;
    s->found = s->oldest;
    if (s->oldest != s->newest)
        s->finding = FOUND_TORN;
    else if (s->oldest < promised)
        s->finding = FOUND_LOST;
}

void replace_judge(struct judging *j, unsigned worker)
{
    judge_units(j, worker, replace_check);
}

static void truncate_check(struct judging *j, int directory_fd, unsigned worker, uint32_t unit,
                           uint64_t promised, struct sight *s)
{
    char name[LAYOUT_NAME];
    struct stat st;
    (void)worker;
    layout_unit_name(name, unit);
    *s = (struct sight){.finding = FOUND_WRONG_SIZE};
    if (fstatat(directory_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        s->finding = judging_failure(j, errno);
        return;
    }
    uint64_t size = (uint64_t)st.st_size;
    if (size > SPAN)
        return;
    s->has_version = true;
    s->found = unit % 2 ? SPAN - size : size;
    s->finding = s->found >= promised ? FOUND_KEPT : FOUND_WRONG_SIZE;
}

void truncate_judge(struct judging *j, unsigned worker)
{
    judge_units(j, worker, truncate_check);
}

void new_name_judge(struct judging *j, unsigned worker)
{
    char name[LAYOUT_NAME];
    struct stat st;
    uint32_t first = worker * header_units_of_worker(j->header, j->method);
    layout_worker_name(name, j->method, worker);
    int fd = directory_open(j->directory_fd, name);
    if (fd < 0 && fd != -ENOENT)
        return;
    for (uint32_t unit = 0; unit < j->header->units; unit++) {
        uint64_t synced = ledger_promise(j->ledger, j->method, first + unit)->version;
        if (synced == 0)
            continue;
        layout_version_name(name, unit, synced);
        bool is_there = fd >= 0 && fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
        if (!is_there && fd >= 0 && errno != ENOENT)
            continue;
        j->findings->new_names++;
        j->findings->new_names_present += is_there;
    }
    descriptor_close(&fd);
}
