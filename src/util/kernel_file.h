// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <dirent.h>

#include "util/base.h"

/* Files that the kernel provides (/proc, /sys, control groups, /dev/null), and directories whose
 * paths it gives. Only root can change what such a path leads to, so it is opened as it is. All
 * other files are found by sys/path.h. Tests give paths below a tree of their own. */

/* Open a file with these flags of open(2), a text to read it, or a directory to list it. Return -1
 * or NULL with errno when that fails. */
int kernel_file_open(const char *path, int flags);
FILE *kernel_file_read(const char *path);
DIR *kernel_file_list(const char *path);

/* Opens the file behind a descriptor again. Returns a new one, or -1 with errno: ENOENT also if
 * /proc is not mounted. */
int kernel_file_reopen(int fd, int flags);

/* Read the beginning of a text file, or the target of one of the kernel's links, as far as it fits
 * with a NUL, without stdio and malloc, which a forked process must not call. Return false when
 * there is none; `text` is empty then. */
bool kernel_file_text(const char *path, char *text, size_t size);
bool kernel_file_link(const char *path, char *text, size_t size);

/* Reads a whole text file, "/proc/self/mountinfo", below a directory, "" being the root. The caller
 * frees it, and may cut it by strsep(3). Returns NULL when it cannot be read. */
char *kernel_file_whole(const char *directory, const char *file);

bool kernel_file_exists(const char *path);

/* The path of an open descriptor (proc_pid_fd(5)): descriptor_path(fd).text. */
struct descriptor_path {
    char text[40];
};
struct descriptor_path descriptor_path(int fd);
