#include "coordinate.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <time.h>
#include <unistd.h>

#include "stop.h"

/*
 * The meeting: a barrier of N processes made of three semaphores that take turns. In phase k every
 * process takes one from semaphore k mod 3, which starts at N, waits until it is zero, and before
 * that gives one to the semaphore of phase k+1. That one was last waited for in phase k-2, which
 * all have left, since all have come to phase k-1; and it is back at N when the last process comes
 * to phase k, which is before anybody can be in phase k+1. So it serves for any number of phases.
 */
#define TURNS 3

/*
 * Two more tell when somebody is missing: ALIVE is raised by each process for as long as it lives
 * (the kernel takes that back, SEM_UNDO), MEMBERS is how many there should be.
 */
enum { ALIVE = TURNS, MEMBERS, SEMAPHORES };

/* "bon" and a version; the user's id makes it each user's own. */
#define KEY_BASE 0x626f6e00

/* How long to sleep in the kernel before looking for a signal once more. */
#define LOOK_UP_NS 200000000

/* What semctl takes as its fourth argument; the C library leaves it to us to declare. */
union semun {
    int val;
    unsigned short *array;
};

static key_t semaphore_key(void)
{
    return (key_t)(KEY_BASE ^ (geteuid() << 8));
}

int coordinate_remove_semaphores(struct err *e)
{
    int id = semget(semaphore_key(), 0, 0);
    if (id < 0 && errno == ENOENT)
        return 0;
    if (id < 0 || semctl(id, 0, IPC_RMID) != 0)
        return err_system(e, errno, "remove semaphores");
    return 0;
}

int coordinate_make_semaphores(int processes, struct err *e)
{
    int rc = coordinate_remove_semaphores(e);
    if (rc != 0)
        return rc;
    int id = semget(semaphore_key(), SEMAPHORES, IPC_CREAT | IPC_EXCL | 0600);
    if (id < 0)
        return err_system(e, errno, "make semaphores");
    unsigned short values[SEMAPHORES] = {
        [0] = (unsigned short)processes, [MEMBERS] = (unsigned short)processes};
    if (semctl(id, 0, SETALL, (union semun){.array = values}) != 0) {
        rc = err_system(e, errno, "set semaphores");
        semctl(id, 0, IPC_RMID);
    }
    return rc;
}

int coordinate_init(struct coordinator *c, enum coordination kind, struct err *e)
{
    *c = (struct coordinator){.kind = kind};
    if (kind != COORDINATE_SEMAPHORES)
        return 0;
    c->semaphores = semget(semaphore_key(), SEMAPHORES, 0);
    if (c->semaphores < 0 && errno == ENOENT) {
        fprintf(stderr, "bonnie: -y: no semaphores were made with -p, nobody to wait for\n");
        c->kind = COORDINATE_ALONE;
        return 0;
    }
    struct sembuf join = {.sem_num = ALIVE, .sem_op = 1, .sem_flg = SEM_UNDO};
    if (c->semaphores < 0 || semop(c->semaphores, &join, 1) != 0)
        return err_system(e, errno, "join the processes that -p made semaphores for");
    return 0;
}

static int semaphore_failure(int code, struct err *e)
{
    if (code == EIDRM || code == EINVAL)
        return err_say(e,
                       "-y: the semaphores are gone: another process has failed or removed them");
    return err_system(e, code, "wait for the other processes");
}

/* True when a process that was at the first meeting is no more. */
static bool somebody_died(const struct coordinator *c)
{
    return c->phases > 1 &&
           semctl(c->semaphores, ALIVE, GETVAL) < semctl(c->semaphores, MEMBERS, GETVAL);
}

/* semtimedop in slices, so that neither a signal nor a death is slept through. */
static int operate(const struct coordinator *c, struct sembuf *operations, size_t count,
                   struct err *e)
{
    const struct timespec slice = {.tv_nsec = LOOK_UP_NS};
    while (semtimedop(c->semaphores, operations, count, &slice) != 0) {
        if (errno != EAGAIN && errno != EINTR)
            return semaphore_failure(errno, e);
        if (stop_requested())
            return err_system(e, EINTR, "wait for the other processes");
        if (somebody_died(c))
            return err_say(e, "-y: another process has died or ended early");
    }
    return 0;
}

static int meet(struct coordinator *c, struct err *e)
{
    unsigned short turn = (unsigned short)(c->phases % TURNS);
    unsigned short next = (unsigned short)((c->phases + 1) % TURNS);
    c->phases++;
    struct sembuf arrive[] = {{.sem_num = turn, .sem_op = -1}, {.sem_num = next, .sem_op = 1}};
    struct sembuf wait_for_all[] = {{.sem_num = turn, .sem_op = 0}};
    int rc = operate(c, arrive, 2, e);
    return rc == 0 ? operate(c, wait_for_all, 1, e) : rc;
}

/* Waits for the end of a line on stdin. */
static int read_line(const char *phase, struct err *e)
{
    char byte = 0;
    while (byte != '\n') {
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        if (poll(&input, 1, LOOK_UP_NS / 1000000) <= 0) {
            if (stop_requested())
                return err_system(e, EINTR, "wait at the prompt");
            continue;
        }
        ssize_t got = read(STDIN_FILENO, &byte, 1);
        if (got < 0)
            return err_system(e, errno, "read from standard input at the prompt");
        if (got == 0)
            return err_say(e, "-yp: standard input ended at the prompt for %s", phase);
    }
    return 0;
}

static int prompt(const char *phase, struct err *e)
{
    fprintf(stderr, "Press Enter to start %s: ", phase);
    fflush(stderr);
    int rc = read_line(phase, e);
    if (rc != 0)
        fputc('\n', stderr);
    return rc;
}

int coordinate_wait(struct coordinator *c, const char *phase, struct err *e)
{
    switch (c->kind) {
    case COORDINATE_PROMPT:
        return prompt(phase, e);
    case COORDINATE_SEMAPHORES:
        return meet(c, e);
    case COORDINATE_ALONE:
        break;
    }
    return 0;
}

int coordinate_leave(struct coordinator *c, bool failed, struct err *e)
{
    if (c->kind != COORDINATE_SEMAPHORES)
        return 0;
    if (failed) {
        semctl(c->semaphores, 0, IPC_RMID);
        return 0;
    }
    int rc = 0;
    while (rc == 0 && c->phases % TURNS != 0) /* the first semaphore is at N again then */
        rc = meet(c, e);
    return rc;
}
