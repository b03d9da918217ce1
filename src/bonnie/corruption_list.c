#include "bonnie/corruption_list.h"

#include <errno.h>
#include <stdlib.h>

int corruption_list_make(struct corruption_list *list, const struct corruption *c,
                         const struct pattern *p, struct err *e)
{
    size_t count = c->corrupted < CORRUPTION_KEPT ? (size_t)c->corrupted : CORRUPTION_KEPT;
    *list = (struct corruption_list){0};
    if (count == 0)
        return 0;
    list->entries = calloc(count, sizeof *list->entries);
    if (!list->entries)
        return err_system(e, ENOMEM, "memory for %zu damaged places", count);
    list->count = count;
    for (size_t i = 0; i < count; i++) {
        const struct corrupted_place *place = &c->kept[i];
        struct corruption_entry *entry = &list->entries[i];
        entry->file = place->file;
        entry->offset = place->offset;
        entry->kind = corruption_kind_name(place->kind);
        corrupted_place_describe(entry->description, place, p);
    }
    return 0;
}

void corruption_list_release(struct corruption_list *list)
{
    free(list->entries);
    *list = (struct corruption_list){0};
}
