#include "bonnie/plan_needs.h"

#include "bonnie/plan.h"
#include "storage/scratch.h"
#include "util/units.h"

/* Number of blocks for the private directory and the owner file. */
#define OTHER_BLOCKS 2

/*
 * Average storage of a file: sizes are spread evenly, and the last block is half full on average.
 */
static uint64_t average_file(const struct files_plan *f, uint64_t block)
{
    if (f->min_bytes == f->max_bytes)
        return round_up(f->min_bytes, block);
    return (f->min_bytes + f->max_bytes + block) / 2;
}

/* Storage of all metadata files with their names, inodes and directories. */
static uint64_t metadata_bytes(const struct plan *p, const struct scratch_space *space)
{
    const struct files_plan *f = &p->files;
    uint64_t each = average_file(f, space->block_bytes) + space->file_bytes;
    uint64_t directories = space->file_bytes > 0 ? f->directories * space->block_bytes : 0;
    uint64_t files = 0;
    if (!plan_has_test(p, TEST_FIRST_METADATA, TEST_COUNT))
        return 0;
    if (__builtin_mul_overflow(f->count, each, &files) ||
        __builtin_add_overflow(files, directories, &files))
        return UINT64_MAX;
    return files;
}

uint64_t plan_bytes_needed(const struct plan *p, const struct scratch_space *space)
{
    /* the data files are removed before the metadata tests begin */
    uint64_t block = space->block_bytes;
    uint64_t files = metadata_bytes(p, space);
    uint64_t data = 0;
    if (files == UINT64_MAX)
        return files;
    if (p->tests[TEST_PUTC] || p->tests[TEST_GETC])
        data = p->data.perchar_bytes;
    if (p->tests[TEST_PUT_BLOCK] || p->tests[TEST_REWRITE] || p->tests[TEST_GET_BLOCK] ||
        p->tests[TEST_SEEKS] || p->tests[TEST_IOPS])
        data = plan_stores(p) ? p->data.bytes : data;
    data = round_up(data, block) + (data > 0 ? p->workers * block : 0);
    return (data > files ? data : files) + OTHER_BLOCKS * block;
}

uint64_t plan_files_needed(const struct plan *p, bool links_are_files)
{
    if (!plan_has_test(p, TEST_FIRST_METADATA, TEST_COUNT))
        return p->workers;
    bool are_links = p->files.kind == FILES_HARD_LINKS;
    uint64_t inodes = are_links && !links_are_files ? 0 : p->files.count;
    return inodes + p->files.directories + p->workers;
}
