#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void progress_init(struct progress *p, bool quiet)
{
    const char *kind = getenv("TERM");
    *p = (struct progress){.quiet = quiet};
    p->is_terminal = isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
}

bool progress_is_live(const struct progress *p)
{
    return p->is_terminal && !p->quiet;
}

void progress_begin(struct progress *p, const char *title)
{
    if (p->quiet)
        return;
    fprintf(stderr, "%s...", title);
    fflush(stderr);
    p->line_open = true;
}

void progress_done(struct progress *p, const char *title)
{
    if (!p->line_open)
        return;
    if (p->is_terminal)
        fprintf(stderr, "\r%s...", title);
    fputs("done\n", stderr);
    p->line_open = false;
}

void progress_break(struct progress *p)
{
    if (p->line_open)
        fputc('\n', stderr);
    p->line_open = false;
}
