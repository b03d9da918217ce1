// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/commands.h"

#include <errno.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boncut/methods/method.h"
#include "boncut/verdict.h"
#include "measure/clock.h"
#include "measure/mount_info.h"
#include "report/document.h"
#include "storage/scratch.h"
#include "sys/path.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/err.h"
#include "util/portable.h"
#include "util/printable.h"
#include "util/units.h"

/* ---- the place ------------------------------------------------------------------------------- */

static int say_gone(struct check *c, const char *what)
{
    c->is_gone = true;
    snprintf(c->gone, sizeof c->gone, "%s", what);
    return 0;
}

static const char *or_unknown(const char *text)
{
    return *text ? text : "unknown";
}

/* Whether the filesystem is the log's: 1 or 0; -1: that is not known. */
static int is_same_filesystem(const struct check *c)
{
    const struct header *h = &c->ledger.header;
    if (*h->uuid && *c->here.uuid)
        return strcmp(h->uuid, c->here.uuid) == 0;
    return strcmp(h->filesystem, c->here.filesystem) == 0 ? -1 : 0;
}

/* Refuses a filesystem that is not the log's, or does not show what the storage holds. */
static int check_filesystem(const struct check *c, int fd, const char *path, struct err *e)
{
    static const struct {
        const char *option; /* a mount option, whole */
        const char *state;
    } states[] = {
        {"shutdown", "shut down"},
        {"norecovery", "mounted without the recovery of its journal"},
        {"nologreplay", "mounted without the replay of its log"},
        {"disable_roll_forward", "mounted without the recovery of what was synced"},
    };
    char rescue[MOUNT_OPTION + 1] = ""; /* what btrfs lists in an option: "rescue=a:nologreplay" */
    const char *state = NULL;
    int version;
    const char *found = strstr(c->here.options, ",rescue=");
    if (found)
        sscanf(found, ",rescue=%64[^,]", rescue);
    for (char *colon = rescue; (colon = strchr(colon, ':'));)
        *colon = ',';
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        const char *option = states[i].option;
        if (word_list_has(c->here.options, option, strlen(option)) ||
            word_list_has(rescue, option, strlen(option)))
            state = states[i].state;
    }
    if (portable_ioctl(fd, FS_IOC_GETVERSION, &version) != 0 && errno == EIO)
        state = states[0].state;
    if (state)
        return err_say(
            e,
            "the filesystem of %s is %s, so nothing on it can be judged: unmount it, and "
            "mount it again",
            path, state);
    const struct header *h = &c->ledger.header;
    if (is_same_filesystem(c) != 0)
        return 0;
    return err_say(
        e,
        "%s is on a filesystem of type %s with the UUID %s, but the log is of one of type "
        "%s with the UUID %s: is that one mounted? Give --unmounted if it cannot be",
        path, or_unknown(c->here.filesystem), or_unknown(c->here.uuid), or_unknown(h->filesystem),
        or_unknown(h->uuid));
}

static void see_run(void *context, int fd, const char *name)
{
    char *other = context;
    (void)fd;
    if (is_private_name(name))
        snprintf(other, PRIVATE_NAME_SIZE, "%.*s", PRIVATE_NAME_SIZE - 1, name);
}

/* Returns 0 if the missing directory was lost, and fails if it may have been elsewhere. */
static int explain_absence(struct check *c, int parent_fd, const char *path, struct err *e)
{
    const struct header *h = &c->ledger.header;
    char other[PRIVATE_NAME_SIZE] = "";
    int rc = directory_list(parent_fd, ".", see_run, other);
    if (rc < 0)
        return err_system(e, -rc, "list directory %s", path);
    if (*other)
        return err_say(e,
                       "the log is not of this directory: %s contains %s, which is of another run, "
                       "instead of %s",
                       path, other, h->directory);
    if (is_same_filesystem(c) < 0)
        return err_say(e,
                       "%s does not contain %s, and the filesystem has no UUID in the log that "
                       "would show whether it is the same: is the right one mounted?",
                       path, h->directory);
    if (!*h->parent || strcmp(h->parent, c->here.parent) != 0)
        return err_say(e,
                       "%s does not contain %s, and is not the directory of that filesystem in "
                       "which it was made",
                       path, h->directory);
    return say_gone(c, "is gone");
}

/*
 * Opens the private directory that the log names, and accepts no other. If it is lost, returns 0
 * with c->is_gone set and no descriptor in *fd.
 */
