// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

/* Returns the whole text of a file in tests/golden/report, which the caller frees. The test fails
 * if there is no such file. */
char *golden_text(const char *name);
