# SPDX-License-Identifier: GPL-2.0-or-later
src_libsuite_a_SOURCES += \
	src/sync/coordinator.c src/sync/coordinator.h \
	src/sync/ranks.c src/sync/ranks.h \
	src/sync/semaphores.c

# What starts a program's ranks by MPI. Nothing else uses MPI.
BY_MPI = \
	src/sync/mpi.c

