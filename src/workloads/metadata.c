#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "measure/clock.h"
#include "stop.h"
#include "util/permute.h"
#include "util/rng.h"
#include "workloads/workload.h"

/*
 * The six metadata tests. The sequential ones create files with names in sorted order, and stat
 * and delete them in the order in which the directory lists them; the random ones create them with
 * names in random order, and stat and delete them in random orders of their own.
 */

/* Which random order: each test has another. */
#define STAT_ORDER   1
#define DELETE_ORDER 2

typedef int (*file_operation)(struct fileset *s, int at_fd, const char *path, unsigned directory,
                              uint64_t *bytes, struct err *e);

static int stat_operation(struct fileset *s, int at_fd, const char *path, unsigned directory,
                          uint64_t *bytes, struct err *e)
{
    return fileset_stat(s, at_fd, path, directory, bytes, e);
}

static int delete_operation(struct fileset *s, int at_fd, const char *path, unsigned directory,
                            uint64_t *bytes, struct err *e)
{
    *bytes = 0;
    return fileset_remove(s, at_fd, path, directory, e);
}

/* Does the operation and counts it. */
static int timed(struct work *w, file_operation operation, int at_fd, const char *path,
                 unsigned directory, struct err *e)
{
    uint64_t bytes;
    uint64_t start = clock_ns();
    int rc = operation(&w->files, at_fd, path, directory, &bytes, e);
    if (rc == 0)
        samples_add(&w->tally->samples, clock_ns() - start, bytes);
    return rc == 0 ? stop_check(e) : rc;
}

static int create_all(struct work *w, enum name_order order, struct err *e)
{
    struct fileset *s = &w->files;
    int rc = 0;
    while (rc == 0 && s->made < s->wanted) {
        uint64_t bytes;
        uint64_t start = clock_ns();
        rc = fileset_create_next(s, order, &bytes, e);
        if (rc == 0)
            samples_add(&w->tally->samples, clock_ns() - start, bytes);
        if (rc == 0)
            rc = stop_check(e);
    }
    return rc == 0 ? fileset_sync(s, e) : rc;
}

/* The operation on every entry of an open directory; counts them in *found. */
static int on_entries(struct work *w, DIR *directory, unsigned number, file_operation operation,
                      uint64_t *found, struct err *e)
{
    int rc = 0;
    while (rc == 0) {
        errno = 0;
        const struct dirent *entry = readdir(directory);
        if (!entry)
            return errno ? err_system(e, errno, "list directory %u in %s", number, w->scratch->path)
                         : 0;
        if (entry->d_name[0] == '.')
            continue;
        rc = timed(w, operation, dirfd(directory), entry->d_name, number, e);
        (*found)++;
    }
    return rc;
}

