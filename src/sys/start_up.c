#include "sys/start_up.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/units.h"

/*
 * Opens standard descriptors that are closed. Otherwise the first file that is opened would get the
 * number of one, and the program would print into that file. The replacement for standard output
 * cannot be written to.
 */
static void occupy_standard_descriptors(void)
{
    int fd;
    do {
        fd = open("/dev/null", O_RDONLY);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/*
 * Stack that a process needs: about twice the 48 KiB that were measured for the tests, the reports
 * and the C library.
 */
#define NEEDED_KIB UINT64_C(96)

/*
 * Number of bytes at the upper end of the stack that the arguments, the environment and the callers
 * use.
 */
static uint64_t used_bytes(void)
{
    const char here = 0;
    /* the name of the program lies above everything else */
    uintptr_t top = (uintptr_t)getauxval(AT_EXECFN);
    return top > (uintptr_t)&here ? top - (uintptr_t)&here : 0;
}

static int check_stack_limit(struct err *e)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return 0;
    uint64_t needed = used_bytes() / KIB + 1 + NEEDED_KIB;
    if (limit.rlim_cur / KIB >= needed)
        return 0;
    return err_say(
        e, "the stack is limited to %" PRIu64 " KiB, but %" PRIu64 " KiB are needed (ulimit -s)",
        (uint64_t)limit.rlim_cur / KIB, needed);
}

int start_up(struct err *e)
{
    occupy_standard_descriptors();
    return check_stack_limit(e);
}
