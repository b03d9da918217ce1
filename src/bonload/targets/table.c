// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "bonload/targets/target.h"
#include "sys/path.h"

extern const struct target_ops target_disk;
extern const struct target_ops target_http;
extern const struct target_ops target_meta;
extern const struct target_ops target_profile;
extern const struct target_ops target_s3;
extern const struct target_ops target_sleep;

/* A target that this build lacks keeps its row in the table, and says why it cannot be used. */
#ifndef HAVE_CURL
static int no_curl(struct err *e)
{
    return err_say(e, "this build lacks libcurl or libcrypto, which the targets http and s3 need");
}

const struct target_ops target_http = {
    .name = "http", .traits = TARGET_NAMES, .available = no_curl};

const struct target_ops target_s3 = {.name = "s3", .traits = TARGET_NAMES, .available = no_curl};
#endif

/* null: does nothing, and so measures the cost of the program itself. */

static enum target_answer null_submit(void *thread, struct request *r)
{
    (void)thread, (void)r;
    return TARGET_ENDED;
}

static const struct target_ops target_null = {
    .name = "null",
    .traits = TARGET_INSTANT,
    .submit = null_submit,
    .describe = failure_describe,
};

const struct target_ops *const target_table[] = {
    &target_disk, &target_meta, &target_null,    &target_sleep,
    &target_http, &target_s3,   &target_profile, NULL,
};

const char *const target_words[] = {"disk", "meta", "null", "sleep", "http", "upload", "s3", NULL};

const struct target_ops *target_by_name(const char *name)
{
    const struct target_ops *const *target = target_table;
    if (strcmp(name, "upload") == 0)
        name = "http";
    while (*target && strcmp((*target)->name, name) != 0)
        target++;
    return *target;
}

void failure_describe(const void *shared, uint32_t failure, char *text, size_t size)
{
    (void)shared;
    static const char *const steps[] = {
        [STEP_NONE] = "",
        [STEP_OPEN] = "open: ",
        [STEP_READ] = "read: ",
        [STEP_WRITE] = "write: ",
        [STEP_SYNC] = "fsync: ",
        [STEP_CLOSE] = "close: ",
        [STEP_RENAME] = "rename: ",
        [STEP_UNLINK] = "unlink: ",
        [STEP_SHORT] = "shorter than what was written",
        [STEP_DAMAGED] = "damaged: not what was written",
        [STEP_OTHER] = "",
    };
    uint32_t step = failure >> 16;
    int code = (int)(failure & 0xffff);
    snprintf(text, size, "%s%s", step <= STEP_OTHER ? steps[step] : "",
             code ? path_reason(code) : "");
}
