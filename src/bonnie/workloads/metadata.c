// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/workloads/workload.h"
#include "measure/clock.h"
#include "sys/stop.h"
#include "util/rng.h"

/* The six metadata tests. The sequential tests create files with names in sorted order, and stat
 * and delete them in the order in which the directory lists them. The random tests create files
 * with names in random order, and stat and delete them in other random orders. */

/* Each of these tests has a random order of its own. */
#define STAT_ORDER   1
#define DELETE_ORDER 2

typedef int (*file_operation)(struct file_set *s, const struct file_place *place, uint64_t *bytes,
                              struct err *e);

/* Does one operation, and times and counts it. */
static int time_operation(struct work *w, file_operation operation, const struct file_place *place,
                          struct err *e)
{
    uint64_t bytes;
    uint64_t start = clock_ns();
    int rc = operation(&w->files, place, &bytes, e);
    if (rc == 0)
        op_stats_add(&w->stats->ops, clock_ns() - start, bytes);
    return rc == 0 ? stop_check(e) : rc;
}

static int create_all(void *context, struct err *e)
{
    struct work *w = context;
    struct file_set *s = &w->files;
    uint64_t until = w->lap_ns > 0 ? clock_ns() + w->lap_ns : UINT64_MAX;
    int rc = 0;
    while (rc == 0 && s->state.made < s->state.wanted) {
        uint64_t bytes;
        uint64_t start = clock_ns();
        rc = file_set_create_next(s, w->workload->order, &bytes, e);
        uint64_t end = clock_ns();
        if (rc == 0)
            op_stats_add(&w->stats->ops, end - start, bytes);
        if (rc == 0)
            rc = stop_check(e);
        if (end >= until)
            s->state.wanted = s->state.made;
    }
    return rc;
}

/* Syncs the filesystem, when all workers have created their files. One worker does so for all. */
static int sync_created(void *context, struct err *e)
{
    const struct work *w = context;
    return w->number == 0 ? file_set_sync(&w->files, e) : 0;
}

/* Applies the operation to all files in one directory. A filesystem may skip entries while others
 * are deleted, or end the listing too early, so the directory is listed again until all are
 * handled. Of files that stay, the first ones are then skipped: their order has not changed. */
static int in_one_directory(struct work *w, uint64_t index, file_operation operation, struct err *e)
{
    struct file_place place;
    uint64_t before, expected;
    uint64_t found = 0;
    DIR *directory = file_set_list_directory(&w->files, index, &place, &expected, e);
    if (!directory)
        return -e->code;
    int rc = 0;
    do {
        before = found;
        uint64_t skipped = operation == file_set_remove ? 0 : found;
        errno = 0;
        for (const struct dirent *entry; rc == 0 && (entry = readdir(directory)); errno = 0) {
            if (entry->d_name[0] == '.')
                continue;
            if (skipped > 0) {
                skipped--;
                continue;
            }
            place.name = entry->d_name;
            rc = time_operation(w, operation, &place, e);
            found++;
        }
        if (rc == 0 && errno != 0)
            rc = err_system(e, errno, "list directory %u in %s", place.directory, w->scratch->path);
        rewinddir(directory);
    } while (rc == 0 && found < expected && found > before);
    closedir(directory);
    if (rc == 0 && found != expected)
        rc = err_say(e, "directory %u in %s lists %" PRIu64 " files, but %" PRIu64 " were made",
                     place.directory, w->scratch->path, found, expected);
    return rc;
}

/* Applies the operation to all files: in the order in which their directories list them or, if
 * names are in random order, in a random order of its own. */
static int on_all_files(struct work *w, file_operation operation, struct err *e)
{
    struct file_set *s = &w->files;
    struct permutation order;
    uint64_t which = operation == file_set_stat ? STAT_ORDER : DELETE_ORDER;
    int rc = 0;
    if (w->workload->order == NAMES_SORTED) {
        for (uint64_t i = 0; rc == 0 && i < s->directories.count; i++)
            rc = in_one_directory(w, i, operation, e);
        return rc;
    }
    permutation_init(&order, s->state.wanted, rng_mix(s->state.seed + which));
    for (uint64_t i = 0; rc == 0 && i < s->state.wanted; i++) {
        char name[FILE_NAME_SIZE];
        struct file_place place;
        rc = file_set_find(s, permutation_at(&order, i), name, &place, e);
        if (rc == 0)
            rc = time_operation(w, operation, &place, e);
    }
    return rc;
}

static int prepare_create(void *context, struct err *e)
{
    struct work *w = context;
    return file_set_clear(&w->files, w->lap > 0, e);
}

static int prepare_existing(void *context, struct err *e)
{
    struct work *w = context;
    uint64_t until_ns = w->prepare_until_ns;
    if (w->plan->files.most_ns > 0 && w->lap == 0)
        until_ns = 1; /* a moment long ago: what the previous test created is enough */
    int rc = file_set_fill(&w->files, w->workload->order, until_ns, e);
    if (rc == 0 && w->workload->reads && w->plan->cache == CACHE_EVICT)
        rc = file_set_evict(&w->files, e);
    return rc;
}

static int stat_all(void *context, struct err *e)
{
    return on_all_files(context, file_set_stat, e);
}

/* Afterwards no file is left, unless this has failed. */
static int delete_all(void *context, struct err *e)
{
    struct work *w = context;
    int rc = on_all_files(w, file_set_remove, e);
    if (rc == 0)
        w->files.state.made = 0;
    return rc;
}

/* What the tests in sorted and in random order have in common. */
#define CREATES                                                                                    \
    .item = ITEM_FILE, .written_percent = 100, .repeats = true,                                    \
    .task = {.prepare = prepare_create, .work = create_all, .finish = sync_created}
#define READS                                                                                      \
    .item = ITEM_FILE, .read_percent = 100, .reads = true, .shifts = true, .repeats = true,        \
    .task = {.prepare = prepare_existing, .work = stat_all}
#define DELETES                                                                                    \
    .item = ITEM_NAME, .shifts = true, .repeats = true,                                            \
    .task = {.prepare = prepare_existing, .work = delete_all}

const struct workload metadata_workloads[] = {
    {.title = "Creating files in sorted order",
     .old_title = "Create files in sequential order",
     CREATES},
    {.title = "Reading files in directory order",
     .old_title = "Stat files in sequential order",
     READS},
    {.title = "Deleting files in directory order",
     .old_title = "Delete files in sequential order",
     DELETES},
    {.title = "Creating files in random order",
     .old_title = "Create files in random order",
     .order = NAMES_RANDOM,
     CREATES},
    {.title = "Reading files in random order",
     .old_title = "Stat files in random order",
     .order = NAMES_RANDOM,
     READS},
    {.title = "Deleting files in random order",
     .old_title = "Delete files in random order",
     .order = NAMES_RANDOM,
     DELETES},
};