static int open_directory(struct check *c, int parent_fd, const char *path, int *fd, struct err *e)
{
    char found[FOUND_SIZE];
    *fd = directory_open(parent_fd, c->ledger.header.directory);
    if (*fd == -ENOENT)
        return explain_absence(c, parent_fd, path, e);
    if (*fd < 0)
        return err_system(e, -*fd, "open directory %s/%s", path, c->ledger.header.directory);
    int ownership =
        private_directory_ownership(parent_fd, *fd, c->settings->trusts_directory, found);
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
                        .buffer = method_buffer(h),
                        .findings = &c->findings};
    int rc = j.buffer ? 0 : err_system(e, ENOMEM, "allocate memory for a buffer");
    pattern_init(&pattern, DATA_RANDOM, 100, PATTERN_UNIT_MIN, h->seed, h->run);
    for (j.method = 0; rc == 0 && j.method < METHODS; j.method++) {
        unsigned workers = methods[j.method].is_control ? 1 : h->workers;
        for (unsigned worker = 0; rc == 0 && worker < workers; worker++) {
            if (h->methods & 1U << j.method)
                methods[j.method].judge(&j, worker);
            rc = j.failure ? err_system(e, j.failure, "check the units") : stop_check(e);
        }
    }
    c->resident_bytes = j.resident_bytes;
    free(j.buffer);
    return rc;
}

/*
 * Accepts the user's claim that the filesystem cannot be mounted, unless the directory can be
 * opened, or this user is not allowed to look.
 */
static int judge_unmounted(struct check *c, const char *path, struct err *e)
{
    const char *name = c->ledger.header.directory;
    struct err why = {0};
    int rc;
    int parent_fd = path_open_to_list(path, PATH_FAILS, &why);
    int fd = parent_fd >= 0 ? directory_open(parent_fd, name) : parent_fd;
    if (parent_fd >= 0 && fd < 0)
        err_system(&why, -fd, "open directory %s/%s", path, name);
    if (fd >= 0)
        rc = err_say(e, "--unmounted: %s/%s is there", path, name);
    else if (fd == -EACCES || fd == -PATH_LINK)
        rc = err_say(e, "%s", why.text);
    else
        rc = say_gone(c, "is on a filesystem that does not mount");
    descriptor_close(&fd);
    descriptor_close(&parent_fd);
    return rc;
}

static int judge_mounted(struct check *c, const char *path, struct err *e)
{
    const struct header *h = &c->ledger.header;
    int fd = -1;
    int parent_fd = path_open_to_list(path, PATH_FAILS, e);
    if (parent_fd < 0)
        return parent_fd;
    header_describe_place(&c->here, parent_fd);
    mount_info_find(&c->mount, parent_fd);
    device_find(&c->devices, &c->mount);
    c->is_same_boot = *c->here.boot_id && strcmp(c->here.boot_id, h->boot_id) == 0;
    /* without evidence, it is the same mount within one boot */
    c->is_same_mount = c->is_same_boot &&
                       (h->superblock && c->here.superblock
                            ? h->superblock == c->here.superblock
                            : !h->mount_id || !c->here.mount_id || h->mount_id == c->here.mount_id);
    int rc = check_filesystem(c, parent_fd, path, e);
    if (rc == 0)
        rc = open_directory(c, parent_fd, path, &fd, e);
    if (rc == 0 && !c->is_gone)
        rc = judge_all(c, fd, e);
    descriptor_close(&fd);
    descriptor_close(&parent_fd);
    return rc;
}

/* ---- the command ----------------------------------------------------------------------------- */

int boncut_check(const struct settings *s, struct err *e)
{
    static struct check check; /* static: its tallies are too large for a stack */
    char size[UNITS_TEXT];
    check.settings = s;
    check.begun_ns = clock_ns();
    int rc = ledger_read(&check.ledger, STDIN_FILENO, e);
    if (rc == 0)
        rc = s->is_unmounted ? judge_unmounted(&check, s->directory, e)
                             : judge_mounted(&check, s->directory, e);
    if (rc == 0) {
        units_format_readable(size, check.resident_bytes);
        if (check.resident_bytes > 0)
            message("%s of the files stayed in the page cache: what was read may not be what is "
                    "stored",
                    size);
        verdict_find(&check);
        if (s->json)
            rc = document_print(check_report_json(&check), e);
        else
            check_report_text(&check, stdout);
    }
    if (rc == 0 && (rc = verdict_status(check.verdict)) != 0)
        err_say(e, "%s: %s", verdict_headings[check.verdict], check.reason);
    ledger_release(&check.ledger);
    return rc;
}
