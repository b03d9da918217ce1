#include "bonload/control/outlook.h"

#include "util/units.h"

/*
 * A run without any success ends after HOPELESS_ERRORS failures, with a server not before
 * HOPELESS_NS.
 */
#define HOPELESS_ERRORS 100
#define HOPELESS_NS     (10 * BILLION)

void outlook_look(struct outlook *o, const struct run *run, uint64_t elapsed_ns)
{
    uint64_t patience_ns = run->target->traits & TARGET_FILES ? 0 : HOPELESS_NS;
    uint64_t errors = 0;
    if (o->has_succeeded || run->plan->max_errors >= 100 || elapsed_ns < patience_ns)
        return;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct counts counts = recorders_counts(&run->recorders, kind);
        o->has_succeeded |= counts.good > 0;
        errors += counts.errors;
    }
    o->is_hopeless = !o->has_succeeded && errors >= HOPELESS_ERRORS;
}
