// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kernel_file.h"

int kernel_file_open(const char *path, int flags)
{
    return open(path, flags | O_CLOEXEC | O_NOCTTY, 0); /* a file is there, even with O_CREAT */
}

FILE *kernel_file_read(const char *path)
{
    return fopen(path, "re");
}

DIR *kernel_file_list(const char *path)
{
    return opendir(path);
}

bool kernel_file_text(const char *path, char *text, size_t size)
{
    int fd = kernel_file_open(path, O_RDONLY);
    size_t length = 0;
    for (ssize_t got = 1; fd >= 0 && got > 0 && length < size - 1;) {
        got = read(fd, text + length, size - 1 - length);
        length += got > 0 ? (size_t)got : 0;
    }
    text[length] = '\0';
    if (fd >= 0)
        close(fd);
    return length > 0;
}

char *kernel_file_whole(const char *directory, const char *file)
{
    char path[PATH_MAX];
    char *text = NULL;
    size_t room = 0;
    if (snprintf(path, sizeof path, "%s%s", directory, file) >= (int)sizeof path)
        return NULL;
    FILE *in = kernel_file_read(path);
    if (in && getdelim(&text, &room, '\0', in) < 0) {
        free(text);
        text = strdup("");
    }
    if (in)
        fclose(in);
    return text;
}

bool kernel_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool kernel_file_link(const char *path, char *text, size_t size)
{
    ssize_t length = readlink(path, text, size - 1);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

struct descriptor_path descriptor_path(int fd)
{
    struct descriptor_path path;
    snprintf(path.text, sizeof path.text, "/proc/self/fd/%d", fd);
    return path;
}

int kernel_file_reopen(int fd, int flags)
{
    return kernel_file_open(descriptor_path(fd).text, flags);
}
