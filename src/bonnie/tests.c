// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/tests.h"

const char *const test_names[TEST_COUNT + 1] = {
    [TEST_PUTC] = "putc",       [TEST_PUT_BLOCK] = "put_block",   [TEST_REWRITE] = "rewrite",
    [TEST_GETC] = "getc",       [TEST_GET_BLOCK] = "get_block",   [TEST_SEEKS] = "seeks",
    [TEST_IOPS] = "iops",       [TEST_SEQ_CREATE] = "seq_create", [TEST_SEQ_STAT] = "seq_stat",
    [TEST_SEQ_DEL] = "seq_del", [TEST_RAN_CREATE] = "ran_create", [TEST_RAN_STAT] = "ran_stat",
    [TEST_RAN_DEL] = "ran_del",
};
