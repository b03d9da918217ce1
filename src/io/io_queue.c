#include "io/io_queue.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "io/operation.h"
#include "util/units.h"

#define HUGE_PAGE       ((size_t)2 << 20) /* of x86-64 and of most other systems with 4 KiB pages */
#define HUGE_FROM_BYTES ((size_t)1 << 20)

/* Returns the front of the memory, and moves *memory `bytes` bytes further. */
static void *take_memory(unsigned char **memory, size_t bytes)
{
    void *part = *memory;
    *memory += round_up(bytes, _Alignof(max_align_t));
    return part;
}

/*
 * Places large buffers in huge pages, if the system has any. A buffer is then one piece of memory
 * for the device, and not one for each 4 KiB; many devices accept only a few pieces at a time.
 */
static unsigned char *place_buffers(void *memory, size_t bytes)
{
    unsigned char *buffers = memory;
    if (bytes < HUGE_FROM_BYTES)
        return buffers;
    buffers += round_up((uintptr_t)memory, HUGE_PAGE) - (uintptr_t)memory;
    madvise(buffers, round_up(bytes, HUGE_PAGE), MADV_HUGEPAGE); /* failure is harmless */
    return buffers;
}

static int map_memory(struct io_queue *q, struct err *e)
{
    size_t depth = q->setup.depth;
    size_t buffer = round_up(q->setup.buffer_bytes, QUEUE_ALIGNMENT);
    size_t state = q->setup.engine->state_bytes(q->setup.depth);
    size_t user = round_up(q->setup.user_bytes, _Alignof(max_align_t));
    size_t lists = depth * (sizeof *q->operations + 2 * sizeof *q->unused + 2 * sizeof *q->done);
    size_t used = depth * (buffer + user) + state + lists + 8 * _Alignof(max_align_t);
    /* address space only, because untouched pages take no memory */
    q->memory_bytes = used + 2 * HUGE_PAGE;
    void *memory =
        mmap(NULL, q->memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return err_system(e, errno, "%zu bytes of buffers", used);
    q->memory = memory;
    q->buffers = place_buffers(memory, depth * buffer);
    memset(q->buffers, 0, used); /* allocates the pages now, and not during the first operations */
    unsigned char *next = q->buffers + depth * buffer;
    q->state = take_memory(&next, state);
    q->operations = take_memory(&next, depth * sizeof *q->operations);
    q->unused = take_memory(&next, depth * sizeof *q->unused);
    q->staged = take_memory(&next, depth * sizeof *q->staged);
    q->done = take_memory(&next, 2 * depth * sizeof *q->done);
    unsigned char *users = take_memory(&next, depth * user);
    for (size_t i = 0; i < depth; i++) {
        q->operations[i].io.buffer = q->buffers + i * buffer;
        q->operations[i].io.user = users + i * user;
        q->unused[q->unused_count++] = &q->operations[i];
    }
    return 0;
}

int io_queue_open(struct io_queue *q, const struct io_queue_setup *setup, struct err *e)
{
    *q = (struct io_queue){.setup = *setup};
    int rc = map_memory(q, e);
    if (rc != 0)
        return rc;
    const struct engine_setup engine = {
        .depth = setup->depth,
        .files = q->setup.files,
        .file_count = setup->file_count,
        .buffers = q->buffers,
        .buffers_bytes = setup->depth * round_up(setup->buffer_bytes, QUEUE_ALIGNMENT),
        .options = setup->options,
    };
    rc = setup->engine->open(q->state, &engine, e);
    q->is_open = rc == 0;
    if (rc != 0)
        io_queue_close(q);
    return rc;
}

bool io_queue_has_buffers(const struct io_queue *q)
{
    return !q->setup.engine->has_buffers || q->setup.engine->has_buffers(q->state);
}

void io_queue_close(struct io_queue *q)
{
    if (q->is_open)
        q->setup.engine->close(q->state);
    if (q->memory)
        munmap(q->memory, q->memory_bytes);
    *q = (struct io_queue){0};
}

int io_queue_sync(struct io_queue *q, unsigned file, struct err *e)
{
    const struct io_file *f = &q->setup.files[file];
    if (!q->setup.engine->durable)
        return io_sync_pieces(f, e);
    int rc = q->setup.engine->durable(q->state, file);
    return rc == 0 ? 0 : err_system(e, -rc, "make %s durable", f->name);
}
