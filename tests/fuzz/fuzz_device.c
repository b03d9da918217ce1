/* What sysfs says of a device: its number and its counters. */
#include "fuzz.h"
#include "measure/device.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    unsigned major;
    unsigned minor;
    struct device_stat s;
    if (device_parse_number(text, &major, &minor))
        MUST(strchr(text, ':'));
    if (device_parse_stat(text, &s))
        MUST(strlen(text) >= strlen("1 1 1 1 1 1 1 1 1 1"));
    free(text);
    return 0;
}
