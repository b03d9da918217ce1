#include "bonload/control/verbose.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/kernel_file.h"
#include "util/message.h"
#include "util/units.h"

#define MEMORY_EVERY_NS (10 * BILLION)

#define RANK_TEXT 32

/* Returns "rank 3: " if there are several ranks, and "" otherwise. */
static const char *rank_prefix(const struct plan *p, char text[static RANK_TEXT])
{
    text[0] = '\0';
    if (plan_ranks(p) > 1)
        snprintf(text, RANK_TEXT, "rank %u: ", p->stripe.index);
    return text;
}

static void tell_failure(const struct run *run, const struct failure *f)
{
    char rank[RANK_TEXT];
    char *text = run_tell_failure(run, f);
    message("%s%s", rank_prefix(run->plan, rank), text ? text : "a request failed");
    free(text);
}

void tell_failures(const struct run *run, uint64_t *told, struct progress_view *view)
{
    for (unsigned i = 0; i < FAILURES_MOST; i++) {
        const struct failure *f = &run->failures.list[i];
        if (*told >> i & 1 || atomic_load(&f->count) == 0)
            continue;
        *told |= UINT64_C(1) << i;
        progress_clear(view);
        tell_failure(run, f);
    }
}

void tell_memory(uint64_t *told_ns, uint64_t now_ns)
{
    unsigned long total;
    unsigned long resident;
    if (now_ns < *told_ns + MEMORY_EVERY_NS)
        return;
    *told_ns = now_ns;
    FILE *in = kernel_file_read("/proc/self/statm");
    if (!in)
        return;
    if (fscanf(in, "%lu %lu", &total, &resident) == 2)
        message("memory used: %lu KiB", resident * (unsigned long)sysconf(_SC_PAGESIZE) / 1024);
    fclose(in);
}
