// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/sources.h"

#include <linux/fs.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "measure/control_group.h"
#include "util/kernel_file.h"
#include "util/portable.h"
#include "util/printable.h"

/* Filesystems whose blocks this process's own tasks ask for. Servers, FUSE, virtiofs and 9p have
 * others read for them, and ZFS has its own threads. */
#define LOCAL "ext2,ext3,ext4,xfs,btrfs,bcachefs,f2fs,jfs,nilfs2,vfat,exfat,ntfs3,overlay,ecryptfs"

/* These return 1 if the line begins the part of the file about our mount or share, 0 if it begins
 * the part about another one, and -1 if it begins no part. */
static int is_our_mount(const char *line, const struct sources *s)
{
    const char *point = strstr(line, " mounted on ");
    if (strncmp(line, "device ", strlen("device ")) != 0 || !point)
        return -1;
    point += strlen(" mounted on ");
    size_t length = strcspn(point, " ");
    return length == strlen(s->mount.point) && strncmp(point, s->mount.point, length) == 0;
}

/* "2) \\\\server\\share" is the share of "//server/share/below". */
static int is_our_share(const char *line, const struct sources *s)
{
    const char *source = s->mount.source;
    int start = 0;
    if (sscanf(line, "%*u) %n", &start) == EOF || start == 0)
        return -1;
    for (line += start; !strchr("\t\n ", *line); line++, source++)
        if (!(*line == '\\' && *source == '/') && strncasecmp(line, source, 1) != 0)
            return 0;
    return *source == '\0' || *source == '/';
}

const struct source_row source_rows[SOURCE_COUNT] = {
    [SOURCE_DEVICE] = {.name = "device", .subject = "The device", .verbs = {"read", "wrote"}},
    [SOURCE_PROCESS] = {.name = "process",
                        .filesystems = LOCAL,
                        .file = "/proc/self/io",
                        .keys = {{"read_bytes: %" SCNu64}},
                        .subject = "This process",
                        .verbs = {"read"},
                        .of = SOURCE_OF_STORAGE | SOURCE_OF_PROCESS},
    [SOURCE_GROUP] = {.name = "control group",
                      .filesystems = LOCAL,
                      .file = "",
                      .keys = {{"%*u:%*u rbytes=%" SCNu64, "%*u:%*u Read %" SCNu64},
                               {"%*u:%*u rbytes=%*u wbytes=%" SCNu64}},
                      .subject = "The control group",
                      .verbs = {"read", "wrote"},
                      .of = SOURCE_OF_STORAGE},
    [SOURCE_NFS] = {.name = "server",
                    .filesystems = "nfs,nfs4",
                    .file = "/proc/self/mountstats",
                    .keys = {{" bytes: %*u %*u %*u %*u %" SCNu64},
                             {" bytes: %*u %*u %*u %*u %*u %" SCNu64}},
                    .subject = "The server",
                    .verbs = {"sent", "took"},
                    .of = SOURCE_OF_SERVER,
                    .is_ours = is_our_mount},
    [SOURCE_CIFS] = {.name = "server",
                     .filesystems = "cifs,smb3",
                     .file = "/proc/fs/cifs/Stats",
                     .keys = {{"Bytes read: %" SCNu64, "Reads: %*u Bytes: %" SCNu64},
                              {"Bytes read: %*u Bytes written: %" SCNu64,
                               "Writes: %*u Bytes: %" SCNu64}},
                     .subject = "The server",
                     .verbs = {"sent", "took"},
                     .of = SOURCE_OF_SERVER,
                     .is_ours = is_our_share},
    [SOURCE_ZFS] = {.name = "zfs",
                    .filesystems = "zfs",
                    .file = "/proc/spl/kstat/zfs/arcstats",
                    .keys = {{"demand_data_misses %*u %" SCNu64,
                              "prefetch_data_misses %*u %" SCNu64}},
                    .subject = "ZFS",
                    .verbs = {"read"},
                    .of = SOURCE_OF_STORAGE | SOURCE_OF_RECORDS | SOURCE_OF_CACHE},
    [SOURCE_BELOW] = {.name = "device below",
                      .filesystems = "overlay",
                      .subject = "The device below",
                      .verbs = {"read", "wrote"}},
    [SOURCE_RESIDENT] = {.name = "page cache", .subject = "The page cache", .verbs = {"had"}},
};

static bool may_speak_on(const struct source_row *row, const char *type)
{
    return !row->filesystems || word_list_has(row->filesystems, type, strlen(type));
}

/* Adds up what a source has counted. Returns false when it says nothing; a control group that has
 * moved nothing has an empty file. */
