# SPDX-License-Identifier: GPL-2.0-or-later
src_libbonload_a_SOURCES = \
	src/bonload/control/main_loop.c src/bonload/control/main_loop.h \
	src/bonload/control/progress.c src/bonload/control/progress.h \
	src/bonload/good_for.c src/bonload/good_for.h \
	src/bonload/judge/search.c src/bonload/judge/search.h \
	src/bonload/judge/sequential_test.c src/bonload/judge/sequential_test.h \
	src/bonload/judge/verdict.c src/bonload/judge/verdict.h \
	src/bonload/ledger/names.c src/bonload/ledger/names.h \
	src/bonload/ledger/written.c src/bonload/ledger/written.h \
	src/bonload/load/backing.c src/bonload/load/backing.h \
	src/bonload/load/recorder.c src/bonload/load/recorder.h \
	src/bonload/load/run.c src/bonload/load/run.h \
	src/bonload/load/series.c src/bonload/load/series.h \
	src/bonload/options.c src/bonload/options.h \
	src/bonload/plan/plan.c src/bonload/plan/plan.h \
	src/bonload/profiles/profile.c src/bonload/profiles/profile.h \
	src/bonload/report/human.c \
	src/bonload/report/json.c \
	src/bonload/report/report.h \
	src/bonload/report/result.c src/bonload/report/report.h \
	src/bonload/report/text.c \
	src/bonload/targets/expected.c \
	src/bonload/targets/files/files.c \
	src/bonload/targets/profile/profile_target.c src/bonload/targets/profile/profile_target.h \
	src/bonload/targets/table.c \
	src/bonload/targets/target.h

if HAVE_CURL
src_libbonload_a_SOURCES += \
	src/bonload/targets/web/s3.c \
	src/bonload/targets/web/web.c src/bonload/targets/web/web.h
endif

BONLOAD_LIBS = src/libbonload.a $(SUITE_LIBS) $(CURL_LIBS)

bonload_SOURCES = src/bonload/session.c src/bonload/program_name.c
bonload_LDADD = $(BONLOAD_LIBS)

if HAVE_MPI
bin_PROGRAMS += bonload-mpi
endif
bonload_mpi_SOURCES = src/bonload/session.c src/bonload/program_mpi.c $(BY_MPI)
bonload_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
bonload_mpi_LDADD = $(BONLOAD_LIBS) $(MPI_LIBS)
