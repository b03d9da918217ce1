#include "boncut/methods/new_name.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boncut/layout.h"
#include "boncut/methods/names.h"
#include "storage/private_directory.h"
#include "util/descriptor.h"

int new_name_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    char name[LAYOUT_NAME];
    int rc = names_forget(w, unit, versions[0], 0);
    layout_version_name(name, unit, versions[0]);
    return rc == 0 ? names_make_file(w, w->fd, name, unit, 1, versions[0], fsync) : rc;
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
