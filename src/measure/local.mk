# SPDX-License-Identifier: GPL-2.0-or-later
src_libsuite_a_SOURCES += \
	src/measure/limit.c src/measure/limit.h \
	src/measure/reading.c src/measure/reading.h \
	src/measure/clock.h \
	src/measure/control_group.c src/measure/control_group.h \
	src/measure/cpu.c src/measure/cpu.h \
	src/measure/device.c src/measure/device.h \
	src/measure/durability.c src/measure/durability.h \
	src/measure/facts.c src/measure/facts.h \
	src/measure/histogram.c src/measure/histogram.h \
	src/measure/levels.c src/measure/levels.h \
	src/measure/mount_info.c src/measure/mount_info.h \
	src/measure/slow_ops.h \
	src/measure/sources.c src/measure/sources.h \
	src/measure/steady.c src/measure/steady.h \
	src/measure/summary.c src/measure/summary.h
