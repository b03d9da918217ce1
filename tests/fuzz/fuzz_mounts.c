/* /proc/self/mountinfo and fdinfo: the type of a filesystem is one word. */
#include "fuzz.h"
#include "measure/place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct place p = {.root = ""};
    FILE *fdinfo = fuzz_file(data, size);
    long mount_id = place_mount_id(fdinfo);
    fclose(fdinfo);

    FILE *mountinfo = fuzz_file(data, size);
    place_read_type(&p, mountinfo, mount_id == -1 ? 22 : mount_id);
    fclose(mountinfo);
    MUST(memchr(p.filesystem, '\0', sizeof p.filesystem));
    MUST(!strpbrk(p.filesystem, " \n"));
    return 0;
}
