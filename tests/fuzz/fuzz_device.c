// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel says about a device: its number and its limits; and about the time that a thread
 * waited. */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "measure/control_group.h"
#include "measure/cpu.h"
#include "measure/device.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    unsigned major;
    unsigned minor;
    if (device_parse_number(text, &major, &minor))
        MUST(strchr(text, ':'));

    const struct device_set one = {.root = "", .count = 1, .devices = {{.major = 8}}};
    struct io_limit limit = {0};
    io_limit_read_line(&limit, &one, text, IO_LIMIT_KINDS);
    io_limit_read_line(&limit, &one, text, IO_LIMIT_READ_OPS);
    for (enum io_limit_kind kind = 0; kind < IO_LIMIT_KINDS; kind++)
        MUST(limit.per_second[kind] == 0 || strchr(text, ':'));

    uint64_t waited;
    int fd = memfd_create("schedstat", 0);
    MUST(write(fd, text, strlen(text)) == (ssize_t)strlen(text) && lseek(fd, 0, SEEK_SET) == 0);
    if (cpu_read_schedstat(fd, &waited))
        MUST(strlen(text) >= strlen("0 1 0"));
    close(fd);
    free(text);
    return 0;
}
