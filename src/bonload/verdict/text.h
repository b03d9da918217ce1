#ifndef BONLOAD_VERDICT_TEXT_H
#define BONLOAD_VERDICT_TEXT_H

#include <stdio.h>

#include "bonload/verdict/answer.h"

/* Prints the verdict in one or several lines, and below it the figures of each load. */
void answer_print(const struct answer *a, FILE *out);

/* Prints several answers as one table. */
void answers_print(const struct answer *list, size_t count, FILE *out);

/* Prints all profiles with the sources of their limits. */
void profiles_print(FILE *out);

#endif
