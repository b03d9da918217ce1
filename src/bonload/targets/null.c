#include "bonload/targets/target.h"

/* null: does nothing, to show what the program costs. */

static int available(struct err *e)
{
    (void)e;
    return 0;
}

static enum target_answer submit(void *thread, struct request *r)
{
    (void)thread, (void)r;
    return TARGET_ENDED;
}

const struct target_ops target_null = {
    .name = "null",
    .summary = "does nothing",
    .traits = TARGET_INSTANT,
    .available = available,
    .submit = submit,
    .describe = failure_describe,
};
