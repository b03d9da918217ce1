// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/cpuinfo: the model is one line of words that fits into its buffer. */
#include <ctype.h>

#include "fuzz.h"
#include "sys/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t room = size > 0 ? 1 + data[0] % 128u : 1;
    char *model = malloc(room);
    MUST(model);
    FILE *cpuinfo = fuzz_file(data, size);
    host_read_cpu_model(cpuinfo, model, room);
    fclose(cpuinfo);
    MUST(memchr(model, '\0', room));
    for (const char *c = model; *c; c++) {
        MUST(!isspace((unsigned char)*c) || *c == ' ');
        MUST(*c != ' ' || (c > model && c[1] != ' ' && c[1] != '\0'));
    }
    free(model);
    return 0;
}
