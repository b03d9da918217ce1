#ifndef BONNIE_CLI_LIMITS_H
#define BONNIE_CLI_LIMITS_H

#include <stdint.h>

/* How far the numbers on the command line may go; the texts in options.c and grammar.c say so. */
#define BILLION UINT64_C(1000000000)
#define MIB     (UINT64_C(1) << 20)
#define GIB     (UINT64_C(1) << 30)
#define TIB     (UINT64_C(1) << 40)

#define LIMIT_DATA_BYTES  (1024 * TIB)
#define LIMIT_CHUNK_MIN   256
#define LIMIT_CHUNK_MAX   GIB
#define LIMIT_SEEKS       UINT64_C(1000000000000)
#define LIMIT_SEEKERS     1024
#define LIMIT_FILES_K     UINT64_C(1000000000)
#define LIMIT_FILE_BYTES  TIB
#define LIMIT_DIRECTORIES 99999
#define LIMIT_WORKERS     1024
#define LIMIT_RUNS        1000000
#define LIMIT_PROCESSES   1000
#define LIMIT_IODEPTH     4096
#define LIMIT_SECONDS     1000000
#define LIMIT_IOPS_BLOCK  (64 * MIB)
#define LIMIT_THETA       10

#endif
