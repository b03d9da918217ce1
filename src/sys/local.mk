# SPDX-License-Identifier: GPL-2.0-or-later
src_libsuite_a_SOURCES += \
	src/sys/cache_dropper.c src/sys/cache_dropper.h \
	src/sys/helper.c src/sys/helper.h \
	src/sys/host.c src/sys/host.h \
	src/sys/input.c src/sys/input.h \
	src/sys/limits.c src/sys/limits.h \
	src/sys/output.c src/sys/output.h \
	src/sys/path.c src/sys/path.h \
	src/sys/privilege.c src/sys/privilege.h \
	src/sys/program.c src/sys/program.h \
	src/sys/seccomp_rules.h \
	src/sys/stop.c src/sys/stop.h \
	src/sys/thread_pool.c src/sys/thread_pool.h
