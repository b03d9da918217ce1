# SPDX-License-Identifier: GPL-2.0-or-later
src_libsuite_a_SOURCES += \
	src/tail/causes.c src/tail/causes.h \
	src/tail/examiner.c src/tail/examiner.h \
	src/tail/history.c src/tail/history.h \
	src/tail/summary.c src/tail/summary.h \
	src/tail/trace.c src/tail/trace.h
