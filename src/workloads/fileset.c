#include "workloads/fileset.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"
#include "stop.h"
#include "util/rng.h"

/* Every worker's link targets have numbers of their own. */
#define ORIGINS_PER_WORKER UINT64_C(1000000000000)

/* More files than these are not kept for the sake of further rounds. */
#define MOST_WANTED UINT64_C(1000000)

/* An inode and a name take no more, on average. */
#define BYTES_PER_FILE 4096

/* File numbers in stamps begin here, so that no data file has the same. */
#define FIRST_FILE_NUMBER (UINT64_C(1) << 32)

void fileset_init(struct fileset *s, const struct plan *p, const struct scratch *scratch,
                  const struct pattern *pattern, unsigned number, unsigned char *buffer)
{
    *s = (struct fileset){
        .plan = &p->files,
        .scratch = scratch,
        .pattern = pattern,
        .sync = p->sync,
        .seed = p->seed,
        .files = share_of(p->files.count, p->workers, number),
        .wanted = share_of(p->files.count, p->workers, number).count,
        .directories = share_of(p->files.directories, p->workers, number),
        .first_origin = number * ORIGINS_PER_WORKER,
        .buffer = buffer,
        .open_directory_fd = -1,
    };
}

unsigned fileset_path(const struct fileset *s, enum name_order order, uint64_t index,
                      char path[FILE_PATH_SIZE], int *at_fd)
{
    uint64_t number = s->files.first + index;
    if (s->directories.count == 1) {
        *at_fd = s->open_directory_fd;
        file_name(path, order, s->seed, number);
        return (unsigned)s->directories.first;
    }
    uint64_t place = share_owner(s->files.count, s->directories.count, index % s->files.count);
    unsigned directory = (unsigned)(s->directories.first + place);
    *at_fd = s->scratch->fd;
    directory_name(path, directory);
    path[DIRECTORY_NAME_LENGTH] = '/';
    file_name(path + DIRECTORY_NAME_LENGTH + 1, order, s->seed, number);
    return directory;
}

static uint64_t file_size(const struct fileset *s, uint64_t number)
{
    struct rng rng;
    rng_init(&rng, s->seed, number);
    return s->plan->min_bytes + rng_below(&rng, s->plan->max_bytes - s->plan->min_bytes + 1);
}

static bool has_data(const struct fileset *s)
{
    return s->plan->kind == FILES_DATA && s->plan->max_bytes > 0;
}

/* A file's whole path, for messages; at_fd is the private directory or the metadata directory. */
#define WHOLE_PATH_SIZE 400

static void whole_path(const struct fileset *s, int at_fd, unsigned directory, const char *path,
                       char name[WHOLE_PATH_SIZE])
{
    char below[DIRECTORY_NAME_SIZE] = "";
    bool is_below = at_fd != s->scratch->fd;
    if (is_below)
        directory_name(below, directory);
    snprintf(name, WHOLE_PATH_SIZE, "%s/%s/%s%s%s", s->scratch->path, s->scratch->name, below,
             is_below ? "/" : "", path);
}

static int fail_on(const struct fileset *s, const char *verb, int at_fd, unsigned directory,
                   const char *path, struct err *e)
{
    int code = errno;
    char name[WHOLE_PATH_SIZE];
    whole_path(s, at_fd, directory, path, name);
    return err_system(e, code, "%s %s", verb, name);
}

/*
 * -b: what was changed in a directory is made durable. The descriptor is kept for the next file; of
 * an only directory it is there from the start.
 */
