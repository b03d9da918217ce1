#ifndef BONNIE_VERDICT_H
#define BONNIE_VERDICT_H

#include "bonnie/advice.h"
#include "measure/bottleneck.h"

/*
 * What limited the figure of a test, in words. Sentences end in a full stop and have no commas,
 * since scripts take a line with one for the CSV line.
 */
#define VERDICT_TEXT ADVICE_TEXT
struct verdict {
    enum bottleneck by;
    char sentence[VERDICT_TEXT];
    char advice[VERDICT_TEXT]; /* empty: there is none */
};

/*
 * Tells a judgement in words that name the figures it rests on, and adds the advice. filesystem is
 * its type, or NULL; facts->reason is ignored.
 */
void verdict_tell(struct verdict *v, const struct judgement *j, const struct advice_facts *facts,
                  const char *filesystem);

#endif
