// SPDX-License-Identifier: GPL-2.0-or-later
#include "tree.h"

#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[PATH_MAX / 2];

int tree_make(void **state)
{
    (void)state;
    const char *above = getenv("TMPDIR");
    snprintf(root, sizeof root, "%s/bonnie-tree-XXXXXX", above && above[0] ? above : "/tmp");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st, (void)type, (void)where;
    return remove(path);
}

int tree_remove(void **state)
{
    (void)state;
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *tree_root(void)
{
    return root;
}

/* Makes the parents of the path, and stores the full path. */
static void place_in_tree(const char *path, char full[PATH_MAX])
{
    assert_true(snprintf(full, PATH_MAX, "%s/%s", root, path) < PATH_MAX);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0755);
        *slash = '/';
    }
}

void tree_directory(const char *path)
{
    char full[PATH_MAX];
    place_in_tree(path, full);
    assert_int_equal(mkdir(full, 0755), 0);
}

void tree_file(const char *path, const char *text)
{
    char full[PATH_MAX];
    place_in_tree(path, full);
    FILE *out = fopen(full, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

void tree_link(const char *path, const char *target)
{
    char full[PATH_MAX];
    place_in_tree(path, full);
    assert_int_equal(symlink(target, full), 0);
}

void tree_unlink(const char *path)
{
    char full[PATH_MAX];
    place_in_tree(path, full);
    assert_int_equal(unlink(full), 0);
}
