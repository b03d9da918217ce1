#include "workloads/workload.h"

static const struct workload *const workloads[TEST_COUNT] = {
    [TEST_PUTC] = &workload_putc,
    [TEST_PUT_BLOCK] = &workload_put_block,
    [TEST_REWRITE] = &workload_rewrite,
    [TEST_GETC] = &workload_getc,
    [TEST_GET_BLOCK] = &workload_get_block,
    [TEST_SEEKS] = &workload_seeks,
    [TEST_SEQ_CREATE] = &workload_seq_create,
    [TEST_SEQ_STAT] = &workload_seq_stat,
    [TEST_SEQ_DEL] = &workload_seq_del,
    [TEST_RAN_CREATE] = &workload_ran_create,
    [TEST_RAN_STAT] = &workload_ran_stat,
    [TEST_RAN_DEL] = &workload_ran_del,
};

int work_have_data(struct work *w, uint64_t bytes, struct err *e)
{
    struct datafile *d = &w->data;
    int rc = datafile_fill(d, w->scratch, w->pattern, bytes, w->buffer, w->buffer_bytes, e);
    return rc == 0 ? datafile_evict(d, w->plan, e) : rc;
}

const struct workload *workload_of(enum test_id test)
{
    return workloads[test];
}
