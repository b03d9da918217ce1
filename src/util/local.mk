# SPDX-License-Identifier: GPL-2.0-or-later
src_libsuite_a_SOURCES += \
	src/util/base.h \
	src/util/bundle.c src/util/bundle.h \
	src/util/coverage.h \
	src/util/descriptor.h \
	src/util/err.c src/util/err.h \
	src/util/kernel_file.c src/util/kernel_file.h \
	src/util/partition.h \
	src/util/portable.c src/util/portable.h \
	src/util/printable.c src/util/printable.h \
	src/util/rng.c src/util/rng.h \
	src/util/shared_memory.h \
	src/util/units.c src/util/units.h

