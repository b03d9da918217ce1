#ifndef SYS_DESCRIPTOR_LIMIT_H
#define SYS_DESCRIPTOR_LIMIT_H

/*
 * Raises the soft limit on open descriptors as far as the hard one allows: the soft one is for the
 * sake of programs that use select(2), which this one does not. Returns how many descriptors the
 * process may have, INT_MAX at most; 0: it cannot be told.
 */
int descriptor_limit_raise(void);

#endif
