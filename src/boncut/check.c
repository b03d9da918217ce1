#include "boncut/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boncut/methods/method.h"
#include "boncut/report/report.h"
#include "boncut/verdict.h"
#include "storage/private_directory.h"
#include "sys/output.h"
#include "sys/path.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/message.h"
#include "util/portable.h"
#include "util/units.h"

/* ---- the directory --------------------------------------------------------------------------- */

/* Whether the error means that the filesystem is damaged, and not that access is denied. */
static bool is_damage(int code)
{
    return code == EIO || code == EUCLEAN || code == EBADMSG || code == ENODATA;
}

static int say_gone(struct check *c, const char *what)
{
    c->is_gone = true;
    snprintf(c->gone, sizeof c->gone, "%s", what);
    return 0;
}

static int say_unreadable(struct check *c, int code)
{
    char what[sizeof c->gone];
    snprintf(what, sizeof what, "cannot be read (%s)", portable_reason(code));
    return say_gone(c, what);
}

/*
 * Looks for the private directory of another run, and stores its name in `other`, which stays empty
 * when there is none.
 */
static int find_other_run(int fd, const char *path, char other[PRIVATE_NAME_SIZE], struct err *e)
{
    int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = again >= 0 ? fdopendir(again) : NULL;
    *other = '\0';
    if (!directory) {
        int code = errno;
        descriptor_close(&again);
        return is_damage(code) ? 0 : err_system(e, code, "list directory %s", path);
    }
    for (const struct dirent *entry; (entry = readdir(directory));)
        if (is_private_name(entry->d_name))
            snprintf(other, PRIVATE_NAME_SIZE, "%.*s", PRIVATE_NAME_SIZE - 1, entry->d_name);
    closedir(directory);
    return 0;
}

/*
 * Finds out why the log's directory is missing. Returns 0 when the directory was lost, and a
 * failure when `path` is not the place that the log describes.
 */
static int explain_absence(struct check *c, int parent_fd, const char *path, struct err *e)
{
    const struct header *h = &c->ledger.header;
    char other[PRIVATE_NAME_SIZE] = "";
    if (strcmp(h->filesystem, c->here.filesystem) != 0)
        return err_say(e,
                       "%s is on %s, but the log is of a directory on %s: is that filesystem "
                       "mounted? Give --unmounted if it cannot be",
                       path, *c->here.filesystem ? c->here.filesystem : "an unknown filesystem",
                       *h->filesystem ? h->filesystem : "an unknown filesystem");
    int rc = find_other_run(parent_fd, path, other, e);
    if (rc == 0 && *other)
        return err_say(e,
                       "the log is not of this directory: %s contains %s, which is of another run, "
                       "instead of %s",
                       path, other, h->directory);
    return rc == 0 ? say_gone(c, "is gone") : rc;
}

/*
 * Opens the private directory that the log names, and accepts no other. If it is lost or damaged,
 * returns 0 with c->is_gone set and no descriptor in *fd.
 */
static int open_directory(struct check *c, int parent_fd, const char *path, int *fd, struct err *e)
{
    char found[FOUND_SIZE];
    *fd = directory_open(parent_fd, c->ledger.header.directory);
    if (*fd == -ENOENT)
        return explain_absence(c, parent_fd, path, e);
    if (*fd < 0)
        return is_damage(-*fd)
                   ? say_unreadable(c, -*fd)
                   : err_system(e, -*fd, "open directory %s/%s", path, c->ledger.header.directory);
    int ownership = private_directory_ownership(parent_fd, *fd, found);
    if (ownership < 0)
        return err_system(e, -ownership, "check directory %s/%s", path, c->ledger.header.directory);
    if (ownership == OWNERSHIP_OTHER)
        return err_say(e, "%s/%s is not a directory that this user's run has made: %s", path,
                       c->ledger.header.directory, found);
    return 0;
}

/* ---- judging --------------------------------------------------------------------------------- */

