#include "cli/preset.h"

#include "cli/limits.h"

#define ALL_IO_TESTS                                                                               \
    [TEST_PUTC] = true, [TEST_PUT_BLOCK] = true, [TEST_REWRITE] = true, [TEST_GETC] = true,        \
    [TEST_GET_BLOCK] = true, [TEST_SEEKS] = true
#define ALL_METADATA_TESTS                                                                         \
    [TEST_SEQ_CREATE] = true, [TEST_SEQ_STAT] = true, [TEST_SEQ_DEL] = true,                       \
    [TEST_RAN_CREATE] = true, [TEST_RAN_STAT] = true, [TEST_RAN_DEL] = true

static const struct preset_defaults presets[] = {
    [PRESET_BONNIEXX] =
        {
            .name = "bonnie++",
            .tests = {ALL_IO_TESTS, ALL_METADATA_TESTS},
            .perchar_bytes = 20 * MIB,
            .seeks = DEFAULT_SEEKS,
            .seekers = DEFAULT_SEEKERS,
            .files_k = 16,
            .host_name_is_label = true,
            .table = "text",
            .format_count = 2,
            .formats = {"text", "csv"},
        },
    [PRESET_BONNIE] =
        {
            .name = "bonnie",
            .tests = {ALL_IO_TESTS},
            .data_bytes = 100 * MIB,
            .perchar_bytes = UINT64_MAX, /* the whole file */
            .seeks = 4000,
            .seekers = 4,
            .table = "classic",
            .format_count = 1,
            .formats = {"text"},
        },
};

const struct preset_defaults *preset_defaults(enum preset preset)
{
    return &presets[preset];
}
