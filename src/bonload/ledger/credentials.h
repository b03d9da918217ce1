#ifndef BONLOAD_LEDGER_CREDENTIALS_H
#define BONLOAD_LEDGER_CREDENTIALS_H

#include "bonload/ledger/names.h"

/* USER:PASSWORD@ in front of the hosts of URLs. */

/* The @ that ends them in a URL; NULL: it has none. */
char *credentials_end(char *url);

/*
 * Takes them out of the lines of a file of names, which have no others from then on. Returns 0 or a
 * negative errno.
 */
int credentials_take(struct names *n, struct err *e);

/* What was taken out of the name of that number; NULL: nothing. */
const char *credentials_of(const struct names *n, uint64_t number);

#endif
