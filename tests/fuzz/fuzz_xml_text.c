// SPDX-License-Identifier: GPL-2.0-or-later
/* A store's answers: whoever reads the text of an element never reads past the answer or writes
 * past the buffer. */
#include "bonload/targets/web/web.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const elements[] = {"Code", "Message", "UploadId", "a"};
    char *xml = malloc(size > 0 ? size : 1); /* ends where the answer ends */
    MUST(xml);
    if (size > 0)
        memcpy(xml, data, size);
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        char text[16];
        memset(text, 'x', sizeof text);
        bool is_there = xml_text(xml, size, elements[i], text, sizeof text);
        MUST(memchr(text, '\0', sizeof text));
        MUST(is_there || *text == '\0');
    }
    free(xml);
    return 0;
}
