// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/plan/mix.h"

#include <stdio.h>
#include <string.h>

#include "cli/option.h"
#include "util/units.h"

#define MOST_WEIGHT 1000000000

/* Room for the names of all operations in a message. */
#define ACCEPTED_TEXT 400

struct parsing {
    struct mix *mix;
    const char *const *names;
};

/* Adds "truncate" or "truncate:2" to the mix. */
static bool mix_take_op(void *parsing, char *word)
{
    const struct parsing *p = parsing;
    uint64_t weight = 1;
    char *colon = strchr(word, ':');
    if (colon) {
        *colon = '\0';
        if (units_parse_count(colon + 1, &weight) != 0 || weight > MOST_WEIGHT)
            return false;
    }
    int op = value_word(word, p->names);
    if (op < 0)
        return false;
    p->mix->weights[op] += weight;
    p->mix->sum += weight;
    return true;
}

int mix_parse(struct mix *mix, const char *text, const char *const names[], const char *option,
              struct err *e)
{
    struct parsing parsing = {mix, names};
    char list[ACCEPTED_TEXT / 2]; /* "write, read and unlink" */
    char accepted[ACCEPTED_TEXT];
    size_t used = 0;
    *mix = (struct mix){0};
    if (*text == '\0') {
        for (; names[mix->sum]; mix->sum++)
            mix->weights[mix->sum] = 1;
        return 0;
    }
    for (size_t i = 0; names[i] && used < sizeof list; i++) {
        const char *before = i == 0 ? "" : names[i + 1] ? ", " : " and ";
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", before, names[i]);
    }
    snprintf(accepted, sizeof accepted, "%s takes OP[:WEIGHT],... of %s, with weights from 0 to %d",
             option, list, MOST_WEIGHT);
    int rc = value_list(&parsing, text, mix_take_op, accepted, e);
    if (rc == 0 && mix->sum == 0)
        rc = err_say(e, "%s: one of the weights must be above 0", option);
    return rc;
}

unsigned mix_at(const struct mix *mix, uint64_t number)
{
    unsigned op = 0;
    for (; number >= mix->weights[op]; op++)
        number -= mix->weights[op];
    return op;
}
