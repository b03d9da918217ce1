// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/seekers.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "bonnie/workloads/seeks.h"
#include "sys/process_group.h"
#include "util/shared_memory.h"

struct seekers {
    const struct plan *plan;
    const struct work *work;
    struct shared_stats *stats;
    struct corruption_log *corruption;
    uint64_t end_ticket;               /* first ticket that is not for these seekers */
    atomic_uint_fast64_t *next_ticket; /* in memory that all seekers share */
    struct process_group *group;
};

/* What each seeker does. Its queue has the data files of all workers. */
static int run_seeker(void *context, unsigned number, struct process_member *self, struct err *e)
{
    const struct seekers *s = context;
    const struct plan *p = s->plan;
    const struct seeks seeks = {
        .plan = p,
        .contents = s->work->contents,
        .seed = s->work->seed,
        .next_ticket = s->next_ticket,
        .end_ticket = s->end_ticket,
        .duration_ns = s->work->lap_ns,
        .corruption = &s->corruption->workers[number],
    };
    const struct io_queue_setup setup =
        work_queue_setup(p, s->work->all_data, p->workers, p->data.chunk_bytes);
    struct io_queue queue;

    close(s->work->scratch->owner_fd); /* only the parent may keep the lock */
    int rc = work_open_any_queue(&queue, &setup, &s->stats->workers[number], e);
    if (rc == 0)
        rc = process_member_ready(self);
    return rc == 0 ? seeks_run(&seeks, &queue, &s->stats->workers[number].ops, e) : rc;
}

int seekers_start(struct seekers **out, struct run_context *r, uint64_t first_ticket, struct err *e)
{
    const struct plan *p = r->plan;
    struct seekers *s = calloc(1, sizeof *s);
    if (!s)
        return err_system(e, ENOMEM, "memory for %u seekers", p->data.seekers);
    *s = (struct seekers){.plan = p,
                          .work = r->work,
                          .stats = &r->stats,
                          .corruption = &r->corruption_log,
                          .end_ticket =
                              r->work->lap_ns > 0 ? UINT64_MAX : first_ticket + p->data.seeks};
    const struct process_group_setup group = {.name = "seeker",
                                              .count = p->data.seekers,
                                              .body = run_seeker,
                                              .context = s,
                                              .lookout = run_context_lookout(r)};
    int rc = shared_memory_map((void **)&s->next_ticket, sizeof *s->next_ticket, e);
    if (rc == 0) {
        *s->next_ticket = first_ticket;
        rc = process_group_start(&s->group, &group, e);
    }
    if (rc == 0)
        *out = s;
    else
        seekers_release(s);
    return rc;
}

int seekers_work(struct seekers *s, struct task_times *times, struct err *e)
{
    return process_group_work(s->group, times, e);
}

uint64_t seekers_next_ticket(const struct seekers *s)
{
    uint64_t next = *s->next_ticket;
    return next < s->end_ticket ? next : s->end_ticket;
}

void seekers_release(struct seekers *s)
{
    if (!s)
        return;
    process_group_release(s->group);
    shared_memory_unmap((void *)s->next_ticket, sizeof *s->next_ticket);
    free(s);
}
