#include "bonload/interim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bonload/conductor.h"
#include "bonload/report/report.h"
#include "util/message.h"

#define FAILURE_TEXT 256
#define RANK_TEXT    32

/* "rank 3: " in front of what one of several tells; else nothing. */
static const char *whose(const struct plan *p, char text[static RANK_TEXT])
{
    text[0] = '\0';
    if (plan_ranks(p) > 1)
        snprintf(text, RANK_TEXT, "rank %u: ", p->stripe.index);
    return text;
}

/* The name of the first request that failed so, if it can be told. */
static void tell_failure(const struct run *run, const struct failure *f)
{
    char text[FAILURE_TEXT];
    char rank[RANK_TEXT];
    uint64_t number = atomic_load(&f->number);
    char *name = malloc(run->names.longest + 1);
    run_describe(run, failure_code(f), text, sizeof text);
    if (name && number > 0)
        names_format(&run->names, number, name);
    message("%s%s: %s%s%s", whose(run->plan, rank), failure_kind(f) == LOAD_READ ? "read" : "write",
            name && number > 0 ? name : "", name && number > 0 ? ": " : "", text);
    free(name);
}

void tell_failures(struct conductor *c)
{
    struct run *run = c->run;
    for (unsigned i = 0; i < FAILURES_MOST; i++) {
        const struct failure *f = &run->failures.list[i];
        if (c->told_failures >> i & 1 || atomic_load(&f->count) == 0)
            continue;
        c->told_failures |= UINT64_C(1) << i;
        progress_clear(&c->view);
        tell_failure(run, f);
    }
}

void tell_interim(struct conductor *c)
{
    struct result result;
    struct err e;
    err_init(&e);
    if (conductor_result(c, &result, &e) != 0) {
        message("%s", e.text);
        return;
    }
    if (plan_ranks(result.plan) > 1)
        fprintf(stderr, "\nRank %u alone, one of %u:", result.plan->stripe.index,
                plan_ranks(result.plan));
    report_human(&result, stderr);
    fflush(stderr);
    result_release(&result);
}
