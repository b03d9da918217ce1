// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a target on its corpus: the seeds, and every input that once made it fail. Prints TAP, as
 * the other tests do. */
#include <dirent.h>
#include <limits.h>

#include "fuzz.h"

static void replay(const char *path)
{
    static uint8_t data[1 << 16];
    FILE *in = fopen(path, "rb");
    MUST(in);
    size_t size = fread(data, 1, sizeof data, in);
    fclose(in);
    LLVMFuzzerTestOneInput(data, size);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int argc, char *argv[])
{
    const char *sources = getenv("BONNIE_TEST_SRCDIR");
    const char *slash = strrchr(argv[0], '/');
    const char *target = strstr(slash ? slash : argv[0], "fuzz_");
    MUST(argc == 1 && target);
    char directory[PATH_MAX / 2];
    snprintf(directory, sizeof directory, "%s/tests/fuzz/corpus/%s", sources ? sources : ".",
             target + strlen("fuzz_"));

    struct dirent **files;
    int count = scandir(directory, &files, is_visible, alphasort);
    MUST(count > 0);
    LLVMFuzzerTestOneInput(NULL, 0);
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", directory, files[i]->d_name);
        replay(path);
        printf("ok %d - %s\n", i + 1, files[i]->d_name);
        free(files[i]);
    }
    free(files);
    printf("1..%d\n", count);
    return 0;
}