static bool read_source(const struct sources *s, const struct source_row *row,
                        uint64_t bytes[static WAYS])
{
    char *text = kernel_file_whole(*row->file ? s->mount.root : s->group_file, row->file);
    bool is_ours = !row->is_ours;
    bool found = text && !*row->file;
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
        int begins = row->is_ours ? row->is_ours(line, s) : -1;
        is_ours = begins < 0 ? is_ours : begins;
        for (size_t i = 0; is_ours && i < WAYS * SOURCE_KEYS; i++) {
            enum way way = (enum way)(i / SOURCE_KEYS);
            const char *key = row->keys[way][i % SOURCE_KEYS];
            uint64_t count;
            if (!key || sscanf(line, key, &count) != 1)
                continue;
            bytes[way] += count * (row->of & SOURCE_OF_RECORDS ? s->record_bytes : 1);
            found = true;
        }
    }
    free(text);
    return found;
}

void sources_choose(struct sources *s)
{
    struct control_group *groups = control_groups_find(s->mount.root, 0, "blkio");
    for (const struct control_group *g = groups; g && *g->directory; g++) {
        char path[PATH_MAX];
        const char *name = g->is_v2 ? "io.stat" : "blkio.throttle.io_service_bytes";
        if (g->is_own && snprintf(path, sizeof path, "%s/%s", g->directory, name) < PATH_MAX &&
            kernel_file_exists(path))
            strcpy(s->group_file, path);
    }
    free(groups);
    for (enum way way = 0; way < WAYS; way++)
        for (enum source source = SOURCE_DEVICE; source < SOURCE_RESIDENT; source++) {
            const struct source_row *row = &source_rows[source];
            uint64_t unused[WAYS] = {0};
            if (s->by[way] != SOURCE_NONE || !row->verbs[way] ||
                !may_speak_on(row, s->mount.filesystem))
                continue;
            /* version 1 charges writes to the kernel, which writes them back */
            if (source == SOURCE_GROUP && way == WAY_WRITTEN && !strstr(s->group_file, "/io.stat"))
                continue;
            /* devices below an overlay have a row of their own */
            if (row->file ? may_speak_on(row, s->filesystem) && read_source(s, row, unused)
                          : s->devices.count > 0 &&
                                (source == SOURCE_BELOW ||
                                 !may_speak_on(&source_rows[SOURCE_BELOW], s->mount.filesystem)))
                s->by[way] = source;
        }
}

void sources_find(struct sources *s, int fd)
{
    struct statfs fs;
    struct stat st;
    int flags = 0;
    int at = fd;
    *s = (struct sources){.record_bytes = fstatfs(fd, &fs) == 0 ? (uint64_t)fs.f_bsize : 0};
    if (fstat(fd, &st) == 0 && S_ISBLK(st.st_mode)) {
        s->mount =
            (struct mount_info){.root = "", .major = major(st.st_rdev), .minor = minor(st.st_rdev)};
        device_find(&s->devices, &s->mount);
        sources_choose(s);
        return;
    }
    mount_info_find(&s->mount, fd);
    struct mount_info mount = s->mount; /* the lowest upper layer of overlays that can be seen */
    for (unsigned layer = 0; layer < MAX_OVERLAYS; layer++) {
        int upper_fd = mount_info_open_upper(&mount, at);
        if (upper_fd < 0)
            break;
        mount_info_find(&mount, upper_fd);
        if (at != fd)
            close(at);
        at = upper_fd;
    }
    device_find(&s->devices, &mount);
    snprintf(s->filesystem, sizeof s->filesystem, "%s", mount.filesystem);
    /* whether files may be compressed; not on a ZFS, which counts expanded bytes */
    s->compresses = strstr(mount.options, ",compress") ||
                    word_list_has("squashfs,erofs", mount.filesystem, strlen(mount.filesystem)) ||
                    (portable_ioctl(at, FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_COMPR_FL));
    if (at != fd)
        close(at);
    sources_choose(s);
}

void sources_read(const struct sources *s, struct moved_bytes *now)
{
    *now = (struct moved_bytes){{SOURCE_NONE, SOURCE_NONE}, {0, 0}};
    for (enum way way = 0; way < WAYS; way++) {
        uint64_t bytes[WAYS] = {0};
        if (!source_rows[s->by[way]].file || read_source(s, &source_rows[s->by[way]], bytes))
            now->by[way] = s->by[way];
        now->bytes[way] = bytes[way];
    }
}

struct moved_bytes moved_between(const struct moved_bytes *before, const struct moved_bytes *after)
{
    struct moved_bytes moved = *after;
    for (enum way way = 0; way < WAYS; way++) {
        moved.bytes[way] -= before->bytes[way];
        if (before->by[way] != after->by[way] || before->bytes[way] > after->bytes[way])
            moved.by[way] = SOURCE_NONE;
    }
    return moved;
}

void moved_add(struct moved_bytes *sum, const struct moved_bytes *part, bool is_first)
{
    for (enum way way = 0; way < WAYS; way++) {
        if (sum->by[way] != part->by[way])
            sum->by[way] = SOURCE_NONE;
        if (is_first || source_rows[part->by[way]].of & SOURCE_OF_PROCESS)
            sum->bytes[way] += part->bytes[way];
    }
}
