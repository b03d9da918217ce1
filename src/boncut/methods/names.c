#include "boncut/methods/names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "boncut/layout.h"
#include "boncut/methods/contents.h"
#include "storage/private_directory.h"
#include "util/descriptor.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void side_name(char name[LAYOUT_NAME], unsigned method, unsigned worker, unsigned side,
                      unsigned sides)
{
    if (sides == 1)
        layout_worker_name(name, method, worker);
    else
        layout_side_name(name, method, worker, side);
}

int names_begin(struct work *w, unsigned sides)
{
    int *const fds[] = {&w->fd, &w->other_fd};
    const unsigned most = sizeof fds / sizeof *fds;
    char name[LAYOUT_NAME];
    for (unsigned side = 0; side < sides && side < most; side++) {
        side_name(name, w->method, w->worker, side, sides);
        *fds[side] = work_make_directory(w, w->directory_fd, name);
        if (*fds[side] < 0)
            return *fds[side];
    }
    return 0;
}

void names_end(struct work *w)
{
    descriptor_close(&w->fd);
    descriptor_close(&w->other_fd);
}

int names_sync(struct work *w, int directory_fd)
{
    return work_called(w, "fsync of the directory", fsync(directory_fd));
}

int names_make_file(struct work *w, int directory_fd, const char *name, uint32_t unit,
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

int names_forget(struct work *w, uint32_t unit, uint64_t version, int flags)
{
    char name[LAYOUT_NAME];
    if (version <= 2)
        return 0;
    layout_version_name(name, unit, version - 2);
    return work_called(w, flags ? "rmdir" : "unlink", unlinkat(w->fd, name, flags));
}

/* ---- judging --------------------------------------------------------------------------------- */

/* The versions of a unit that the directories have names of. */
struct seen {
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
    struct seen *seen;
    char directory[LAYOUT_NAME];
    enum finding listing; /* a directory is missing, or unreadable, or else both are known */
};

static void look_at_contents(const struct names *n, int fd, const char *name, uint32_t unit,
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
    contents_look(n->j, file, layout_stamp(n->j->method, n->worker, unit + 1), 0, 1,
                  n->rule->has_version ? version : 0, s);
    descriptor_close(&file);
}

static void see_version(const struct names *n, int fd, const char *name, uint32_t unit,
                        uint64_t version)
{
    struct seen *seen = &n->seen[unit];
    struct sight sight;
    uint64_t promised = ledger_promise(n->j->ledger, n->j->method, n->first + unit)->version;
    if (version < promised || (n->rule->is_absent && version == promised)) {
        seen->has_old = true;
        seen->old = version;
        return;
    }
    if (seen->has_wanted || n->rule->is_absent)
        return;
    look_at_contents(n, fd, name, unit, version, &sight);
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
static enum finding names_finding(const struct names *n, const struct seen *seen, uint64_t promised,
                                  uint64_t *version)
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

static void tell_unit(const struct names *n, uint32_t unit)
{
    char name[LAYOUT_NAME];
    char file[FILE_TEXT];
    uint64_t version;
    const struct seen *seen = &n->seen[unit];
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
    judging_tell(n->j, n->first + unit, &sight, file);
}

void names_judge(struct judging *j, unsigned worker, const struct names_rule *rule)
{
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
        side_name(n.directory, j->method, worker, n.side, rule->sides);
        int rc = directory_look(j->directory_fd, n.directory, see_name, &n);
        if (rc < 0)
            n.listing = judging_failure(j, -rc);
    }
    for (uint32_t unit = 0; unit < j->header->units; unit++)
        tell_unit(&n, unit);
    free(n.seen);
}

void names_judge_units(struct judging *j, unsigned worker, names_look *look)
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
            look(j, fd, worker, unit, promised, &sight);
        else
            sight = (struct sight){.finding = judging_failure(j, -fd)};
        snprintf(file, sizeof file, "%s/%u", directory, unit);
        judging_tell(j, first + unit, &sight, file);
    }
    descriptor_close(&fd);
}
