// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/targets/target.h"

/* null: does nothing, and so measures the cost of the program itself. */

static enum target_answer null_submit(void *thread, struct request *r)
{
    (void)thread, (void)r;
    return TARGET_ENDED;
}

const struct target_ops target_null = {
    .name = "null",
    .traits = TARGET_INSTANT,
    .submit = null_submit,
    .describe = failure_describe,
};
