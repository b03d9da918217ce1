// SPDX-License-Identifier: GPL-2.0-or-later
/* A command line, one word per line, and the plan made from it. Either the parser accepts
 * everything and the plan is consistent, or it refuses in one line. */
#include "bonnie/plan.h"
#include "cli/parser.h"
#include "fuzz.h"
#include "storage/scratch.h"
#include "util/partition.h"

#define MOST_WORDS 32

static const struct host host = {.name = "lab", .ram_bytes = (uint64_t)4 << 30, .cpus = 3};

/* Each word has memory of its own, because the parser may write to words, but not past their
 * ends. */
static int split(const uint8_t *data, size_t size, char *words[MOST_WORDS + 2])
{
    int count = 0;
    words[count++] = fuzz_text((const uint8_t *)"bonnie", strlen("bonnie"));
    while (size > 0 && count <= MOST_WORDS) {
        const uint8_t *end = memchr(data, '\n', size);
        size_t length = end ? (size_t)(end - data) : size;
        words[count++] = fuzz_text(data, length);
        length += end != NULL;
        data += length;
        size -= length;
    }
    words[count] = NULL;
    return count;
}

static void must_explain(const struct err *e)
{
    MUST(e->code > 0 && e->text[0] != '\0' && strlen(e->text) < sizeof e->text);
    for (const char *c = e->text; *c; c++)
        MUST((unsigned char)*c >= ' ' && *c != 0x7f);
}

static void plan(struct settings *s)
{
    struct plan p;
    struct err e;
    err_init(&e);
    s->random_file = NULL; /* the test must not depend on files of this machine */
    if (plan_make_row(&p, s, &host, 0, &e) != 0) {
        must_explain(&e);
        return;
    }
    MUST(p.workers > 0 && p.format_count > 0 && p.engine.depth > 0 && p.data.chunk_bytes > 0);
    MUST(p.data.chunks * p.data.chunk_bytes <= p.data.bytes);
    MUST(p.data.perchar_bytes <= p.data.chunks * p.data.chunk_bytes);
    MUST(p.files.min_bytes <= p.files.max_bytes);
    const struct scratch_space space = {.allocation_bytes = 4096, .file_bytes = 32};
    (void)plan_bytes_needed(&p, &space);
    (void)plan_files_needed(&p, true);
    for (uint64_t i = 0, next = 0; i < p.workers; i++) {
        struct partition share = partition_of(p.data.chunks, p.workers, i);
        MUST(share.first == next);
        next += share.count;
        MUST(i + 1 < p.workers || next == p.data.chunks);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *words[MOST_WORDS + 2];
    struct settings s;
    struct err e;
    int count = split(data, size, words);
    err_init(&e);
    int rc = options_parse(count, words, &s, NULL, &e);
    if (rc == 0)
        plan(&s);
    else if (rc != CLI_ANSWERED)
        must_explain(&e);
    for (int i = 0; i < count; i++)
        free(words[i]);
    return 0;
}