static int judge_all(struct check *c, int fd, struct err *e)
{
    const struct header *h = &c->ledger.header;
    struct pattern pattern;
    struct judging j = {.header = h,
                        .ledger = &c->ledger,
                        .pattern = &pattern,
                        .directory_fd = fd,
                        .evicts = c->is_same_boot,
                        .buffer =
                            aligned_alloc(4096, round_up(METHOD_BUFFER * h->block_bytes, 4096)),
                        .findings = &c->findings};
    int rc = j.buffer ? 0 : err_system(e, ENOMEM, "memory for a buffer");
    pattern_init(&pattern, DATA_RANDOM, 100, PATTERN_UNIT_MIN, h->seed, h->run);
    for (j.method = 0; rc == 0 && j.method < method_count; j.method++) {
        unsigned workers = methods[j.method].is_control ? 1 : h->workers;
        for (unsigned worker = 0; rc == 0 && worker < workers; worker++) {
            if (h->methods & 1U << j.method)
                methods[j.method].judge(&j, worker);
            rc = j.failure ? err_system(e, j.failure, "memory for the units") : stop_check(e);
        }
    }
    c->resident_bytes = j.resident_bytes;
    free(j.buffer);
    return rc;
}

static void tell_residency(const struct check *c)
{
    char size[UNITS_TEXT];
    if (c->resident_bytes == 0)
        return;
    units_format_readable(size, c->resident_bytes);
    message("%s of the files stayed in the page cache: what was read may not be what is stored",
            size);
}

/*
 * Accepts the user's claim that the filesystem does not mount, if the directory is indeed missing.
 */
static int judge_unmounted(struct check *c, int parent_fd, const char *path, struct err *e)
{
    const char *name = c->ledger.header.directory;
    if (parent_fd >= 0 && faccessat(parent_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return err_say(e, "--unmounted: %s/%s is there", path, name);
    return say_gone(c, "is on a filesystem that does not mount");
}

static int judge_mounted(struct check *c, int parent_fd, const char *path, struct err *e)
{
    int fd = -1;
    int rc = open_directory(c, parent_fd, path, &fd, e);
    if (rc == 0 && !c->is_gone)
        rc = judge_all(c, fd, e);
    descriptor_close(&fd);
    return rc;
}

static int judge_directory(struct check *c, const struct settings *s, struct err *e)
{
    struct err failure;
    err_init(&failure);
    int rc = path_open_to_list(s->directory, PATH_FAILS, &failure);
    int parent_fd = rc;
    header_describe_place(&c->here, parent_fd);
    c->is_same_boot = *c->here.boot_id && strcmp(c->here.boot_id, c->ledger.header.boot_id) == 0;
    if (s->is_unmounted)
        rc = judge_unmounted(c, parent_fd, s->directory, e);
    else if (parent_fd >= 0)
        rc = judge_mounted(c, parent_fd, s->directory, e);
    else if (is_damage(-parent_fd))
        rc = say_unreadable(c, -parent_fd);
    else
        *e = failure;
    descriptor_close(&parent_fd);
    return rc;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int report_check(const struct check *c, bool json, struct err *e)
{
    if (!json) {
        check_report_text(c, stdout);
        return 0;
    }
    char *text;
    int rc = check_report_json(c, &text, e);
    if (rc != 0)
        return rc;
    errno = 0;
    puts(text);
    free(text);
    return output_flush(e);
}

int boncut_check(const struct settings *s, int *status, struct err *e)
{
    static struct check check; /* static: its tallies are too large for a stack */
    int rc = stop_init(e);
    if (rc == 0)
        rc = ledger_read(&check.ledger, STDIN_FILENO, e);
    if (rc == 0)
        rc = judge_directory(&check, s, e);
    if (rc == 0) {
        tell_residency(&check);
        verdict_find(&check);
        *status = verdict_status(check.verdict);
        rc = report_check(&check, s->json, e);
    }
    ledger_release(&check.ledger);
    return rc;
}
