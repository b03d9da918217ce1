src_libsuite_a_SOURCES += \
	src/sync/coordinator.c src/sync/coordinator.h \
	src/sync/prompt.c \
	src/sync/ranks.c src/sync/ranks.h \
	src/sync/semaphores.c src/sync/semaphores.h

# What starts a program's ranks by MPI. Nothing else uses MPI.
BY_MPI = \
	src/sync/launcher.c src/sync/launcher.h \
	src/sync/mpi.c \
	src/sync/mpi_messages.c src/sync/mpi_messages.h
