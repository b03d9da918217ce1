#include "boncut/campaign/sum.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "boncut/campaign/bound.h"
#include "util/units.h"

/* Probabilities of error of a one-sided bound, and of each bound of a two-sided interval. */
#define ONE_SIDED 0.05
#define TWO_SIDED 0.025

static int find_word(const char *word, const char *const words[], int count)
{
    for (int i = 0; word && i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    return -1;
}

static uint64_t count_of(const json_t *object, const char *key)
{
    json_int_t count = json_integer_value(json_object_get(object, key));
    return count > 0 ? (uint64_t)count : 0;
}

int campaign_cut_read(struct campaign_cut *cut, const json_t *report, struct err *e)
{
    const json_t *verdict = json_object_get(report, "verdict");
    const json_t *sum = json_object_get(report, "sum");
    int result =
        find_word(json_string_value(json_object_get(verdict, "result")), verdict_names, VERDICTS);
    int layer =
        find_word(json_string_value(json_object_get(verdict, "layer_cut")), layer_names, LAYERS);
    const char *text = json_string_value(json_object_get(verdict, "text"));
    if (result < 0 || layer < 0 || !text)
        return err_say(e, "it is not a report of boncut check --json");
    *cut = (struct campaign_cut){
        .verdict = (enum verdict)result,
        .layer = (enum layer)layer,
        .promises = count_of(sum, "promises"),
        .units = count_of(sum, "units"),
        .text = text,
    };
    uint64_t others =
        count_of(sum, "kept") + count_of(sum, "unknown") + count_of(sum, "unreadable");
    cut->lost_units = cut->units > others ? cut->units - others : 0;
    return 0;
}

void campaign_sum_add(struct campaign_sum *sum, const struct campaign_cut *cut)
{
    sum->cuts++;
    sum->unreadable += cut->verdict == VERDICT_UNREADABLE;
    if (cut->verdict == VERDICT_INCONCLUSIVE || cut->verdict == VERDICT_UNREADABLE)
        return;
    sum->conclusive++;
    sum->lost += cut->verdict == VERDICT_LOST;
    sum->promises += cut->promises;
    sum->lost_units += cut->lost_units;
    sum->reached_drive += cut->layer == LAYER_DRIVE;
}

static void say_reach(struct campaign_sum *sum)
{
    size_t length = strlen(sum->text);
    char *end = sum->text + length;
    size_t room = sizeof sum->text - length;
    if (sum->reached_drive == 0)
        snprintf(end, room, "; no cut reached the drive's cache, about which nothing is shown");
    else if (sum->reached_drive < sum->conclusive)
        snprintf(end, room, "; %" PRIu64 " of these cuts reached the drive's cache",
                 sum->reached_drive);
    else
        snprintf(end, room, "; all of these cuts reached the drive's cache");
}

void campaign_sum_end(struct campaign_sum *sum)
{
    if (sum->unreadable > 0 && sum->lost == 0) {
        sum->verdict = VERDICT_UNREADABLE;
        snprintf(sum->text, sizeof sum->text,
                 "UNREADABLE: in %" PRIu64 " of %" PRIu64
                 " cuts, promised units cannot be read; nothing is known to be lost",
                 sum->unreadable, sum->cuts);
        return;
    }
    if (sum->conclusive == 0) {
        sum->verdict = VERDICT_INCONCLUSIVE;
        snprintf(sum->text, sizeof sum->text,
                 "INCONCLUSIVE: none of %" PRIu64 " cuts was shown to have cut anything",
                 sum->cuts);
        return;
    }
    sum->verdict = sum->lost > 0 ? VERDICT_LOST : VERDICT_KEPT;
    if (sum->lost == 0)
        snprintf(sum->text, sizeof sum->text,
                 "KEPT: 0 of %" PRIu64 " promises lost in %" PRIu64
                 " cuts: in less than %s %% of cuts anything is lost (95 %%, one-sided)",
                 sum->promises, sum->conclusive,
                 units_beside(100 * bound_upper(0, sum->conclusive, ONE_SIDED), 1, 0).text);
    else
        snprintf(
            sum->text, sizeof sum->text,
            "LOST: lost in %" PRIu64 " of %" PRIu64 " cuts: %s to %s %% (95 %%)", sum->lost,
            sum->conclusive,
            units_beside(100 * bound_lower(sum->lost, sum->conclusive, TWO_SIDED), 1, 0).text,
            units_beside(100 * bound_upper(sum->lost, sum->conclusive, TWO_SIDED), 1, 100).text);
    say_reach(sum);
}
