#include "measure/filesystem_name.h"

#include <stddef.h>

struct known_type {
    unsigned long type;
    const char *name;
};

static const struct known_type known_types[] = {
    {0xef53, "ext4"},          {0x58465342, "xfs"},   {0x9123683e, "btrfs"},
    {0x01021994, "tmpfs"},     {0x858458f6, "ramfs"}, {0x794c7630, "overlay"},
    {0x6969, "nfs"},           {0x65735546, "fuse"},  {0xf2f52010, "f2fs"},
    {0x2fc12fc1, "zfs"},       {0x4d44, "vfat"},      {0x2011bab0, "exfat"},
    {0x7366746e, "ntfs3"},     {0x5346544e, "ntfs"},  {0x73717368, "squashfs"},
    {0xe0f5e1e2, "erofs"},     {0x01021997, "9p"},    {0xf15f, "ecryptfs"},
    {0xff534d42, "cifs"},      {0xfe534d42, "smb3"},  {0xca451a4e, "bcachefs"},
    {0x0bd00bd0, "lustre"},    {0x00c36400, "ceph"},  {0x01161970, "gfs2"},
    {0x7461636f, "ocfs2"},     {0x3153464a, "jfs"},   {0x52654973, "reiserfs"},
    {0x3434, "nilfs2"},        {0x9660, "iso9660"},   {0x15013346, "udf"},
    {0x47504653, "gpfs"},      {0x19830326, "fhgfs"}, {0x9fa0, "proc"},
    {0x958458f6, "hugetlbfs"}, {0x24051905, "ubifs"}, {0x72b6, "jffs2"},
};

const char *filesystem_name(unsigned long type)
{
    /* the sign of the field may have been extended */
    for (size_t i = 0; i < sizeof known_types / sizeof *known_types; i++)
        if (known_types[i].type == (type & 0xffffffff))
            return known_types[i].name;
    return NULL;
}
