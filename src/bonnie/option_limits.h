#ifndef BONNIE_OPTION_LIMITS_H
#define BONNIE_OPTION_LIMITS_H

#include "util/units.h"

/* Limits of the numbers on the command line. The texts in options.c and size_spec.c repeat them. */

#define LIMIT_DATA_BYTES  (1024 * TIB)
#define LIMIT_CHUNK_MIN   256
#define LIMIT_CHUNK_MAX   GIB
#define LIMIT_SEEKS       UINT64_C(1000000000000)
#define LIMIT_SEEKERS     65536
#define LIMIT_FILES_K     UINT64_C(1000000000)
#define LIMIT_FILE_BYTES  TIB
#define LIMIT_DIRECTORIES 99999
#define LIMIT_WORKERS     1024
#define LIMIT_RUNS        1000000
#define LIMIT_SHIFT       1000000
#define LIMIT_PROCESSES   1000
#define LIMIT_IODEPTH     4096
#define LIMIT_IOPS_BLOCK  (64 * MIB)
#define LIMIT_THETA       10
#define LIMIT_ROUNDS      10000
#define LIMIT_WRITINGS    1000

#endif
