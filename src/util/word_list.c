#include "util/word_list.h"

#include <string.h>

bool word_list_has(const char *list, const char *word, size_t length)
{
    for (;;) {
        size_t here = strcspn(list, ",: \n");
        if (here == length && strncmp(list, word, length) == 0)
            return true;
        if (list[here] != ',')
            return false;
        list += here + 1;
    }
}
