// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/mount_info.h"

#include <linux/btrfs.h>
#include <linux/magic.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "util/kernel_file.h"
#include "util/portable.h"
#include "util/printable.h"

static const struct {
    unsigned long type;
    const char *name;
} known_types[] = {
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
    for (size_t i = 0; i < COUNT_OF(known_types); i++)
        if (known_types[i].type == (type & 0xffffffff))
            return known_types[i].name;
    return NULL;
}

bool filesystem_is_memory(const char *type)
{
    return word_list_has("tmpfs,ramfs", type, strlen(type));
}

long mount_info_id_of(int fd)
{
    char path[64], text[512];
    long id;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    const char *number = kernel_file_text(path, text, sizeof text) ? strstr(text, "mnt_id:") : NULL;
    return number && sscanf(number, "mnt_id: %ld", &id) == 1 ? id : -1;
}

void mount_info_read_path(char path[PATH_MAX], const char *text, size_t length)
{
    size_t used = 0;
    while (length > 0 && used < PATH_MAX - 1) {
        unsigned octal = 0;
        bool is_escaped = length >= 4 && sscanf(text, "\\%3o", &octal) == 1;
        path[used++] = is_escaped ? (char)octal : *text;
        text += is_escaped ? 4 : 1;
        length -= is_escaped ? 4 : 1;
    }
    path[length > 0 ? 0 : used] = '\0';
}

/* Adds those options of a list that p lacks: either those with a path, of which an overlay has one
 * for each layer, or all others. If they do not fit, the text ends in dots, and so does an option
 * with a long path or a list of layers. */
static void add_options(struct mount_info *p, const char *list, bool with_path)
{
    for (size_t length; *list && *list != ' ' && *list != '\n'; list += *list == ',') {
        length = strcspn(list, ", \n");
        size_t used = strlen(p->options);
        size_t room = sizeof p->options - used;
        size_t shown = length > MOUNT_OPTION ? MOUNT_OPTION - strlen("...") : length;
        const char *option = list;
        list += length;
        if ((memchr(option, '/', length) != NULL) != with_path)
            continue;
        const size_t name = strlen("upperdir=");
        if (strncmp(option, "upperdir=", name) == 0)
            mount_info_read_path(p->upper_layer, option + name, length - name);
        if (length > 0 && !word_list_has(p->options, option, length) &&
            (size_t)snprintf(p->options + used, room, "%s%.*s%s", used > 0 ? "," : "", (int)shown,
                             option, shown < length ? "..." : "") >= room)
            strcpy(p->options + sizeof p->options - sizeof "...", "...");
    }
}

/* Parses "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard". The sixth word has the
 * options of the mount. After any number of tags comes a hyphen, and then the type, the source, and
 * the options of the filesystem. Blanks in a word are written as \040. */
static void read_line(struct mount_info *p, const char *line)
{
    int root = 0, mount_options = 0;
    const char *type = strstr(line, " - ");
    if (!type)
        return;
    type += strlen(" - ");
    snprintf(p->filesystem, sizeof p->filesystem, "%.*s", (int)strcspn(type, " \n"), type);
    if (sscanf(line, "%*s %*s %*s %n%*s %4095s %n", &root, p->point, &mount_options) != 1 ||
        mount_options == 0)
        return;
    p->is_part = strncmp(line + root, "/ ", 2) != 0;
    sscanf(type, "%*s %255s", p->source);
    p->options[0] = p->upper_layer[0] = '\0';
    const char *last = strrchr(type, ' ');
    const char *others = last && last != strchr(type, ' ') ? last + 1 : "";
    for (int with_path = 0; with_path <= 1; with_path++) {
        add_options(p, line + mount_options, with_path);
        add_options(p, others, with_path);
    }
}

bool mount_info_has(const struct mount_info *p, const char *option)
{
    return word_list_has(p->options, option, strlen(option));
}

