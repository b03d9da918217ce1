// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/ipc.h>
#include <sys/sem.h>
#include <time.h>

#include "sync/coordinator.h"
#include "sys/stop.h"

/* A barrier for N processes, made of three semaphores that take turns. In phase k every process
 * adds one to the semaphore of phase k+1, subtracts one from semaphore k mod 3, which starts at N,
 * and waits until that is zero. Processes last waited for the semaphore of phase k+1 in phase k-2.
 * All of them have left that phase, because all have come to phase k-1. And the semaphore is back
 * at N when the last process comes to phase k, before any process can be in phase k+1. So the
 * barrier works for any number of phases. */
#define TURNS 3

/* Two more semaphores show that processes are missing: each process adds one to ALIVE for as long
 * as it lives (the kernel undoes that, SEM_UNDO), and MEMBERS is how many there should be. */
enum { ALIVE = TURNS, MEMBERS, SEMAPHORES };

#define KEY_BASE   0x626f6e00 /* "bon" and a version. Adding the user's id gives each user a key. */
#define LOOK_UP_NS 200000000  /* Interval at which a wait looks for signals, in ns. */

/* Type of semctl(2)'s fourth argument, which programs must declare themselves. */
union semun {
    int val;
    unsigned short *array;
    struct semid_ds *set;
};

static key_t semaphore_key(void)
{
    return (key_t)(KEY_BASE ^ (geteuid() << 8));
}

/* Finds this user's set of at least `count` semaphores. *id becomes its id, or -1 when there is
 * none. Anybody can guess the key and make a set with it first. Such a set is refused: its maker
 * decides how long its users wait, and it is not ours to remove. */
static int find_semaphores(int *id, int count, struct err *e)
{
    *id = semget(semaphore_key(), count, 0);
    if (*id < 0)
        return errno == ENOENT ? 0 : err_system(e, errno, "look for semaphores");
    struct semid_ds set = {0};
    bool is_known = semctl(*id, 0, IPC_STAT, (union semun){.set = &set}) == 0;
    if (is_known && set.sem_perm.cuid == geteuid() && set.sem_perm.uid == geteuid())
        return 0;
    if (!is_known && errno != EACCES) /* others may forbid this user to look */
        return err_system(e, errno, "look at the owner of semaphores");
    return err_say(e,
                   "semaphore set %d belongs to another user but has this user's key "
                   "0x%08x: it is left alone",
                   *id, (unsigned)semaphore_key());
}

int semaphores_remove(struct err *e)
{
    int id;
    int rc = find_semaphores(&id, 0, e);
    if (rc != 0 || id < 0)
        return rc;
    return semctl(id, 0, IPC_RMID) == 0 ? 0 : err_system(e, errno, "remove semaphores");
}

void semaphores_clean_up(void)
{
    struct semid_ds set = {0};
    int id;
    if (find_semaphores(&id, SEMAPHORES, NULL) == 0 && id >= 0 &&
        semctl(id, 0, IPC_STAT, (union semun){.set = &set}) == 0 && set.sem_otime != 0 &&
        semctl(id, ALIVE, GETVAL) == 0 && semctl(id, 0, IPC_RMID) == 0)
        message("removed semaphore set %d, whose processes have all ended", id);
}

int semaphores_make(int processes, struct err *e)
{
    int rc = semaphores_remove(e);
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

static int semaphores_join(struct coordinator *c, struct err *e)
{
    int rc = find_semaphores(&c->semaphores, SEMAPHORES, e);
    if (rc != 0)
        return rc;
    if (c->semaphores < 0) {
        message("-y: no semaphores were made with -p, so there is nobody to wait for");
        c->ops = &coordinator_alone;
        return 0;
    }
    struct sembuf operation = {.sem_num = ALIVE, .sem_op = 1, .sem_flg = SEM_UNDO};
    return semop(c->semaphores, &operation, 1) == 0
               ? 0
               : err_system(e, errno, "join the processes that -p made semaphores for");
}

/* Calls semtimedop(2) for short times, so that it notices a signal or the end of a process. */
static int operate_semaphores(const struct coordinator *c, struct sembuf *operations, size_t count,
                              struct err *e)
{
    const struct timespec slice = {.tv_nsec = LOOK_UP_NS};
    while (semtimedop(c->semaphores, operations, count, &slice) != 0) {
        if (errno == EIDRM || errno == EINVAL)
            return err_say(
                e, "-y: the semaphores are gone: another process has failed or removed them");
        if ((errno != EAGAIN && errno != EINTR) || stop_requested())
            return err_system(e, errno == EAGAIN ? EINTR : errno, "wait for the other processes");
        /* whether a process that was at the first meeting has ended */
        if (c->phases > 1 &&
            semctl(c->semaphores, ALIVE, GETVAL) < semctl(c->semaphores, MEMBERS, GETVAL))
            return err_say(e, "-y: another process has died or ended early");
    }
    return 0;
}

static int semaphores_barrier(struct coordinator *c, const char *phase, struct err *e)
{
    (void)phase;
    unsigned short turn = (unsigned short)(c->phases % TURNS);
    unsigned short next = (unsigned short)((c->phases + 1) % TURNS);
    c->phases++;
    struct sembuf arrive[] = {{.sem_num = turn, .sem_op = -1}, {.sem_num = next, .sem_op = 1}};
    struct sembuf wait_for_all[] = {{.sem_num = turn, .sem_op = 0}};
    int rc = operate_semaphores(c, arrive, 2, e);
    return rc == 0 ? operate_semaphores(c, wait_for_all, 1, e) : rc;
}

static int semaphores_leave(struct coordinator *c, int rc, struct err *e)
{
    if (rc != 0) {
        semctl(c->semaphores, 0, IPC_RMID);
        return rc;
    }
    while (rc == 0 && c->phases % TURNS != 0) /* until the first semaphore is at N again */
        rc = semaphores_barrier(c, NULL, e);
    return rc;
}

const struct coordinator_ops coordinator_semaphores = {
    .join = semaphores_join,
    .barrier = semaphores_barrier,
    .leave = semaphores_leave,
};
