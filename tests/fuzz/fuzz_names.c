// SPDX-License-Identifier: GPL-2.0-or-later
/* Names that --cleanup accepts as ours: none may lead out of the directory that it examines. */
#include "fuzz.h"
#include "storage/scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *name = fuzz_text(data, size);
    bool is_ours = is_private_name_of_any(name) || name_has_form(name, FORM_FILE) ||
                   name_has_form(name, FORM_DIRECTORY) || name_has_form(name, FORM_WORKER) ||
                   name_has_form(name, FORM_ENTRY);
    MUST(!is_ours || (strcspn(name, "/ \n") == strlen(name) && strcmp(name, "..") != 0 &&
                      strcmp(name, OWNER_FILE_NAME) != 0 && strlen(name) < 64));
    char text[OWNER_TEXT_SIZE];
    MUST(owner_text(text, name) < sizeof text);

    uint64_t number = 0;
    if (size > 0)
        memcpy(&number, data, size < sizeof number ? size : sizeof number);
    char made[PRIVATE_NAME_SIZE];
    private_name(made, number);
    MUST(is_private_name(made) && private_name_is_made(made));
    file_name(made, number % 2 ? NAMES_SORTED : NAMES_RANDOM, number, number >> 24);
    MUST(name_has_form(made, FORM_ENTRY));
    free(name);
    return 0;
}
