#include "bonnie/preset.h"

#include <string.h>

#include "bonnie/option_limits.h"

#define ALL_IO_TESTS                                                                               \
    [TEST_PUTC] = true, [TEST_PUT_BLOCK] = true, [TEST_REWRITE] = true, [TEST_GETC] = true,        \
    [TEST_GET_BLOCK] = true, [TEST_SEEKS] = true
#define ALL_METADATA_TESTS                                                                         \
    [TEST_SEQ_CREATE] = true, [TEST_SEQ_STAT] = true, [TEST_SEQ_DEL] = true,                       \
    [TEST_RAN_CREATE] = true, [TEST_RAN_STAT] = true, [TEST_RAN_DEL] = true

#define DEFAULT_IOPS_BLOCK 4096

static const struct preset_defaults presets[] = {
    {
        .name = DEFAULT_PRESET,
        .tests = {ALL_IO_TESTS, ALL_METADATA_TESTS},
        .size_unit = MIB,
        .chunk_bytes = DEFAULT_CHUNK_BYTES,
        .iops_block_bytes = DEFAULT_IOPS_BLOCK,
        .perchar_bytes = 20 * MIB,
        .seeks = DEFAULT_SEEKS,
        .seekers = DEFAULT_SEEKERS,
        .files_k = 16,
        .host_name_is_label = true,
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
        .iops_block_bytes = DEFAULT_IOPS_BLOCK,
        .perchar_bytes = UINT64_MAX, /* the whole file */
        .seeks = 4000,
        .seekers = 4,
        .table = "classic",
        .json = "json",
        .repeats_in_csv = true,
        .format_count = 1,
        .formats = {"text"},
    },
    {
        .name = "gobonniego",
        .tests = {[TEST_PUT_BLOCK] = true, [TEST_GET_BLOCK] = true, [TEST_IOPS] = true},
        .size_unit = GIB,
        .chunk_bytes = 64 << 10,
        .every_cpu = true,
        .iops_block_bytes = 512,
        .drop_interval_ns = 3 * BILLION,
        .perchar_bytes = 20 * MIB,
        .seeks = DEFAULT_SEEKS,
        .seekers = DEFAULT_SEEKERS,
        .files_k = 16,
        .host_name_is_label = true,
        .makes_directory = true,
        .table = "gobonniego",
        .json = "gobonniego_json",
        .format_count = 1,
        .formats = {"text"},
    },
};

const char *const preset_names[] = {DEFAULT_PRESET, "bonnie", "gobonniego", NULL};

const struct preset_defaults *preset_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (strcmp(presets[i].name, name) == 0)
            return &presets[i];
    return NULL;
}
