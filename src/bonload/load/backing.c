// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/load/backing.h"

#include <linux/fiemap.h>
#include <linux/fs.h>

#include "sys/host.h"
#include "sys/path.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/portable.h"

#define NAMES_SEEN 16 /* that are looked at before a run */

/* Opens the nearest existing directory above a name, which it may shorten; *is_own: the name's. */
static int find_above(struct path_directory *above, char *name, bool *is_own)
{
    int rc = -ENOENT;
    *is_own = true;
    for (char *slash = strrchr(name, '/'); rc == -ENOENT && slash && slash > name;
         slash = strrchr(name, '/')) {
        *slash = '\0';
        rc = path_open(above, NULL, name, PATH_FAILS, NULL);
        *is_own = *is_own && rc == 0;
    }
    return rc == -ENOENT ? path_open(above, NULL, *name == '/' ? "/" : ".", PATH_FAILS, NULL) : rc;
}

/* Whether the file of an overlay, if there is one, is in a layer that the sources know: an overlay
 * passes on the question where its blocks are, which servers, FUSE and memory cannot answer. */
static bool is_in_known_layer(const struct sources *s, const struct path_directory *directory,
                              const char *name)
{
    struct fiemap map = {.fm_length = 1};
    struct stat facts;
    if (fstatat(directory->fd, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(facts.st_mode))
        return true;
    int fd = openat(directory->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool is_known = fd < 0 || (strcmp(s->filesystem, "tmpfs") != 0 &&
                               portable_ioctl(fd, FS_IOC_FIEMAP, &map) == 0);
    descriptor_close(&fd);
    return is_known;
}

/* Looks where some of the names lead, and notes if it is not to where the sources watch. */
static void look_at_names(struct backing *b, const struct run *run, dev_t device)
{
    const uint64_t period = run->names.period;
    const bool is_overlay = strcmp(b->sources.mount.filesystem, "overlay") == 0;
    uint64_t seen[NAMES_SEEN];
    char *name = malloc(run->names.longest + 1);
    for (uint64_t i = 0; name && i < NAMES_SEEN && (period == 0 || i < period); i++) {
        struct stat facts;
        struct path_directory at;
        names_format(&run->names, 1 + (period > NAMES_SEEN ? i * (period / NAMES_SEEN) : i), name);
        const char *slash = strrchr(name, '/');
        const char *last = slash ? slash + 1 : name;
        bool is_seen = false;
        bool is_own;
        seen[i] = names_hash(name, slash ? (size_t)(slash - name) : 0);
        for (uint64_t j = 0; j < i; j++)
            is_seen |= seen[j] == seen[i];
        if (is_seen || find_above(&at, name, &is_own) != 0)
            continue;
        bool is_elsewhere = fstat(at.fd, &facts) == 0 && facts.st_dev != device;
        /* a single file may be a mount; those of an overlay may have the number of their layer */
        if (is_own && !is_overlay && fstatat(at.fd, last, &facts, AT_SYMLINK_NOFOLLOW) == 0)
            is_elsewhere |= facts.st_dev != device;
        if (is_elsewhere)
            b->doubt[LOAD_READ] = b->doubt[LOAD_WRITE] =
                "The names may lead to several filesystems";
        else if (is_own && is_overlay && !is_in_known_layer(&b->sources, &at, last))
            b->doubt[LOAD_READ] = "Nothing shows where the files below the overlay are";
        path_close(&at);
    }
    free(name);
}

uint64_t backing_errors(const struct backing *b)
{
    char path[64];
    char text[32];
    snprintf(path, sizeof path, "/sys/fs/ext4/%s/errors_count", b->sources.devices.devices[0].name);
    uint64_t now = kernel_file_text(path, text, sizeof text) ? strtoull(text, NULL, 10) : 0;
    return now > b->errors ? now - b->errors : 0;
}

void backing_open(struct backing *b, const struct run *run)
{
    const struct settings *s = run->plan->settings;
    bool has_names = run->target->traits & TARGET_NAMES;
    struct path_directory directory;
    struct stat facts;
    int rc = -ENOMEM;
    *b = (struct backing){0};
    if (!(run->target->traits & TARGET_LOCAL) || plan_ranks(run->plan) > 1)
        return;
    if (has_names) {
        bool is_own;
        char *name = malloc(run->names.longest + 1);
        if (name) {
            names_format(&run->names, 1, name);
            rc = find_above(&directory, name, &is_own);
        }
        free(name);
    } else {
        rc = path_open(&directory, NULL, run->plan->url ? run->plan->url : ".", PATH_FAILS, NULL);
    }
    if (rc != 0)
        return;
    int fd = openat(directory.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    sources_find(&b->sources, fd >= 0 ? fd : directory.fd);
    io_limit_find(&b->limit, &b->sources.devices, 0);
    facts_look(&b->facts, &b->sources.mount, &b->sources.devices, false);
    b->is_judged = run->target->traits & TARGET_FILES;
    if (b->is_judged && has_names && fstat(directory.fd, &facts) == 0)
        look_at_names(b, run, facts.st_dev);
    if (b->is_judged && s->direct)
        direct_see_in(&b->direct, directory.fd, &b->sources);
    descriptor_close(&fd);
    path_close(&directory);
    b->errors = backing_errors(b);
    b->is_watched = true;
    bool may_cache = !s->direct && !mount_info_has(&b->sources.mount, "dax") &&
                     !mount_info_has(&b->sources.mount, "dax=always");
    b->is_direct = s->direct;
    b->is_cold = !may_cache || s->evict;
    b->may_be_cached[LOAD_READ] = may_cache;
    b->may_be_cached[LOAD_WRITE] = may_cache && !s->fsync;
}

/* Ignores the threads' CPU time: they sleep most of the time. The device's bytes may be
 * those of others, but a request that waited for the device took longer than a few microseconds. */
void backing_use(const struct backing *b, const struct reading *spent,
                 const struct tally *const tallies[LOAD_KINDS], struct backing_use *use)
{
    *use = (struct backing_use){.backing = b, .spent = *spent};
    if (!b->is_watched || spent->ns == 0)
        use->backing = NULL;
    for (enum load_kind kind = 0; use->backing && kind < LOAD_KINDS; kind++) {
        const struct tally *t = tallies[kind];
        struct evidence evidence = {
            .spent = *spent,
            .cpus = host_cpus(),
            .read_bytes = kind == LOAD_READ ? t->bytes : 0,
            .written_bytes = kind == LOAD_WRITE ? t->bytes : 0,
            .is_cold = b->is_cold,
            /* what is written is random, and cannot be compressed */
            .compresses = b->sources.compresses && kind == LOAD_READ,
            .filesystem = b->sources.filesystem,
            .is_stored = true,
            .is_paced = true,
            .instant_ns = b->may_be_cached[kind] ? histogram_percentile(tally_service(t), 50) : 0,
            .doubt = b->doubt[kind],
            .limit = b->limit,
            .link_per_second = b->facts.link_per_second,
        };
        use->is_judged[kind] = b->is_judged && t->bytes > 0;
        if (!use->is_judged[kind])
            continue;
        evidence.spent.busiest = (struct cpu_demand){0};
        if (b->is_direct)
            evidence.direct = direct_use_of(&b->direct, kind == LOAD_READ, kind == LOAD_WRITE);
        limit_judge(&use->kinds[kind], &evidence);
    }
}
