#include "report/measured.h"

#include <string.h>

#define LAST_COLUMN 80
#define TEXT_COLUMN 14 /* two blanks, the longest name of a test, two blanks */

/* Prints a text from TEXT_COLUMN on, broken at blanks. */
static void print_wrapped(FILE *out, const char *text)
{
    size_t column = TEXT_COLUMN;
    while (*text) {
        size_t word = strcspn(text, " ");
        if (column > TEXT_COLUMN && column + 1 + word > LAST_COLUMN) {
            fprintf(out, "\n%*s", TEXT_COLUMN, "");
            column = TEXT_COLUMN;
        } else if (column > TEXT_COLUMN) {
            putc(' ', out);
            column++;
        }
        fwrite(text, 1, word, out);
        column += word;
        text += word;
        text += strspn(text, " ");
    }
    putc('\n', out);
}

static void print_verdict(FILE *out, enum test_id test, const struct verdict *v)
{
    char text[3 * VERDICT_TEXT];
    snprintf(text, sizeof text, "limited by %s: %s%s%s",
             v->by == LIMITED_UNKNOWN ? "what is not known" : limit_name(v->by), v->sentence,
             *v->advice ? " " : "", v->advice);
    fprintf(out, "  %-*s", TEXT_COLUMN - 2, test_name(test));
    print_wrapped(out, text);
}

void measured_print(FILE *out, const struct result *r)
{
    bool has_begun = false;
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct verdict *v = &r->tests[test].verdict;
        if (!r->tests[test].measured || !*v->sentence)
            continue;
        if (!has_begun)
            fputs("What was measured\n", out);
        has_begun = true;
        print_verdict(out, test, v);
    }
}
