// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/printable.h"

#include <ctype.h>
#include <stdarg.h>

#define INVALID 0xFFFD /* Unicode's own replacement character */

struct range {
    uint32_t first, last;
};

/* White space except the blank: control characters, and Unicode's two separators. */
static const struct range spaces[] = {{0x09, 0x0D}, {0x85, 0x85}, {0x2028, 0x2029}};

/* Characters that must not reach a terminal: C0 and C1 controls; Unicode's Bidi_Control and its
 * invisible neighbours; noncharacters; and the replacement for bytes that are not a character. */
static const struct range unprintable[] = {
    {0x00, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C}, {0x200B, 0x200F},  {0x202A, 0x202E},
    {0x2060, 0x206F}, {0xFDD0, 0xFDEF}, {0xFEFF, 0xFEFF}, {0xFFF9, INVALID},
};

static bool in_ranges(uint32_t character, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (character >= ranges[i].first && character <= ranges[i].last)
            return true;
    return false;
}

static const char *substitute_everywhere(uint32_t c)
{
    if (in_ranges(c, spaces, COUNT_OF(spaces)))
        return " ";
    if (in_ranges(c, unprintable, COUNT_OF(unprintable)))
        return "?";
    /* the last two characters of every plane are noncharacters, too */
    return (c & 0xFFFE) == 0xFFFE ? "?" : NULL;
}

/* What a format prints for characters that it cannot print as they are. */
struct replacement {
    char character; /* 0 ends the list */
    const char *other;
};

static const struct replacement for_clean[] = {{0}};
static const struct replacement for_plain[] = {{',', ";"}, {'"', "'"}, {'<', "("}, {'>', ")"}, {0}};
static const struct replacement for_html[] = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"},
                                              {'"', "&quot;"}, {'\'', "&#39;"}, {0}};

/* Reads the character at `text`. Returns its length, or 1 with INVALID if it is no character. */
static size_t read_character(const char *text, uint32_t *character)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)text[0];
    /* the number that the first byte announces (RFC 3629); 0: no character begins so */
    size_t bytes = first < 0x80                   ? 1
                   : first < 0xC2 || first > 0xF4 ? 0
                   : first < 0xE0                 ? 2
                   : first < 0xF0                 ? 3
                                                  : 4;
    uint32_t c = bytes < 2 ? first : first & (0x7FU >> bytes);
    *character = INVALID;
    for (size_t i = 1; i < bytes; i++) {
        unsigned char next = (unsigned char)text[i];
        if ((next & 0xC0) != 0x80)
            return 1;
        c = c << 6 | (next & 0x3F);
    }
    bool surrogate = c >= 0xD800 && c <= 0xDFFF;
    if (bytes == 0 || c < smallest[bytes] || c > 0x10FFFF || surrogate)
        return 1;
    *character = c;
    return bytes;
}

/* Writes the label to text[start] and on, cut before the first character that does not fit. */
static void render_label(char *text, size_t size, size_t start, const char *label,
                         const struct replacement *replacement)
{
    size_t used = start;
    size_t bytes;
    for (; label && *label != '\0'; label += bytes) {
        uint32_t character;
        bytes = read_character(label, &character);
        const struct replacement *r = replacement;
        while (r->character != 0 && (uint32_t)r->character != character)
            r++;
        const char *other = r->character != 0 ? r->other : substitute_everywhere(character);
        size_t length = other ? strlen(other) : bytes;
        if (used + length >= size)
            break;
        memcpy(text + used, other ? other : label, length);
        bool leading_blank = used == start && text[used] == ' ';
        used += leading_blank ? 0 : length;
    }
    while (used > start && text[used - 1] == ' ')
        used--;
    text[used] = '\0';
}

void make_printable(char *text)
{
    char *to = text;
    uint32_t character;
    for (size_t bytes; *text != '\0'; text += bytes) {
        bytes = read_character(text, &character);
        bool is_shown = !substitute_everywhere(character);
        memmove(to, is_shown ? text : "?", is_shown ? bytes : 1);
        to += is_shown ? bytes : 1;
    }
    *to = '\0';
}

bool is_printable(const char *text)
{
    uint32_t character;
    for (size_t bytes; *text != '\0'; text += bytes) {
        bytes = read_character(text, &character);
        if (substitute_everywhere(character))
            return false;
    }
    return true;
}

