// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/err.h"

const char *program_name = "boncut";
