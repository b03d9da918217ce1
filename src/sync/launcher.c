#include "sync/launcher.h"

#include <stdlib.h>
#include <string.h>

/* Environment variables that a launcher sets in the processes that it starts. */
struct launcher {
    const char *rank;
    const char *ranks;
    bool has_mpi; /* tells an MPI library about the other processes */
};
static const struct launcher launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", true}, /* Open MPI's mpirun */
    {"PMI_RANK", "PMI_SIZE", true},                         /* MPICH's mpiexec, srun --mpi=pmi2 */
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", true}, /* srun --mpi=pmix, and others with PMIx */
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", false},
};

const struct launcher *launcher_find(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (getenv(launchers[i].rank))
            return &launchers[i];
    return NULL;
}

bool launcher_has_mpi(const struct launcher *l)
{
    return l && l->has_mpi;
}

int launcher_check(const struct launcher *l, unsigned ranks, struct err *e)
{
    const char *started = l ? getenv(l->ranks) : NULL;
    const char *rank = l ? getenv(l->rank) : NULL;
    if (ranks > 1 || !started || !rank || atoi(started) < 2)
        return 0;
    err_say(e,
            "%s processes were started, but they do not find one another: the launcher belongs to "
            "another MPI, or srun needs --mpi=pmix or --mpi=pmi2",
            started);
    if (strcmp(rank, "0") != 0)
        e->text[0] = '\0';
    return -e->code;
}
