#include "boncut/methods/truncate.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boncut/layout.h"
#include "boncut/methods/contents.h"
#include "boncut/methods/names.h"
#include "util/descriptor.h"

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
    int rc = names_begin(w, 1);
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

static void truncate_look(struct judging *j, int directory_fd, unsigned worker, uint32_t unit,
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
    names_judge_units(j, worker, truncate_look);
}