void mount_info_read_mount(struct mount_info *p, char *mountinfo, long mount_id)
{
    for (char *rest = mountinfo, *line; (line = strsep(&rest, "\n"));)
        if (strtol(line, NULL, 10) == mount_id)
            read_line(p, line);
}

void mount_info_of_path(struct mount_info *p, const char *path)
{
    size_t longest = 0;
    char *text = kernel_file_whole(p->root, "/proc/self/mountinfo");
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
        unsigned major, minor;
        char word[PATH_MAX], point[PATH_MAX];
        if (sscanf(line, "%*s %*s %u:%u %*s %4095s", &major, &minor, word) != 3)
            continue;
        mount_info_read_path(point, word, strlen(word));
        size_t length = strlen(point);
        length -= length > 0 && point[length - 1] == '/'; /* of the root, nothing is left */
        if (length < longest || strncmp(path, point, length) != 0 ||
            !strchr("/", path[length])) /* a later line hides an earlier one */
            continue;
        longest = length;
        p->major = major;
        p->minor = minor;
        read_line(p, line);
    }
    free(text);
}

/* Who asked mount(8) for the mount at a point, by libmount's table: a line is "SRC=/dev/loop0
 * TARGET=/media/stick ROOT=/ OPTS=user=alice". uhelper= is a service that mounts for users. */
static uid_t asker_of(const char *root, const char *point)
{
    char target[PATH_MAX + 16];
    char *options_rest = NULL;
    uid_t asker = 0;
    snprintf(target, sizeof target, " TARGET=%s ", point);
    char *text = kernel_file_whole(root, "/run/mount/utab");
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
        char *options = strstr(line, target) ? strstr(line, " OPTS=") : NULL;
        bool is_asked = false;
        const char *name = NULL;
        for (char *option = options ? strtok_r(options + strlen(" OPTS="), ", ", &options_rest)
                                    : NULL;
             option; option = strtok_r(NULL, ", ", &options_rest)) {
            name = strncmp(option, "user=", strlen("user=")) == 0 ? option + strlen("user=") : name;
            is_asked = is_asked || name || strncmp(option, "uhelper=", strlen("uhelper=")) == 0;
        }
        char room[1024];
        struct passwd entry, *known = NULL;
        if (is_asked)
            asker = name && getpwnam_r(name, &entry, room, sizeof room, &known) == 0 && known
                        ? known->pw_uid
                        : MOUNT_BY_UNKNOWN;
    }
    free(text);
    return asker;
}

/* The last field of a FUSE filesystem in mountinfo is "rw,user_id=1000,...". virtiofs, which only
 * root can mount, has no user. What is mounted once may be shown at several points. */
uid_t mount_info_maker(const char *root, long mount_id)
{
    unsigned device[2] = {0};
    uid_t maker = MOUNT_BY_UNKNOWN;
    for (int pass = 0; pass < 2; pass++) {
        char *text = kernel_file_whole(root, "/proc/self/mountinfo");
        for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
            char point[PATH_MAX];
            unsigned number[2];
            long id;
            if (sscanf(line, "%ld %*d %u:%u %*s %4095s", &id, &number[0], &number[1], point) != 4)
                continue;
            if (pass == 0 && id == mount_id) {
                memcpy(device, number, sizeof device);
                maker = 0;
            } else if (pass == 1 && maker == 0 && memcmp(device, number, sizeof device) == 0) {
                const char *fuse = strstr(line, " - fuse");
                const char *user = fuse ? strstr(strrchr(fuse, ' '), "user_id=") : NULL;
                maker = user ? (uid_t)strtoul(user + strlen("user_id="), NULL, 10)
                             : asker_of(root, point);
            }
        }
        free(text);
    }
    return maker;
}

/* The kernel has a directory for every mounted ext4, with the name of its device. A link whose name
 * is the device's number ends in that name. */
