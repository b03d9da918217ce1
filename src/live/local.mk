# SPDX-License-Identifier: GPL-2.0-or-later
src_libsuite_a_SOURCES += \
	src/live/monitor.c src/live/monitor.h \
	src/live/progress.c src/live/progress.h
