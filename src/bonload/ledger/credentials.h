#ifndef BONLOAD_LEDGER_CREDENTIALS_H
#define BONLOAD_LEDGER_CREDENTIALS_H

#include "bonload/ledger/names.h"

/* USER:PASSWORD@ before the hosts of URLs. */

/* Returns the @ that ends the credentials in a URL, or NULL if the URL has none. */
char *credentials_end(char *url);

/*
 * Moves the credentials out of all lines of a file of names, so that the names no longer contain
 * them. Returns 0, or a negative errno with a line in e.
 */
int credentials_take(struct names *n, struct err *e);

/* Credentials that were part of the name with this number; NULL: none. */
const char *credentials_of(const struct names *n, uint64_t number);

#endif