void mount_info_find_journal(struct mount_info *p)
{
    char path[PATH_MAX], target[PATH_MAX], task[32];
    snprintf(path, sizeof path, "%s/sys/dev/block/%u:%u", p->root, p->major, p->minor);
    if (!kernel_file_link(path, target, sizeof target) || strcmp(p->filesystem, "ext4") != 0)
        return;
    const char *slash = strrchr(target, '/');
    p->lacks_journal = snprintf(path, sizeof path, "%s/sys/fs/ext4/%s/journal_task", p->root,
                                slash ? slash + 1 : target) < (int)sizeof path &&
                       kernel_file_text(path, task, sizeof task) && strncmp(task, "<none>", 6) == 0;
}

/* Requests whose answers have the UUID at this offset. The first one that is answered counts. */
static const struct {
    unsigned long request;
    size_t offset;
} uuid_requests[] = {
    {_IOC(_IOC_READ, 0x15, 0, 17), 1},    /* FS_IOC_GETFSUUID, since Linux 6.9 */
    {_IOC(_IOC_READ, 'f', 44, 8), 8},     /* EXT4_IOC_GETFSUUID, to which its length is given */
    {_IOC(_IOC_READ, 'X', 100, 112), 64}, /* XFS_IOC_FSGEOMETRY_V1 */
    {BTRFS_IOC_FS_INFO, offsetof(struct btrfs_ioctl_fs_info_args, fsid)},
};

bool mount_info_is_upper(int overlay_fd, int fd)
{
    struct statfs overlay, layer;
    return fstatfs(overlay_fd, &overlay) == 0 && fstatfs(fd, &layer) == 0 &&
           overlay.f_type == OVERLAYFS_SUPER_MAGIC && overlay.f_blocks == layer.f_blocks &&
           overlay.f_bsize == layer.f_bsize && overlay.f_files == layer.f_files;
}

int mount_info_open_upper(const struct mount_info *p, int directory_fd)
{
    int fd = *p->upper_layer ? kernel_file_open(p->upper_layer, O_RDONLY | O_DIRECTORY) : -1;
    if (fd < 0 || mount_info_is_upper(directory_fd, fd))
        return fd;
    close(fd);
    return -1;
}

void mount_info_find(struct mount_info *p, int directory_fd)
{
    *p = (struct mount_info){.root = ""};
    struct stat st;
    struct statfs fs;
    if (fstat(directory_fd, &st) != 0)
        return;
    p->major = major(st.st_dev);
    p->minor = minor(st.st_dev);
    char *mountinfo = kernel_file_whole("", "/proc/self/mountinfo");
    mount_info_read_mount(p, mountinfo, mount_info_id_of(directory_fd));
    free(mountinfo);
    /* in a chroot whose root is not a mount point, the kernel does not list the mount */
    if (fstatfs(directory_fd, &fs) == 0) {
        const char *name = filesystem_name((unsigned long)fs.f_type);
        double used = (double)(fs.f_blocks - fs.f_bfree);
        if (p->filesystem[0] == '\0')
            snprintf(p->filesystem, sizeof p->filesystem, "%s", name ? name : "");
        p->used_percent = used > 0 ? 100 * used / (used + (double)fs.f_bavail) : 0;
    }
    mount_info_find_journal(p);
    for (size_t i = 0; i < COUNT_OF(uuid_requests) && !*p->uuid; i++) {
        static const unsigned char none[16]; /* a filesystem that has never got one */
        const uint32_t length = sizeof none;
        unsigned char answer[sizeof(struct btrfs_ioctl_fs_info_args)] = {0};
        memcpy(answer, &length, sizeof length);
        const unsigned char *uuid = answer + uuid_requests[i].offset;
        if (portable_ioctl(directory_fd, uuid_requests[i].request, answer) != 0 ||
            memcmp(uuid, none, sizeof none) == 0)
            continue;
        char *end = p->uuid;
        for (size_t k = 0; k < sizeof none; k++)
            end += sprintf(end, "%s%02x", k % 2 == 0 && k >= 4 && k <= 10 ? "-" : "", uuid[k]);
    }
}
