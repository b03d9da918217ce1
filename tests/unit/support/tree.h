// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

/* A tree of files that replaces /sys and /proc, in a temporary directory of its own. Paths are
 * relative to this directory. Missing parents of a file are made. */

/* Fixtures for cmocka: each test begins with an empty tree, which is removed afterwards, even when
 * the test fails. */
int tree_make(void **state);
int tree_remove(void **state);

/* The directory, without a slash at its end. */
const char *tree_root(void);

void tree_directory(const char *path);
void tree_file(const char *path, const char *text);
void tree_link(const char *path, const char *target);
void tree_unlink(const char *path);
