// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonwhy/people.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/kernel_file.h"

int people_open(struct people *p)
{
    *p = (struct people){.list = calloc(PEOPLE_MOST, sizeof *p->list)};
    return p->list ? 0 : -ENOMEM;
}

void people_close(struct people *p)
{
    free(p->list);
    *p = (struct people){0};
}

void people_look(struct person *one)
{
    char path[64];
    char text[2048];
    snprintf(path, sizeof path, "/proc/%d/status", one->thread);
    one->is_kernel = true;
    one->process = one->thread;
    if (!kernel_file_text(path, text, sizeof text))
        return;
    const char *group = strstr(text, "\nTgid:");
    if (group)
        one->process = atoi(group + strlen("\nTgid:"));
    one->is_kernel = !strstr(text, "\nVmSize:");
    snprintf(path, sizeof path, "/proc/%d/comm", one->process);
    kernel_file_text(path, one->name, sizeof one->name);
    one->name[strcspn(one->name, "\n")] = '\0';
}

struct person *people_find(struct people *p, int thread)
{
    unsigned at = (unsigned)thread * 2654435761U % PEOPLE_MOST; /* Knuth's multiplicative hash */
    while (p->list[at].thread != 0 && p->list[at].thread != thread)
        at = (at + 1) % PEOPLE_MOST;
    struct person *one = &p->list[at];
    if (one->thread == thread)
        return one;
    if (thread <= 0 || p->count >= PEOPLE_MOST / 4 * 3)
        return NULL;
    p->count++;
    one->thread = thread;
    people_look(one);
    return one;
}
