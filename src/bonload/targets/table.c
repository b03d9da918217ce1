// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "bonload/targets/target.h"

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

static const struct target_ops *const targets[] = {
    &target_disk, &target_meta, &target_null,    &target_sleep,
    &target_http, &target_s3,   &target_profile, NULL,
};

const char *const target_words[] = {"disk", "meta", "null", "sleep", "http", "upload", "s3", NULL};
_Static_assert(sizeof target_words == sizeof targets,
               "a word for each target but profile, and upload, which is http");

const struct target_ops *target_by_name(const char *name)
{
    const struct target_ops *const *target = targets;
    if (strcmp(name, "upload") == 0)
        name = "http";
    while (*target && strcmp((*target)->name, name) != 0)
        target++;
    return *target;
}
