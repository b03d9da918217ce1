#include "bonnie/report/report.h"

#include <errno.h>
#include <string.h>

static const struct report_ops *const formats[] = {
    &report_text,
    &report_csv,
    &report_json,
    &report_classic,
    &report_html_row,
    &report_gobonniego,
    &report_gobonniego_json,
    &report_diskmark,
};

const struct report_ops *report_at(size_t index)
{
    return index < sizeof formats / sizeof formats[0] ? formats[index] : NULL;
}

const struct report_ops *report_by_name(const char *name)
{
    size_t i = 0;
    while (report_at(i) && strcmp(report_at(i)->name, name) != 0)
        i++;
    return report_at(i);
}

int report_end(FILE *out)
{
    if (fflush(out) != 0)
        return -errno;
    /* an earlier failure to write has left no errno */
    return ferror(out) ? -EIO : 0;
}
