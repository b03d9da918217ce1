#ifndef SYS_CONFINE_H
#define SYS_CONFINE_H

#include <stdbool.h>

/* Closes all descriptors except `keep` and `keep_too`; returns whether they are closed. */
bool confine_close_all_but(int keep, int keep_too);

#endif