static int sync_directory(struct fileset *s, unsigned directory, struct err *e)
{
    if (!s->sync)
        return 0;
    if (s->open_directory_fd < 0 || s->open_directory != directory) {
        char name[DIRECTORY_NAME_SIZE];
        directory_name(name, directory);
        if (s->open_directory_fd >= 0)
            close(s->open_directory_fd);
        s->open_directory = directory;
        s->open_directory_fd =
            openat(s->scratch->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (s->open_directory_fd < 0)
            return fail_on(s, "open directory", s->scratch->fd, directory, name, e);
    }
    const struct io_file f = {.fd = s->open_directory_fd, .name = s->scratch->path};
    return io_sync(&f, e);
}

static int write_data(struct fileset *s, const struct io_file *f, uint64_t number, uint64_t size,
                      struct err *e)
{
    int rc = 0;
    for (uint64_t at = 0; rc == 0 && at < size;) {
        size_t length = s->plan->chunk_bytes;
        if (length > size - at)
            length = (size_t)(size - at);
        pattern_fill(s->pattern, s->buffer, length, FIRST_FILE_NUMBER + number, at, 0);
        rc = io_write(f, s->buffer, length, at, e);
        at += length;
    }
    return rc == 0 && s->sync && size > 0 ? io_sync(f, e) : rc;
}

static int create_file(struct fileset *s, int at_fd, const char *path, uint64_t number,
                       uint64_t *bytes, struct err *e)
{
    char name[WHOLE_PATH_SIZE];
    struct io_file f = {.name = path};
    f.fd = openat(at_fd, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (f.fd < 0)
        return fail_on(s, "create", at_fd, (unsigned)s->directories.first, path, e);
    int rc = 0;
    if (has_data(s)) {
        whole_path(s, at_fd, (unsigned)s->directories.first, path, name);
        f.name = name;
        *bytes = file_size(s, number);
        rc = write_data(s, &f, number, *bytes, e);
    }
    int closed = io_close(&f, e);
    return rc ? rc : closed;
}

static int new_origin(struct fileset *s, struct err *e)
{
    int rc = scratch_make_origin(s->scratch, s->first_origin + s->origins, e);
    if (rc == 0)
        s->origins++;
    return rc;
}

/* Links to the newest origin, or to a new one when that has as many links as it may have. */
static int create_hard_link(struct fileset *s, int at_fd, const char *path, struct err *e)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        char origin[ORIGIN_NAME_SIZE];
        if (s->origins > 0) {
            origin_name(origin, s->first_origin + s->origins - 1);
            if (linkat(s->scratch->fd, origin, at_fd, path, 0) == 0)
                return 0;
            if (errno != EMLINK)
                break;
        }
        int rc = new_origin(s, e);
        if (rc != 0)
            return rc;
    }
    return fail_on(s, "link", at_fd, (unsigned)s->directories.first, path, e);
}

static int create_symbolic_link(struct fileset *s, int at_fd, const char *path, struct err *e)
{
    char target[sizeof "../" + ORIGIN_NAME_SIZE] = "../";
    int rc = s->origins == 0 ? new_origin(s, e) : 0;
    if (rc != 0)
        return rc;
    origin_name(target + 3, s->first_origin);
    if (symlinkat(target, at_fd, path) != 0)
        return fail_on(s, "symlink", at_fd, (unsigned)s->directories.first, path, e);
    return 0;
}

int fileset_create_next(struct fileset *s, enum name_order order, uint64_t *bytes, struct err *e)
{
    char path[FILE_PATH_SIZE];
    uint64_t index = s->made++; /* counted first: a failure may leave it half made */
    s->order = order;
    *bytes = 0;
    int at_fd;
    unsigned directory = fileset_path(s, order, index, path, &at_fd);
    int rc = 0;
    switch (s->plan->kind) {
    case FILES_DATA:
        rc = create_file(s, at_fd, path, s->files.first + index, bytes, e);
        break;
    case FILES_HARD_LINKS:
        rc = create_hard_link(s, at_fd, path, e);
        break;
    case FILES_SYMBOLIC_LINKS:
        rc = create_symbolic_link(s, at_fd, path, e);
        break;
    }
    return rc == 0 ? sync_directory(s, directory, e) : rc;
}

