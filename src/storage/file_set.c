// SPDX-License-Identifier: GPL-2.0-or-later
#include "storage/file_set.h"

#include "io/file.h"
#include "measure/clock.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/rng.h"

/* Descriptors that stay free for what is opened later: for the process, and for each worker, which
 * may have its file twice, a queue, and a file or directory of the metadata tests. */
#define FREE_IN_ALL     48
#define FREE_PER_WORKER 6

/* Each worker has a range of this length for the numbers of its link targets. */
#define ORIGINS_PER_WORKER UINT64_C(1000000000000)

/* Sets with more files than this are not kept for further laps. */
#define MAX_WANTED UINT64_C(1000000)

/* An inode and a name together take less than this on average. */
#define BYTES_PER_FILE 4096

/* Numbers of metadata files in stamps start here, above those of all data files. */
#define FIRST_FILE_NUMBER (UINT64_C(1) << 32)

void file_set_init(struct file_set *s, const struct file_set_setup *setup)
{
    struct partition files = partition_of(setup->count, setup->workers, setup->number);
    *s = (struct file_set){
        .setup = *setup,
        .state.wanted = files.count,
        .files = files,
        .directories = partition_of(setup->directories, setup->workers, setup->number),
        .other_fd = -1,
        .first_origin = setup->number * ORIGINS_PER_WORKER,
    };
}

static unsigned directory_number(const struct file_set *s, uint64_t index)
{
    return (unsigned)(s->directories.first + index);
}

/* Makes all directories, or opens another process's, and keeps open as many as possible. The kernel
 * gives out the lowest free number, so a descriptor's number shows how full the table is. */
static int open_directories(struct file_set *s, bool makes, struct err *e)
{
    const int reserve = FREE_IN_ALL + FREE_PER_WORKER * (int)s->setup.workers_here;
    int end = descriptor_limit_raise() - reserve;
    s->fds = calloc(s->directories.count, sizeof *s->fds);
    if (!s->fds)
        return err_system(e, ENOMEM, "allocate memory for directories of files");
    for (uint64_t i = 0; i < s->directories.count; i++)
        s->fds[i] = -1;
    for (uint64_t i = 0; i < s->directories.count; i++) {
        unsigned number = directory_number(s, i);
        int fd = scratch_open_directory(s->setup.scratch, number, makes, e);
        if (fd < 0) {
            if (makes)
                s->directories.count = i; /* only these exist and must be removed */
            return fd;
        }
        if (fd < end || s->directories.count == 1)
            s->fds[i] = fd;
        else
            close(fd);
    }
    return 0;
}

/* The descriptor of the directory `index`. It belongs to the set until the next call. */
static int directory_fd(struct file_set *s, uint64_t index, struct err *e)
{
    if (s->fds[index] >= 0)
        return s->fds[index];
    if (s->other_fd >= 0 && s->other == index)
        return s->other_fd;
    descriptor_close(&s->other_fd);
    s->other = index;
    s->other_fd = scratch_open_directory(s->setup.scratch, directory_number(s, index), false, e);
    return s->other_fd;
}

void file_set_close(struct file_set *s)
{
    descriptor_close(&s->other_fd);
    for (uint64_t i = 0; s->fds && i < s->directories.count; i++)
        descriptor_close(&s->fds[i]);
    free(s->fds);
    s->fds = NULL;
}

int file_set_find(struct file_set *s, uint64_t index, char name[FILE_NAME_SIZE],
                  struct file_place *place, struct err *e)
{
    uint64_t owner = partition_owner(s->files.count, s->directories.count, index % s->files.count);
    file_name(name, s->state.order, s->state.seed, s->files.first + index);
    *place = (struct file_place){
        .fd = directory_fd(s, owner, e), .directory = directory_number(s, owner), .name = name};
    return place->fd >= 0 ? 0 : place->fd;
}

DIR *file_set_list_directory(struct file_set *s, uint64_t index, struct file_place *place,
                             uint64_t *wanted, struct err *e)
{
    const struct scratch *scratch = s->setup.scratch;
    struct partition part = partition_of(s->files.count, s->directories.count, index);
    uint64_t rest = s->state.wanted % s->files.count; /* number of files of an unfinished round */
    uint64_t of_rest = rest > part.first ? MIN(rest - part.first, part.count) : 0;
    *wanted = part.count * (s->state.wanted / s->files.count) + of_rest;
    int fd = directory_fd(s, index, e);
    DIR *directory = fd < 0 ? NULL : directory_list(fd, ".");
    *place = (struct file_place){.fd = directory ? dirfd(directory) : -1,
                                 .directory = directory_number(s, index)};
    if (!directory && fd >= 0)
        err_system(e, errno, "open directory %u in %s/%s", place->directory, scratch->path,
                   scratch->name);
    return directory;
}

static bool has_data(const struct file_set *s)
{
    return s->setup.kind == FILES_DATA && s->setup.max_bytes > 0;
}

/* Room for the whole path of a file, for messages. */
#define WHOLE_PATH_SIZE 400

