#ifndef MEASURE_FILESYSTEM_NAME_H
#define MEASURE_FILESYSTEM_NAME_H

/*
 * The type of a filesystem by the number that statfs(2) has in f_type: "xfs". NULL when the number
 * is not known. ext2, ext3 and ext4 share one number, which is called "ext4"; every FUSE filesystem
 * is "fuse". The numbers are those of linux/magic.h and, where that lacks one, of the filesystem's
 * own source.
 */
const char *filesystem_name(unsigned long type);

#endif