/* Its whole path goes to `name`, which has to outlive it. */
static int open_to_read(const struct fileset *s, int at_fd, const char *path, unsigned directory,
                        char name[WHOLE_PATH_SIZE], struct io_file *f, struct err *e)
{
    f->fd = openat(at_fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (f->fd < 0)
        return fail_on(s, "open", at_fd, directory, path, e);
    whole_path(s, at_fd, directory, path, name);
    f->name = name;
    return 0;
}

static int read_data(struct fileset *s, int at_fd, const char *path, unsigned directory,
                     uint64_t size, struct err *e)
{
    struct io_file f;
    char name[WHOLE_PATH_SIZE];
    int rc = open_to_read(s, at_fd, path, directory, name, &f, e);
    if (rc != 0)
        return rc;
    for (uint64_t at = 0; rc == 0 && at < size;) {
        size_t length = s->plan->chunk_bytes;
        if (length > size - at)
            length = (size_t)(size - at);
        rc = io_read(&f, s->buffer, length, at, e);
        at += length;
    }
    int closed = io_close(&f, e);
    return rc ? rc : closed;
}

int fileset_stat(struct fileset *s, int at_fd, const char *path, unsigned directory,
                 uint64_t *bytes, struct err *e)
{
    struct stat st;
    *bytes = 0;
    if (fstatat(at_fd, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return fail_on(s, "stat", at_fd, directory, path, e);
    if (!has_data(s))
        return 0;
    *bytes = (uint64_t)st.st_size;
    if (*bytes < s->plan->min_bytes || *bytes > s->plan->max_bytes)
        return err_say(e, "stat %s: it has %lld bytes, which is not what was written", path,
                       (long long)st.st_size);
    return *bytes > 0 ? read_data(s, at_fd, path, directory, *bytes, e) : 0;
}

int fileset_remove(struct fileset *s, int at_fd, const char *path, unsigned directory,
                   struct err *e)
{
    if (unlinkat(at_fd, path, 0) != 0)
        return fail_on(s, "delete", at_fd, directory, path, e);
    return sync_directory(s, directory, e);
}

int fileset_sync(const struct fileset *s, struct err *e)
{
    if (has_data(s) && !s->sync && syncfs(s->scratch->fd) != 0)
        return err_system(e, errno, "syncfs %s", s->scratch->path);
    return 0;
}

int fileset_evict(struct fileset *s, struct err *e)
{
    if (!has_data(s))
        return 0;
    int rc = fileset_sync(s, e);
    for (uint64_t i = 0; rc == 0 && i < s->made; i++) {
        char path[FILE_PATH_SIZE];
        int at_fd;
        unsigned directory = fileset_path(s, s->order, i, path, &at_fd);
        struct io_file f;
        char name[WHOLE_PATH_SIZE];
        rc = open_to_read(s, at_fd, path, directory, name, &f, e);
        if (rc != 0)
            return rc;
        posix_fadvise(f.fd, 0, 0, POSIX_FADV_DONTNEED);
        rc = io_close(&f, e);
        if (rc == 0)
            rc = stop_check(e);
    }
    return rc;
}

/* Removes the files; some of them may be gone already. */
static int remove_files(struct fileset *s, struct err *e)
{
    int rc = 0;
    for (uint64_t i = 0; i < s->made; i++) {
        char path[FILE_PATH_SIZE];
        int at_fd;
        unsigned directory = fileset_path(s, s->order, i, path, &at_fd);
        if (unlinkat(at_fd, path, 0) != 0 && errno != ENOENT)
            rc = fail_on(s, "delete", at_fd, directory, path, e);
    }
    s->made = 0;
    for (; s->origins > 0; s->origins--) {
        int one = scratch_remove_origin(s->scratch, s->first_origin + s->origins - 1, e);
        rc = rc ? rc : one;
    }
    return rc;
}

static int make_directories(struct fileset *s, struct err *e)
{
    if (s->directories_made)
        return 0;
    s->directories_made = true;
    for (uint64_t i = 0; i < s->directories.count; i++) {
        int fd = scratch_make_directory(s->scratch, (unsigned)(s->directories.first + i), e);
        if (fd < 0) {
            s->directories.count = i; /* these are there to be removed */
            return fd;
        }
        if (s->directories.count > 1) {
            close(fd);
            continue;
        }
        s->open_directory_fd = fd;
        s->open_directory = (unsigned)s->directories.first;
    }
    return 0;
}

static int make_room(struct fileset *s, struct err *e)
{
    int rc = make_directories(s, e);
    return rc == 0 ? remove_files(s, e) : rc;
}

int fileset_clear(struct fileset *s, struct err *e)
{
    s->wanted = s->files.count;
    return make_room(s, e);
}

/* Whether all workers can make as many files again, and leave as much as that. */
static bool can_grow(const struct fileset *s)
{
    struct scratch_space space;
    struct err ignored;
    err_init(&ignored);
    return !has_data(s) && s->wanted < MOST_WANTED &&
           scratch_space(s->scratch->path, &space, &ignored) == 0 &&
           space.files / 2 > s->plan->count && space.bytes / 2 > s->plan->count * BYTES_PER_FILE;
}

int fileset_extend(struct fileset *s, struct err *e)
{
    if (!can_grow(s))
        return fileset_clear(s, e);
    s->wanted += s->files.count;
    return 0;
}

int fileset_fill(struct fileset *s, enum name_order order, struct err *e)
{
    if (s->made == s->wanted && s->order == order)
        return 0;
    int rc = make_room(s, e);
    uint64_t bytes;
    while (rc == 0 && s->made < s->wanted) {
        rc = fileset_create_next(s, order, &bytes, e);
        if (rc == 0)
            rc = stop_check(e);
    }
    return rc;
}

int fileset_release(struct fileset *s, struct err *e)
{
    if (!s->directories_made)
        return 0;
    int rc = remove_files(s, e);
    if (s->open_directory_fd >= 0)
        close(s->open_directory_fd);
    s->open_directory_fd = -1;
    for (uint64_t i = 0; i < s->directories.count; i++) {
        int one = scratch_remove_directory(s->scratch, (unsigned)(s->directories.first + i), e);
        rc = rc ? rc : one;
    }
    s->directories_made = false;
    return rc;
}
