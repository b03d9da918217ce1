// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/preset.h"

#include <stdio.h>
#include <string.h>

#define ALL_IO_TESTS                                                                               \
    [TEST_PUTC] = true, [TEST_PUT_BLOCK] = true, [TEST_REWRITE] = true, [TEST_GETC] = true,        \
    [TEST_GET_BLOCK] = true, [TEST_SEEKS] = true
#define ALL_METADATA_TESTS                                                                         \
    [TEST_SEQ_CREATE] = true, [TEST_SEQ_STAT] = true, [TEST_SEQ_DEL] = true,                       \
    [TEST_RAN_CREATE] = true, [TEST_RAN_STAT] = true, [TEST_RAN_DEL] = true

#define SEQ1M .tests = {[TEST_PUT_BLOCK] = true, [TEST_GET_BLOCK] = true}, .chunk_bytes = MIB
#define RND4K .tests = {[TEST_IOPS] = true}, .chunk_bytes = MIB

/* Block size, operations in flight (Q) and threads (T) of KDiskMark's default profile. */
static const struct preset_row diskmark_rows[] = {
    {.name = "SEQ1M Q8T1", SEQ1M, .iodepth = 8},
    {.name = "SEQ1M Q1T1", SEQ1M, .iodepth = 1},
    {.name = "RND4K Q32T1", .part = "read", RND4K, .iodepth = 32},
    {.name = "RND4K Q32T1", .part = "write", RND4K, .iodepth = 32, .iops_writes = 100},
    {.name = "RND4K Q1T1", .part = "read", RND4K, .iodepth = 1},
    {.name = "RND4K Q1T1", .part = "write", RND4K, .iodepth = 1, .iops_writes = 100},
};

#define ROW(row, what, depth) .name = row, .part = what, .iodepth = depth
#define WRITES(of_all)        RND4K, .iops_writes = 100, .share = of_all

/*
 * The rows of the short look. Durable writes are what a database waits for: O_DSYNC makes the
 * kernel do after each write what fdatasync(2) does.
 */
static const struct preset_row quick_rows[] = {
    {ROW("Write", "1 MiB", 8), .tests = {[TEST_PUT_BLOCK] = true}, .chunk_bytes = MIB},
    {ROW("Read", "1 MiB", 8), .tests = {[TEST_GET_BLOCK] = true}, .chunk_bytes = MIB},
    {ROW("Read", "4 KiB at random, 1", 1), RND4K},
    {ROW("Read", "4 KiB at random, 32", 32), RND4K},
    {ROW("Write", "4 KiB at random, 1", 1), WRITES(1)},
    {ROW("Write", "4 KiB at random, 32", 32), WRITES(4)},
    {ROW("Durable", "8 KiB, fdatasync after each", 1), WRITES(1), .iops_block_bytes = 8192,
     .sync = true},
    {ROW("Files", "created, removed", 1),
     .tests = {[TEST_SEQ_CREATE] = true, [TEST_SEQ_DEL] = true}, .chunk_bytes = MIB},
};

/* What several presets have in common. */
#define IOPS(seconds) .iops_block_bytes = 4096, .iops_ns = (seconds)*BILLION
#define SEEKS_AND_LABEL                                                                            \
    .seeks = DEFAULT_SEEKS, .seekers = DEFAULT_SEEKERS, .host_name_is_label = true
#define ONE_FORMAT .format_count = 1, .formats = {"text"}

static const struct preset_defaults presets[] = {
    {
        .name = DEFAULT_PRESET,
        .tests = {ALL_IO_TESTS, ALL_METADATA_TESTS},
        .size_unit = MIB,
        .chunk_bytes = DEFAULT_CHUNK_BYTES,
        IOPS(15),
        .perchar_bytes = 20 * MIB,
        SEEKS_AND_LABEL,
        .files_k = 16,
        .table = "text",
        .json = "json",
        .repeats_in_csv = true,
        .format_count = 2,
        .formats = {"text", "csv"},
    },
    {
        .name = "bonnie",
        .tests = {ALL_IO_TESTS},
        .size_unit = MIB,
        .data_bytes = 100 * MIB,
        .chunk_bytes = DEFAULT_CHUNK_BYTES,
        IOPS(15),
        .perchar_bytes = UINT64_MAX, /* the whole file */
        .seeks = 4000,
        .seekers = 4,
        .table = "classic",
        .json = "json",
        .repeats_in_csv = true,
        ONE_FORMAT,
    },
    {
        .name = "gobonniego",
        .tests = {[TEST_PUT_BLOCK] = true, [TEST_GET_BLOCK] = true, [TEST_IOPS] = true},
        .size_unit = GIB,
        .chunk_bytes = 64 << 10,
        .every_cpu = true,
        .iops_block_bytes = 512,
        .iops_ns = 15 * BILLION,
        .drop_interval_ns = 3 * BILLION,
        .perchar_bytes = 20 * MIB,
        SEEKS_AND_LABEL,
        .files_k = 16,
        .makes_directory = true,
        .table = "gobonniego",
        .json = "gobonniego_json",
        ONE_FORMAT,
    },
    {
        .name = "diskmark",
        .rows = diskmark_rows,
        .row_count = sizeof diskmark_rows / sizeof *diskmark_rows,
        .size_unit = MIB,
        .data_bytes = GIB,
        IOPS(5),
        .time_ns = 5 * BILLION,
        .engine = "libaio",
        .direct = true,
        .perchar_bytes = 20 * MIB,
        SEEKS_AND_LABEL,
        .table = "diskmark",
        .json = "json",
        ONE_FORMAT,
    },
    {
        .name = QUICK_PRESET,
        .rows = quick_rows,
        .row_count = sizeof quick_rows / sizeof *quick_rows,
        .size_unit = MIB,
        IOPS(5),
        .time_ns = 8 * BILLION,
        .direct = true,
        .is_brief = true,
        SEEKS_AND_LABEL,
        .files_k = 16,
        .table = "quick",
        .json = "json",
        ONE_FORMAT,
    },
};

_Static_assert(sizeof diskmark_rows / sizeof *diskmark_rows <= MAX_ROWS &&
                   sizeof quick_rows / sizeof *quick_rows <= MAX_ROWS,
               "room for the rows");

const char *const preset_names[] = {DEFAULT_PRESET, "bonnie",     "gobonniego",
                                    "diskmark",     QUICK_PRESET, NULL};

struct row_name preset_row_name(const struct preset_row *row)
{
    struct row_name name;
    snprintf(name.text, sizeof name.text, "%s%s%s", row->name, row->part ? " " : "",
             row->part ? row->part : "");
    return name;
}

const struct preset_defaults *preset_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (strcmp(presets[i].name, name) == 0)
            return &presets[i];
    return NULL;
}
