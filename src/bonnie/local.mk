# SPDX-License-Identifier: GPL-2.0-or-later
src_libbonnie_a_SOURCES = \
	src/bonnie/gathering.c src/bonnie/gathering.h \
	src/bonnie/options.c \
	src/bonnie/phase.c src/bonnie/phase.h \
	src/bonnie/plan.c src/bonnie/plan.h \
	src/bonnie/preset.c src/bonnie/preset.h \
	src/bonnie/report/classic.c \
	src/bonnie/report/csv.c \
	src/bonnie/report/diskmark.c \
	src/bonnie/report/figures.c src/bonnie/report/figures.h \
	src/bonnie/report/gobonniego.c \
	src/bonnie/report/json.c \
	src/bonnie/report/quick.c \
	src/bonnie/report/text.c \
	src/bonnie/reports.c src/bonnie/reports.h \
	src/bonnie/result.c src/bonnie/result.h \
	src/bonnie/rounds.c src/bonnie/rounds.h \
	src/bonnie/run_context.c src/bonnie/run_context.h \
	src/bonnie/session.c src/bonnie/session.h \
	src/bonnie/tests.c src/bonnie/tests.h \
	src/bonnie/verdict.c src/bonnie/verdict.h \
	src/bonnie/workloads/block.c \
	src/bonnie/workloads/iops.c \
	src/bonnie/workloads/metadata.c \
	src/bonnie/workloads/perchar.c \
	src/bonnie/workloads/seeks.c \
	src/bonnie/workloads/workload.c src/bonnie/workloads/workload.h

BONNIE_LIBS = src/libbonnie.a $(SUITE_LIBS)

if HAVE_MPI
bin_PROGRAMS += bonnie-mpi
endif
bonnie_mpi_SOURCES = src/bonnie/program_mpi.c $(BY_MPI)
bonnie_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
bonnie_mpi_LDADD = $(BONNIE_LIBS) $(MPI_LIBS)
