#include "tail/run_delay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/clock.h"
#include "measure/cpu.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"

uint64_t run_delay_least(const struct run_delay *d, uint64_t start_ns, uint64_t end_ns)
{
    const struct run_delay_sample *first = NULL;
    const struct run_delay_sample *last = NULL;
    uint64_t oldest = d->count > RUN_DELAY_SAMPLES ? d->count - RUN_DELAY_SAMPLES : 0;
    for (uint64_t n = oldest; n < d->count && !last; n++) {
        const struct run_delay_sample *s = &d->samples[n % RUN_DELAY_SAMPLES];
        if (!first && s->before_ns >= start_ns && s->after_ns <= end_ns)
            first = s;
        else if (first && s->before_ns >= end_ns)
            last = s;
    }
    if (!last)
        return 0;
    uint64_t added = last->waited_ns - first->waited_ns;
    uint64_t after = last->after_ns - end_ns; /* what was added may be of this time, too */
    return added > after ? added - after : 0;
}

int run_delays_open(struct run_delays *all, unsigned count)
{
    void *memory = mmap(NULL, count * sizeof *all->list, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *all = (struct run_delays){0};
    if (memory == MAP_FAILED)
        return -ENOMEM;
    *all = (struct run_delays){.list = memory, .count = count};
    for (unsigned i = 0; i < count; i++)
        all->list[i].fd = -1;
    return 0;
}

void run_delays_close(struct run_delays *all)
{
    for (unsigned i = 0; i < all->count; i++)
        descriptor_close(&all->list[i].fd);
    if (all->list)
        munmap(all->list, all->count * sizeof *all->list);
    *all = (struct run_delays){0};
}

static void sample_one(struct run_delay *d)
{
    struct run_delay_sample s = {.before_ns = clock_ns()};
    bool is_known = lseek(d->fd, 0, SEEK_SET) == 0 && cpu_read_schedstat(d->fd, &s.waited_ns);
    s.after_ns = clock_ns();
    if (is_known)
        d->samples[d->count++ % RUN_DELAY_SAMPLES] = s;
}

void run_delays_sample(struct run_delays *all)
{
    for (unsigned i = 0; i < all->count; i++)
        if (all->list[i].fd >= 0)
            sample_one(&all->list[i]);
}

void run_delays_watch(struct run_delays *all, unsigned worker, int thread)
{
    char path[64];
    struct run_delay *d = &all->list[worker];
    if (d->thread == thread)
        return;
    descriptor_close(&d->fd);
    d->thread = thread;
    d->count = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)getppid(), thread);
    d->fd = kernel_file_open(path, O_RDONLY);
}