struct printable printable(const char *text)
{
    struct printable clean = {.text = ""};
    sanitize_clean(clean.text, sizeof clean.text, text);
    return clean;
}

#define LAST_COLUMN 80

/* Whether the blank there is no place to break: one of several in a name, or before a unit. */
static bool is_inside(const char *text, size_t at)
{
    unsigned char next = text[at] == ' ' ? (unsigned char)text[at + 1] : '\0';
    bool is_figure = at > 0 && isdigit((unsigned char)text[at - 1]);
    return next == ' ' || (is_figure && (next == '%' || isalpha(next)));
}

void wrap_text(char lines[static WRAPPED_TEXT], size_t indent, const char *text)
{
    const struct printable clean = printable(text);
    size_t column = indent;
    size_t used = 0;
    text = clean.text;
    lines[0] = '\0';
    for (size_t word; *text && used < WRAPPED_TEXT; text += word + (text[word] == ' ')) {
        for (word = strcspn(text, " "); is_inside(text, word); word += strcspn(text + word, " "))
            word += strspn(text + word, " ");
        bool is_break = column > indent && column + 1 + word > LAST_COLUMN;
        const char *before = is_break ? "\n" : column > indent ? " " : "";
        int gap = is_break ? (int)indent : 0;
        used += (size_t)snprintf(lines + used, WRAPPED_TEXT - used, "%s%*s%.*s", before, gap, "",
                                 (int)word, text);
        column = (is_break ? indent : column + strlen(before)) + word;
    }
}

void print_wrapped(FILE *out, size_t indent, const char *text)
{
    char lines[WRAPPED_TEXT];
    wrap_text(lines, indent, text);
    fprintf(out, "%s\n", lines);
}

void label_add(struct label_text *l, const char *format, ...)
{
    size_t length = strlen(l->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(l->text + length, sizeof l->text - length, format, arguments);
    va_end(arguments);
}

void label_add_list(struct label_text *l, const char *list)
{
    while (*list) {
        int length = (int)strcspn(list, ",");
        label_add(l, "%.*s%s", length, list, list[length] ? ", " : "");
        list += length + (list[length] != '\0');
    }
}

void label_add_seen(struct label_text *l, uint64_t seen, const char *what, uint64_t needed)
{
    label_add(l, "%" PRIu64 "%s%s%s %s seen, %" PRIu64 " are needed", seen, *what ? " " : "", what,
              *what && seen != 1 ? "s" : "", seen == 1 ? "was" : "were", needed);
}

void label_print(FILE *out, const char *label, struct label_text *l)
{
    if (!l->text[0])
        return;
    const int indent = *label ? LABEL_INDENT : 0;
    fprintf(out, "%-*s", indent, label);
    print_wrapped(out, (size_t)indent, l->text);
    l->text[0] = '\0';
}

void sanitize_plain(char text[static LABEL_BYTES], const char *label)
{
    render_label(text, LABEL_BYTES, 0, label, for_plain);
    if (text[0] == '\0' || !strchr("=+-@", text[0]))
        return;
    text[0] = '\'';
    render_label(text, LABEL_BYTES, 1, label, for_plain);
}

void sanitize_html(char text[static LABEL_HTML_BYTES], const char *label)
{
    render_label(text, LABEL_HTML_BYTES, 0, label, for_html);
}

void sanitize_clean(char *text, size_t size, const char *label)
{
    render_label(text, size, 0, label, for_clean);
}

size_t sanitize_columns(const char *text)
{
    size_t columns = 0;
    for (; *text != '\0'; text++)
        /* does not count the later bytes of a character */
        columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns;
}

size_t sanitize_cut(const char *text, size_t columns)
{
    size_t bytes = 0;
    while (text[bytes] != '\0' && columns-- > 0) {
        do {
            bytes++;
        } while (((unsigned char)text[bytes] & 0xC0) == 0x80);
    }
    return bytes;
}

bool word_list_has(const char *list, const char *word, size_t length)
{
    for (;;) {
        size_t here = strcspn(list, ", \n");
        if (here == length && strncmp(list, word, length) == 0)
            return true;
        if (list[here] != ',')
            return false;
        list += here + 1;
    }
}
