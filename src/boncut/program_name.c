#include "util/message.h"

const char *program_name = "boncut";
