#ifndef SYS_DESCRIPTOR_LIMIT_H
#define SYS_DESCRIPTOR_LIMIT_H

/*
 * Raises the soft limit on open descriptors to the hard one. The soft limit protects programs that
 * use select(2), and this is none. Returns the number of descriptors that the process may have, at
 * most INT_MAX; 0: unknown.
 */
int descriptor_limit_raise(void);

#endif
