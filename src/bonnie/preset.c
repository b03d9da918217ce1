// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/preset.h"

#define ALL_IO_TESTS                                                                               \
    [TEST_PUTC] = true, [TEST_PUT_BLOCK] = true, [TEST_REWRITE] = true, [TEST_GETC] = true,        \
    [TEST_GET_BLOCK] = true, [TEST_SEEKS] = true
#define ALL_METADATA_TESTS                                                                         \
    [TEST_SEQ_CREATE] = true, [TEST_SEQ_STAT] = true, [TEST_SEQ_DEL] = true,                       \
    [TEST_RAN_CREATE] = true, [TEST_RAN_STAT] = true, [TEST_RAN_DEL] = true

/* The tests of rows: identities, which are promises, and titles. */
#define WRITE_1M_Q8  [TEST_PUT_BLOCK] = {"write-1m-q8", "Write 1 MiB, 8 in flight"}
#define WRITE_1M_Q1  [TEST_PUT_BLOCK] = {"write-1m-q1", "Write 1 MiB, one by one"}
#define READ_1M_Q8   [TEST_GET_BLOCK] = {"read-1m-q8", "Read 1 MiB, 8 in flight"}
#define READ_1M_Q1   [TEST_GET_BLOCK] = {"read-1m-q1", "Read 1 MiB, one by one"}
#define READ_4K_Q1   [TEST_IOPS] = {"read-4k-q1", "Read 4 KiB, one by one"}
#define READ_4K_Q32  [TEST_IOPS] = {"read-4k-q32", "Read 4 KiB, 32 in flight"}
#define WRITE_4K_Q1  [TEST_IOPS] = {"write-4k-q1", "Write 4 KiB, one by one"}
#define WRITE_4K_Q32 [TEST_IOPS] = {"write-4k-q32", "Write 4 KiB, 32 in flight"}
#define DURABLE_8K   [TEST_IOPS] = {"durable-8k", "Durable 8 KiB, one by one"}
#define FILES                                                                                      \
    [TEST_SEQ_CREATE] = {"create", "Files created"}, [TEST_SEQ_DEL] = {"delete", "Files deleted"}

#define ROW(row, what, depth, ...)                                                                 \
    .name = row, .part = what, .iodepth = depth, .tests = {__VA_ARGS__}, .chunk_bytes = MIB

/* Block size, operations in flight (Q) and threads (T) of KDiskMark's default profile. */
static const struct preset_row diskmark_rows[] = {
    {ROW("SEQ1M Q8T1", NULL, 8, WRITE_1M_Q8, READ_1M_Q8)},
    {ROW("SEQ1M Q1T1", NULL, 1, WRITE_1M_Q1, READ_1M_Q1)},
    {ROW("RND4K Q32T1", "read", 32, READ_4K_Q32)},
    {ROW("RND4K Q32T1", "write", 32, WRITE_4K_Q32), .iops_writes = 100},
    {ROW("RND4K Q1T1", "read", 1, READ_4K_Q1)},
    {ROW("RND4K Q1T1", "write", 1, WRITE_4K_Q1), .iops_writes = 100},
};

/* The rows of the short look. Durable writes are what a database waits for: O_DSYNC makes the
 * kernel do after each write what fdatasync(2) does. */
static const struct preset_row quick_rows[] = {
    {ROW("Write", "1 MiB", 8, WRITE_1M_Q8)},
    {ROW("Read", "1 MiB", 8, READ_1M_Q8)},
    {ROW("Read", "4 KiB, one by one", 1, READ_4K_Q1)},
    {ROW("Read", "4 KiB, 32 in flight", 32, READ_4K_Q32)},
    {ROW("Write", "4 KiB, one by one", 1, WRITE_4K_Q1), .iops_writes = 100, .share = 1},
    {ROW("Write", "4 KiB, 32 in flight", 32, WRITE_4K_Q32), .iops_writes = 100, .share = 4},
    {ROW("Durable", "8 KiB, one by one", 1, DURABLE_8K), .iops_writes = 100, .share = 1,
     .iops_block_bytes = 8192, .sync = true},
    {ROW("Files", "created, deleted", 1, FILES)},
};

/* What several presets have in common. */
#define IOPS(seconds) .iops_block_bytes = 4096, .iops_ns = (seconds)*BILLION
#define USUAL_AMOUNTS                                                                              \
    .perchar_bytes = 20 * MIB, .seeks = DEFAULT_SEEKS, .seekers = DEFAULT_SEEKERS, .files_k = 16
#define ONE_FORMAT .format_count = 1, .formats = {"text"}

static const struct preset_defaults presets[] = {
    {
        .name = DEFAULT_PRESET,
        .tests = {ALL_IO_TESTS, ALL_METADATA_TESTS},
        .chunk_bytes = DEFAULT_CHUNK_BYTES,
        IOPS(15),
        USUAL_AMOUNTS,
        .host_name_is_label = true,
        .table = "text",
        .repeats_in_csv = true,
        .format_count = 2,
        .formats = {"text", "csv"},
    },
    {
        .name = "bonnie",
        .tests = {ALL_IO_TESTS},
        .data_bytes = 100 * MIB,
        .chunk_bytes = DEFAULT_CHUNK_BYTES,
        IOPS(15),
        .perchar_bytes = UINT64_MAX, /* the whole file */
        .seeks = 4000,
        .seekers = 4,
        .table = "classic",
        .repeats_in_csv = true,
        ONE_FORMAT,
    },
    {
        .name = "gobonniego",
        .tests = {[TEST_PUT_BLOCK] = true, [TEST_GET_BLOCK] = true, [TEST_IOPS] = true},
        .sizes_are_gib = true,
        .chunk_bytes = 64 << 10,
        .every_cpu = true,
        .iops_block_bytes = 512,
        .iops_ns = 15 * BILLION,
        .drop_interval_ns = 3 * BILLION,
        USUAL_AMOUNTS,
        .host_name_is_label = true,
        .makes_directory = true,
        .table = "gobonniego",
        .json = "gobonniego_json",
        ONE_FORMAT,
    },
    {
        .name = "diskmark",
        .rows = diskmark_rows,
        .row_count = COUNT_OF(diskmark_rows),
        .data_bytes = GIB,
        IOPS(5),
        .time_ns = 5 * BILLION,
        .engine = "libaio",
        .direct = true,
        USUAL_AMOUNTS,
        .host_name_is_label = true,
        .table = "diskmark",
        ONE_FORMAT,
    },
    {
        .name = QUICK_PRESET,
        .rows = quick_rows,
        .row_count = COUNT_OF(quick_rows),
        IOPS(5),
        .time_ns = 8 * BILLION,
        .direct = true,
        .is_brief = true,
        USUAL_AMOUNTS,
        .host_name_is_label = true,
        .table = "quick",
        ONE_FORMAT,
    },
};

_Static_assert(COUNT_OF(diskmark_rows) <= MAX_ROWS && COUNT_OF(quick_rows) <= MAX_ROWS,
               "room for the rows");

const char *const preset_names[] = {DEFAULT_PRESET, "bonnie",     "gobonniego",
                                    "diskmark",     QUICK_PRESET, NULL};
_Static_assert(COUNT_OF(preset_names) - 1 == COUNT_OF(presets), "a name for each preset");

const struct preset_defaults *preset_by_name(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(presets); i++)
        if (strcmp(presets[i].name, name) == 0)
            return &presets[i];
    return NULL;
}
