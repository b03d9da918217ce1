#ifndef MEASURE_FILESYSTEM_NAME_H
#define MEASURE_FILESYSTEM_NAME_H

/*
 * The type of a filesystem, "xfs", by the number that statfs(2) has in f_type; NULL: the number is
 * unknown. ext2, ext3 and ext4 share a number, which is called "ext4"; every FUSE filesystem is
 * "fuse". The numbers come from linux/magic.h or, where that lacks one, from the filesystem's own
 * source.
 */
const char *filesystem_name(unsigned long type);

#endif
