#include "report/measured.h"

#include <string.h>

#define LAST_COLUMN 80

/* "  seq_create  page cache  " */
#define NAME_COLUMNS  10
#define LIMIT_COLUMNS 10
#define TEXT_COLUMN   (2 + NAME_COLUMNS + 2 + LIMIT_COLUMNS + 2)

/* Prints words from that column on, where the line is now, broken at blanks. */
static void print_wrapped(FILE *out, size_t indent, const char *text)
{
    size_t column = indent;
    while (*text) {
        size_t word = strcspn(text, " ");
        if (column > indent && column + 1 + word > LAST_COLUMN) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, word, out);
        column += word;
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static const struct verdict *verdict_of(const struct result *r, enum test_id test)
{
    const struct test_result *t = &r->tests[test];
    return t->measured && *t->verdict.sentence ? &t->verdict : NULL;
}

/* An advice with the tests that it is for, at the first of them. */
static void print_advice(FILE *out, const struct result *r, enum test_id first, const char *advice)
{
    char text[VERDICT_TEXT + TEST_COUNT * (NAME_COLUMNS + 2)];
    size_t used = 0;
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct verdict *v = verdict_of(r, test);
        if (!v || strcmp(v->advice, advice) != 0)
            continue;
        if (test < first)
            return; /* it has been printed */
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? " " : "",
                                 test_name(test));
    }
    snprintf(text + used, sizeof text - used, ": %s", advice);
    fputs("  ", out);
    print_wrapped(out, 2, text);
}

void measured_print(FILE *out, const struct result *r)
{
    bool has_begun = false;
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct verdict *v = verdict_of(r, test);
        if (!v)
            continue;
        if (!has_begun)
            fputs("What was measured\n", out);
        has_begun = true;
        fprintf(out, "  %-*s  %-*s  ", NAME_COLUMNS, test_name(test), LIMIT_COLUMNS,
                limit_name(v->by));
        print_wrapped(out, TEXT_COLUMN, v->sentence);
    }
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        const struct verdict *v = verdict_of(r, test);
        if (v && *v->advice)
            print_advice(out, r, test, v->advice);
    }
}
