// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "boncut/commands.h"

#define BEFORE "     jbd2/sda1-8-123     [001] .....  1234.567890: block_rq_issue: "

static void lines(void **state)
{
    (void)state;
    assert_true(fua_trace_line(BEFORE "8,16 WFS 4096 () 2048 + 8 [jbd2/sda1-8]\n", 8, 16));
    assert_true(fua_trace_line(BEFORE "8,16 FWFSM 4096 () 2048 + 8 [jbd2/sda1-8]\n", 8, 16));
    assert_false(fua_trace_line(BEFORE "8,16 WS 4096 () 2048 + 8 [fsync]\n", 8, 16));
    assert_false(fua_trace_line(BEFORE "8,16 FWS 4096 () 2048 + 8 [fsync]\n", 8, 16));
    assert_false(fua_trace_line(BEFORE "8,16 FF 0 () 0 + 0 [kworker]\n", 8, 16));
    assert_false(fua_trace_line(BEFORE "8,0 WFS 4096 () 2048 + 8 [jbd2/sda1-8]\n", 8, 16));
    assert_false(fua_trace_line("# tracer: nop\n", 8, 16));
    assert_false(fua_trace_line(BEFORE "\n", 8, 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