static void whole_path(const struct file_set *s, const struct file_place *place,
                       char path[WHOLE_PATH_SIZE])
{
    snprintf(path, WHOLE_PATH_SIZE, "%s/%s/%s/%s", s->setup.scratch->path, s->setup.scratch->name,
             made_name(MADE_DIRECTORY, place->directory).text, place->name);
}

static int fail_on(const struct file_set *s, const char *verb, const struct file_place *place,
                   struct err *e)
{
    int code = errno;
    char path[WHOLE_PATH_SIZE];
    whole_path(s, place, path);
    struct err hint = {0};
    if (path_is_full(place->fd, code))
        err_say(&hint, "the filesystem has room, so the directory may be full: use more "
                       "directories (DIRS of -n)");
    err_system(e, code, "%s %s", verb, path);
    err_append(e, &hint);
    return -code;
}

/* Makes a change in a directory durable, with -b. */
static int sync_directory(const struct file_set *s, const struct file_place *place, struct err *e)
{
    if (!s->setup.sync)
        return 0;
    const struct io_file f = {.fd = place->fd, .name = s->setup.scratch->path};
    return io_sync(&f, e);
}

static int create_file(struct file_set *s, const struct file_place *place, uint64_t number,
                       uint64_t *bytes, struct err *e)
{
    const struct file_set_setup *setup = &s->setup;
    char path[WHOLE_PATH_SIZE];
    struct io_file f = {.name = place->name};
    struct rng rng;
    f.fd =
        openat(place->fd, place->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (f.fd < 0)
        return fail_on(s, "create", place, e);
    int rc = 0;
    if (has_data(s)) {
        whole_path(s, place, path);
        f.name = path;
        rng_init(&rng, s->state.seed, number);
        *bytes = setup->min_bytes + rng_below(&rng, setup->max_bytes - setup->min_bytes + 1);
        size_t length;
        for (uint64_t at = 0; rc == 0 && at < *bytes; at += length) {
            length = MIN(*bytes - at, setup->chunk_bytes);
            pattern_fill(setup->pattern, setup->buffer, length, FIRST_FILE_NUMBER + number, at, 0);
            rc = io_write(&f, setup->buffer, length, at, e);
        }
        if (rc == 0 && setup->sync && *bytes > 0)
            rc = io_sync(&f, e);
    }
    int closed = io_close(&f, e);
    return rc ? rc : closed;
}

static int new_link_target(struct file_set *s, struct err *e)
{
    const struct made_name name = made_name(MADE_TARGET, s->first_origin + s->origins);
    int fd = scratch_make_file(s->setup.scratch, name.text, e);
    if (fd < 0)
        return fd;
    close(fd);
    s->origins++;
    return 0;
}

static bool link_to_newest(const struct file_set *s, const struct file_place *place)
{
    const struct made_name target = made_name(MADE_TARGET, s->first_origin + s->origins - 1);
    return linkat(s->setup.scratch->fd, target.text, place->fd, place->name, 0) == 0;
}

int file_set_create_next(struct file_set *s, enum name_order order, uint64_t *bytes, struct err *e)
{
    char name[FILE_NAME_SIZE];
    char target[sizeof "../" + sizeof(struct made_name)];
    struct file_place place;
    /* counted before it is made, because a failure may leave half of it */
    uint64_t index = s->state.made++;
    s->state.order = order;
    *bytes = 0;
    int rc = file_set_find(s, index, name, &place, e);
    if (rc != 0)
        return rc;
    if (s->setup.kind == FILES_DATA)
        rc = create_file(s, &place, s->files.first + index, bytes, e);
    else if (s->origins == 0)
        rc = new_link_target(s, e);
    if (rc == 0 && s->setup.kind == FILES_SYMBOLIC_LINKS) {
        snprintf(target, sizeof target, "../%s", made_name(MADE_TARGET, s->first_origin).text);
        if (symlinkat(target, place.fd, name) != 0)
            rc = fail_on(s, "symlink", &place, e);
    } else if (rc == 0 && s->setup.kind == FILES_HARD_LINKS && !link_to_newest(s, &place)) {
        /* the newest target may have as many links as it can have */
        rc = errno == EMLINK ? new_link_target(s, e) : fail_on(s, "link", &place, e);
        if (rc == 0 && !link_to_newest(s, &place))
            rc = fail_on(s, "link", &place, e);
    }
    return rc == 0 ? sync_directory(s, &place, e) : rc;
}

/* Opens a file for reading. Writes its whole path to `path`, which must outlive *f. */
static int open_to_read(const struct file_set *s, const struct file_place *place,
                        char path[WHOLE_PATH_SIZE], struct io_file *f, struct err *e)
{
    *f = (struct io_file){.fd = openat(place->fd, place->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC),
                          .name = path};
    if (f->fd < 0)
        return fail_on(s, "open", place, e);
    whole_path(s, place, path);
    return 0;
}

int file_set_stat(struct file_set *s, const struct file_place *place, uint64_t *bytes,
                  struct err *e)
{
    struct stat st;
    struct io_file f;
    char path[WHOLE_PATH_SIZE];
    *bytes = 0;
    if (fstatat(place->fd, place->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return fail_on(s, "stat", place, e);
    if (!has_data(s))
        return 0;
    *bytes = (uint64_t)st.st_size;
    if (*bytes < s->setup.min_bytes || *bytes > s->setup.max_bytes)
        return err_say(e, "stat %s: it has %lld bytes, which is not what was written", place->name,
                       (long long)st.st_size);
    if (*bytes == 0)
        return 0;
    int rc = open_to_read(s, place, path, &f, e);
    if (rc != 0)
        return rc;
    size_t length;
    for (uint64_t at = 0; rc == 0 && at < *bytes; at += length) {
        length = MIN(*bytes - at, s->setup.chunk_bytes);
        rc = io_read(&f, s->setup.buffer, length, at, e);
    }
    int closed = io_close(&f, e);
    return rc ? rc : closed;
}

int file_set_remove(struct file_set *s, const struct file_place *place, uint64_t *bytes,
                    struct err *e)
{
    *bytes = 0;
    if (unlinkat(place->fd, place->name, 0) != 0)
        return fail_on(s, "delete", place, e);
    return sync_directory(s, place, e);
}

int file_set_sync(const struct file_set *s, struct err *e)
{
    if (has_data(s) && !s->setup.sync && syncfs(s->setup.scratch->fd) != 0)
        return err_system(e, errno, "syncfs %s", s->setup.scratch->path);
    return 0;
}

int file_set_evict(struct file_set *s, struct err *e)
{
    char name[FILE_NAME_SIZE];
    char path[WHOLE_PATH_SIZE];
    struct file_place place;
    struct io_file f;
    int rc = file_set_sync(s, e);
    for (uint64_t i = 0; rc == 0 && has_data(s) && i < s->state.made; i++) {
        rc = file_set_find(s, i, name, &place, e);
        if (rc == 0)
            rc = open_to_read(s, &place, path, &f, e);
        if (rc != 0)
            return rc;
        posix_fadvise(f.fd, 0, 0, POSIX_FADV_DONTNEED);
        rc = io_close(&f, e);
        if (rc == 0)
            rc = stop_check(e);
    }
    return rc;
}

static int remove_files(struct file_set *s, struct err *e)
{
    char name[FILE_NAME_SIZE];
    struct file_place place;
    int rc = 0;
    for (uint64_t i = 0; s->fds && i < s->state.made; i++) {
        int one = file_set_find(s, i, name, &place, e);
        if (one == 0 && unlinkat(place.fd, place.name, 0) != 0 && errno != ENOENT)
            one = fail_on(s, "delete", &place, e);
        rc = one ? one : rc;
    }
    s->state.made = 0;
    for (; s->origins > 0; s->origins--) {
        const struct made_name target = made_name(MADE_TARGET, s->first_origin + s->origins - 1);
        int one = scratch_remove(s->setup.scratch, target.text, 0, "remove", e);
        rc = rc ? rc : one;
    }
    return rc;
}

static int make_room(struct file_set *s, struct err *e)
{
    int rc = s->fds ? 0 : open_directories(s, true, e);
    if (rc == 0)
        rc = remove_files(s, e);
    s->state.seed = s->next_seed;
    return rc;
}

int file_set_clear(struct file_set *s, bool goes_on, struct err *e)
{
    struct scratch_space space;
    /* whether there is room for all workers to make as many files again, with as much left free */
    bool grows = goes_on && !has_data(s) && s->state.wanted < MAX_WANTED &&
                 scratch_space(s->setup.scratch, &space, NULL) == 0 &&
                 space.files / 2 > s->setup.count &&
                 space.bytes / 2 > s->setup.count * BYTES_PER_FILE;
    s->state.wanted = s->files.count + (grows ? s->state.wanted : 0);
    return grows ? 0 : make_room(s, e);
}

int file_set_fill(struct file_set *s, enum name_order order, uint64_t until_ns, struct err *e)
{
    struct file_set_state *now = &s->state;
    if (until_ns == 0 && now->wanted < s->files.count)
        now->wanted = s->files.count; /* an earlier test may have stopped with fewer */
    if (now->made == now->wanted && now->order == order && now->seed == s->next_seed)
        return 0;
    int rc = make_room(s, e);
    uint64_t bytes;
    while (rc == 0 && now->made < now->wanted) {
        rc = file_set_create_next(s, order, &bytes, e);
        if (rc == 0)
            rc = stop_check(e);
        if (until_ns > 0 && clock_ns() >= until_ns)
            now->wanted = now->made;
    }
    return rc;
}

int file_set_release(struct file_set *s, struct err *e)
{
    uint64_t made = s->fds ? s->directories.count : 0;
    int rc = remove_files(s, e);
    file_set_close(s);
    for (uint64_t i = 0; i < made; i++) {
        int one =
            scratch_remove(s->setup.scratch, made_name(MADE_DIRECTORY, directory_number(s, i)).text,
                           AT_REMOVEDIR, "remove directory", e);
        rc = rc ? rc : one;
    }
    return rc;
}

int file_set_visit(struct file_set *s, const struct file_set_state *state, struct err *e)
{
    s->state = *state;
    s->next_seed = state->seed;
    return open_directories(s, false, e);
}
