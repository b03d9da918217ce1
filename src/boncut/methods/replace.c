#include "boncut/methods/replace.h"

#include <stdio.h>
#include <unistd.h>

#include "boncut/layout.h"
#include "boncut/methods/contents.h"
#include "boncut/methods/names.h"
#include "util/descriptor.h"

/*
 * Number of blocks in a file: several, so that `check` notices a file with only half of a version.
 */
#define BLOCKS 4

int replace_begin(struct work *w)
{
    char name[LAYOUT_NAME];
    int rc = names_begin(w, 1);
    for (uint32_t unit = 0; rc == 0 && unit < w->header->units; unit++) {
        layout_unit_name(name, unit);
        rc = names_make_file(w, w->fd, name, unit, BLOCKS, 0, w->first_sync);
    }
    return rc;
}

int replace_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    char aside[LAYOUT_NAME];
    char name[LAYOUT_NAME];
    layout_version_name(aside, unit, versions[0]);
    layout_unit_name(name, unit);
    int rc = names_make_file(w, w->fd, aside, unit, BLOCKS, versions[0], fsync);
    if (rc == 0)
        rc = work_called(w, "rename", renameat(w->fd, aside, w->fd, name));
    return rc == 0 ? names_sync(w, w->fd) : rc;
}

/* A file may have any version from the promised one on, but all its blocks must have the same. */
static void replace_look(struct judging *j, int directory_fd, unsigned worker, uint32_t unit,
                         uint64_t promised, struct sight *s)
{
    char name[LAYOUT_NAME];
    layout_unit_name(name, unit);
    int fd = judging_open(j, directory_fd, name);
    if (fd < 0) {
        *s = (struct sight){.finding = judging_failure(j, -fd)};
        return;
    }
    contents_look(j, fd, layout_stamp(j->method, worker, unit + 1), 0, BLOCKS, 0, s);
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
    names_judge_units(j, worker, replace_look);
}
