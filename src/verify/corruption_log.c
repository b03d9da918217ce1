#include "verify/corruption_log.h"

#include <string.h>

#include "util/shared_memory.h"

int corruption_log_open(struct corruption_log *log, unsigned room, struct err *e)
{
    *log = (struct corruption_log){.room = room};
    return shared_memory_map((void **)&log->workers, room * sizeof *log->workers, e);
}

void corruption_log_close(struct corruption_log *log)
{
    shared_memory_unmap(log->workers, log->room * sizeof *log->workers);
    *log = (struct corruption_log){0};
}

void corruption_log_begin(struct corruption_log *log)
{
    memset(log->workers, 0, log->room * sizeof *log->workers);
}

void corruption_log_sum(const struct corruption_log *log, struct corruption *sum)
{
    memset(sum, 0, sizeof *sum);
    for (unsigned i = 0; i < log->room; i++)
        corruption_merge(sum, &log->workers[i]);
}
