// SPDX-License-Identifier: GPL-2.0-or-later
/* Labels and names from outside: whatever they contain, reports stay valid. */
#include "fuzz.h"
#include "util/printable.h"

/* The text has no control characters, and its number of characters is that of its bytes without
 * continuation bytes. */
static void must_be_one_line(const char *text, size_t room)
{
    size_t characters = 0;
    MUST(memchr(text, '\0', room));
    for (const char *c = text; *c; c++) {
        MUST((unsigned char)*c >= ' ' && *c != 0x7f);
        characters += ((unsigned char)*c & 0xc0) != 0x80;
    }
    MUST(sanitize_columns(text) == characters);
    MUST(sanitize_cut(text, characters) == strlen(text));
    MUST(sanitize_cut(text, 3) <= strlen(text));
    MUST(text[0] != ' ' && (text[0] == '\0' || text[strlen(text) - 1] != ' '));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *label = fuzz_text(data, size);
    char plain[LABEL_BYTES];
    sanitize_plain(plain, label);
    must_be_one_line(plain, sizeof plain);
    MUST(!strpbrk(plain, ",\"<>") && !strchr("=+-@", plain[0] ? plain[0] : '.'));

    char html[LABEL_HTML_BYTES];
    sanitize_html(html, label);
    must_be_one_line(html, sizeof html);
    MUST(!strpbrk(html, "\"<>"));

    size_t room = strlen(label) + 1;
    char *clean = malloc(room);
    MUST(clean);
    sanitize_clean(clean, room, label);
    must_be_one_line(clean, room);
    sanitize_clean(clean, 1 + room / 2, label);
    must_be_one_line(clean, 1 + room / 2);
    free(clean);
    free(label);
    return 0;
}