static DIR *open_directory(const struct work *w, unsigned number, struct err *e)
{
    char name[DIRECTORY_NAME_SIZE];
    directory_name(name, number);
    int fd = openat(w->scratch->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    if (!directory) {
        err_system(e, errno, "open directory %s/%s/%s", w->scratch->path, w->scratch->name, name);
        if (fd >= 0)
            close(fd);
    }
    return directory;
}

/*
 * The operation on every file of one directory, of which there should be `expected`. A filesystem
 * may skip entries while others are being deleted: then it is listed again.
 */
static int in_one_directory(struct work *w, unsigned number, uint64_t expected,
                            file_operation operation, struct err *e)
{
    DIR *directory = open_directory(w, number, e);
    if (!directory)
        return -e->code;
    uint64_t found = 0;
    uint64_t before;
    int rc;
    do {
        before = found;
        rc = on_entries(w, directory, number, operation, &found, e);
        rewinddir(directory);
    } while (rc == 0 && found < expected && found > before);
    closedir(directory);
    if (rc == 0 && found != expected)
        rc = err_say(e, "directory %u in %s lists %" PRIu64 " files, %" PRIu64 " were made", number,
                     w->scratch->path, found, expected);
    return rc;
}

/* The operation on every file, as the directories list them. */
static int in_directory_order(struct work *w, file_operation operation, struct err *e)
{
    struct fileset *s = &w->files;
    int rc = 0;
    for (uint64_t i = 0; rc == 0 && i < s->directories.count; i++) {
        uint64_t expected =
            share_of(s->files.count, s->directories.count, i).count * (s->wanted / s->files.count);
        rc = in_one_directory(w, (unsigned)(s->directories.first + i), expected, operation, e);
    }
    return rc;
}

/* The operation on every file, in a random order. */
static int in_random_order(struct work *w, uint64_t which, file_operation operation, struct err *e)
{
    struct fileset *s = &w->files;
    struct permutation order;
    permutation_init(&order, s->wanted, rng_mix(s->seed + which));
    int rc = 0;
    for (uint64_t i = 0; rc == 0 && i < s->wanted; i++) {
        char path[FILE_PATH_SIZE];
        int at_fd;
        unsigned directory = fileset_path(s, s->order, permutation_at(&order, i), path, &at_fd);
        rc = timed(w, operation, at_fd, path, directory, e);
    }
    return rc;
}

static int prepare_create(void *context, struct err *e)
{
    struct work *w = context;
    return w->round == 0 ? fileset_clear(&w->files, e) : fileset_extend(&w->files, e);
}

static int prepare_existing(struct work *w, enum name_order order, bool cold, struct err *e)
{
    int rc = fileset_fill(&w->files, order, e);
    if (rc == 0 && cold && w->plan->cache == CACHE_EVICT)
        rc = fileset_evict(&w->files, e);
    return rc;
}

static int prepare_seq_stat(void *context, struct err *e)
{
    return prepare_existing(context, NAMES_SORTED, true, e);
}

static int prepare_seq_del(void *context, struct err *e)
{
    return prepare_existing(context, NAMES_SORTED, false, e);
}

static int prepare_ran_stat(void *context, struct err *e)
{
    return prepare_existing(context, NAMES_RANDOM, true, e);
}

static int prepare_ran_del(void *context, struct err *e)
{
    return prepare_existing(context, NAMES_RANDOM, false, e);
}

static int seq_create(void *context, struct err *e)
{
    return create_all(context, NAMES_SORTED, e);
}

static int ran_create(void *context, struct err *e)
{
    return create_all(context, NAMES_RANDOM, e);
}

static int seq_stat(void *context, struct err *e)
{
    return in_directory_order(context, stat_operation, e);
}

static int ran_stat(void *context, struct err *e)
{
    return in_random_order(context, STAT_ORDER, stat_operation, e);
}

/* After a test that deletes: nothing is there any more, unless it failed. */
static int deleted(struct work *w, int rc)
{
    if (rc == 0)
        w->files.made = 0;
    return rc;
}

static int seq_del(void *context, struct err *e)
{
    return deleted(context, in_directory_order(context, delete_operation, e));
}

static int ran_del(void *context, struct err *e)
{
    return deleted(context, in_random_order(context, DELETE_ORDER, delete_operation, e));
}

const struct workload workload_seq_create = {
    .title = "Creating files in sorted order",
    .unit = UNIT_FILE,
    .written_percent = 100,
    .repeats = true,
    .job = {.prepare = prepare_create, .work = seq_create},
};

const struct workload workload_seq_stat = {
    .title = "Reading files in directory order",
    .unit = UNIT_FILE,
    .read_percent = 100,
    .reads = true,
    .repeats = true,
    .job = {.prepare = prepare_seq_stat, .work = seq_stat},
};

const struct workload workload_seq_del = {
    .title = "Deleting files in directory order",
    .unit = UNIT_NAME,
    .repeats = true,
    .job = {.prepare = prepare_seq_del, .work = seq_del},
};

const struct workload workload_ran_create = {
    .title = "Creating files in random order",
    .unit = UNIT_FILE,
    .written_percent = 100,
    .repeats = true,
    .job = {.prepare = prepare_create, .work = ran_create},
};

const struct workload workload_ran_stat = {
    .title = "Reading files in random order",
    .unit = UNIT_FILE,
    .read_percent = 100,
    .reads = true,
    .repeats = true,
    .job = {.prepare = prepare_ran_stat, .work = ran_stat},
};

const struct workload workload_ran_del = {
    .title = "Deleting files in random order",
    .unit = UNIT_NAME,
    .repeats = true,
    .job = {.prepare = prepare_ran_del, .work = ran_del},
};
