#include "progress.h"

#include <stdio.h>

void progress_begin(struct progress *p, const char *title)
{
    if (p->quiet)
        return;
    fprintf(stderr, "%s...", title);
    fflush(stderr);
    p->line_open = true;
}

void progress_done(struct progress *p)
{
    if (p->line_open)
        fputs("done\n", stderr);
    p->line_open = false;
}

void progress_break(struct progress *p)
{
    if (p->line_open)
        fputc('\n', stderr);
    p->line_open = false;
}
