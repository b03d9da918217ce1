#include "board.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

int board_open(struct board *b, unsigned room, struct err *e)
{
    void *memory = mmap(NULL, room * sizeof *b->tallies, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return err_system(e, errno, "memory for the counters of %u workers and seekers", room);
    *b = (struct board){.tallies = memory, .room = room};
    return 0;
}

void board_close(struct board *b)
{
    if (b->tallies)
        munmap(b->tallies, b->room * sizeof *b->tallies);
    *b = (struct board){0};
}

void board_begin(struct board *b, unsigned used)
{
    b->used = used;
    memset(b->tallies, 0, used * sizeof *b->tallies);
}

void board_sum_samples(const struct board *b, struct samples *sum)
{
    memset(sum, 0, sizeof *sum);
    for (unsigned i = 0; i < b->used; i++)
        samples_merge(sum, &b->tallies[i].samples);
}

void board_sum(const struct board *b, struct tally *sum)
{
    board_sum_samples(b, &sum->samples);
    memset(&sum->findings, 0, sizeof sum->findings);
    for (unsigned i = 0; i < b->used; i++)
        findings_merge(&sum->findings, &b->tallies[i].findings);
}
