// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/err.h"

/* Says why another program waits for its storage: for program_run() (sys/program.h). */
int bonwhy(int argc, char *argv[], struct err *e);
