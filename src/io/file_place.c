#include "io/file_place.h"

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <string.h>

#include "util/portable.h"

/* An extent with one of these lies nowhere, or not as the file's bytes are. */
#define PLACELESS                                                                                  \
    (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_ENCODED |                      \
     FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL)

uint64_t file_place(int fd, uint64_t offset, uint64_t length, uint64_t *place)
{
    union {
        struct fiemap map;
        unsigned char room[sizeof(struct fiemap) + sizeof(struct fiemap_extent)];
    } asked;
    memset(&asked, 0, sizeof asked);
    asked.map.fm_start = offset;
    asked.map.fm_length = length;
    asked.map.fm_extent_count = 1;
    if (portable_ioctl(fd, FS_IOC_FIEMAP, &asked) != 0 || asked.map.fm_mapped_extents == 0)
        return 0;
    struct fiemap_extent extent;
    memcpy(&extent, asked.room + sizeof(struct fiemap), sizeof extent);
    uint64_t skipped = offset - extent.fe_logical;
    if ((extent.fe_flags & PLACELESS) || extent.fe_logical > offset || skipped >= extent.fe_length)
        return 0;
    *place = extent.fe_physical + skipped;
    uint64_t left = extent.fe_length - skipped;
    return left < length ? left : length;
}
