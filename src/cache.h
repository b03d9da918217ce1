#ifndef BONNIE_CACHE_H
#define BONNIE_CACHE_H

#include "util/err.h"

/*
 * Makes the file behind fd durable and asks the kernel to forget its pages: works without
 * privilege. name is for messages. Returns 0 or a negative errno.
 */
int cache_evict_file(int fd, const char *name, struct err *e);

#endif
