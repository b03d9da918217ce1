// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a target on its corpus: the seeds, and every input that once made it fail. Prints TAP, as
 * the other tests do. tests/lib/FuzzCorpus.pm describes the file, and reads it as well. */
#include <limits.h>

#include "fuzz.h"

/* One input, as much of it as has been read. */
struct input {
    char name[64];
    uint8_t data[1 << 16];
    size_t size;
};

/* Appends the byte that begins the text, and returns what is behind it. */
static const char *append(struct input *input, const char *text)
{
    static const char letters[] = "ntr\\";
    static const char bytes[] = "\n\t\r\\";
    MUST(input->size < sizeof input->data);
    uint8_t *to = &input->data[input->size++];
    if (*text != '\\') {
        *to = (uint8_t)*text;
        return text + 1;
    }
    if (text[1] == 'x') {
        unsigned value;
        MUST(sscanf(text, "\\x%2x", &value) == 1);
        *to = (uint8_t)value;
        return text + strlen("\\xNN");
    }
    const char *letter = strchr(letters, text[1]);
    MUST(letter && *letter);
    *to = (uint8_t)bytes[letter - letters];
    return text + 2;
}

/* Gives the input to the target. Returns how many it has had. */
static int replay(const struct input *input, int count)
{
    LLVMFuzzerTestOneInput(input->data, input->size);
    printf("ok %d - %s\n", count + 1, input->name);
    return count + 1;
}

int main(int argc, char *argv[])
{
    const char *sources = getenv("BONNIE_TEST_SRCDIR");
    const char *slash = strrchr(argv[0], '/');
    const char *target = strstr(slash ? slash : argv[0], "fuzz_");
    MUST(argc == 1 && target);
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s", sources ? sources : ".",
             target + strlen("fuzz_"));
    FILE *corpus = fopen(path, "r");
    MUST(corpus);

    LLVMFuzzerTestOneInput(NULL, 0);
    static struct input input;
    int count = 0;
    char line[1024];
    while (fgets(line, sizeof line, corpus)) {
        size_t length = strcspn(line, "\n");
        MUST(line[length] == '\n');
        line[length] = '\0';
        if (line[0] == '#')
            continue;
        if (strncmp(line, "  |", 3) == 0) {
            MUST(input.name[0]);
            for (const char *text = line + 3; *text;)
                text = append(&input, text);
            continue;
        }
        if (input.name[0])
            count = replay(&input, count);
        MUST(length > 0 && length < sizeof input.name);
        memcpy(input.name, line, length + 1);
        input.size = 0;
    }
    MUST(!ferror(corpus) && input.name[0]);
    count = replay(&input, count);
    fclose(corpus);
    printf("1..%d\n", count);
    return 0;
}
