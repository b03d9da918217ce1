#include "host.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void detect_name(struct host *h)
{
    if (gethostname(h->name, sizeof h->name) != 0 || h->name[0] == '\0')
        snprintf(h->name, sizeof h->name, "unknown");
    h->name[sizeof h->name - 1] = '\0';
    h->name[strcspn(h->name, ".")] = '\0';
}

void host_detect(struct host *h)
{
    detect_name(h);

    long pages = sysconf(_SC_PHYS_PAGES);
    long page_size = sysconf(_SC_PAGESIZE);
    h->ram_bytes = pages > 0 && page_size > 0 ? (uint64_t)pages * (uint64_t)page_size : 0;

    cpu_set_t usable;
    h->cpus = sched_getaffinity(0, sizeof usable, &usable) == 0 ? (unsigned)CPU_COUNT(&usable) : 1;
}
