#include "bonnie/report/steady_text.h"

#include <math.h>
#include <stdio.h>

/* Names the slope if the rule rejects it, and otherwise the range. */
static void tell_unsteady(char text[static STEADY_TEXT], const struct steady_result *s)
{
    const struct steady_fit *f = &s->fit;
    double percent = fabs(f->slope_percent) / (STEADY_WINDOW - 1);
    if (fabs(f->slope_percent) > STEADY_SLOPE_PERCENT)
        snprintf(text, STEADY_TEXT, "not steady after %u rounds: still %s %.1f %% a round",
                 s->count, f->slope > 0 ? "rising" : "falling", percent);
    else
        snprintf(text, STEADY_TEXT,
                 "not steady after %u rounds: the last %d range over %.0f %% of their mean",
                 s->count, STEADY_WINDOW, f->range_percent);
}

void steady_text(char text[static STEADY_TEXT], const struct steady_result *s)
{
    if (s->is_steady)
        snprintf(text, STEADY_TEXT, "steady after round %u of %u", s->count, s->most_rounds);
    else
        tell_unsteady(text, s);
}
