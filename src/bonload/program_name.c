// SPDX-License-Identifier: GPL-2.0-or-later
#include "sync/coordinator.h"

const char *program_name = "bonload";
const struct coordinator_ops *const program_coordinator = &coordinator_alone;
