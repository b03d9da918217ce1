#include "util/err.h"

const char *program_name = "boncut";
