// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/err.h"

/* The program bonnie: a session, as program_run() (sys/program.h) calls it. */
int bonnie(int argc, char *argv[], struct err *e);
