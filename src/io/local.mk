# SPDX-License-Identifier: GPL-2.0-or-later
src_libsuite_a_SOURCES += \
	src/io/engine.c \
	src/io/engine.h \
	src/io/engines/null.c \
	src/io/engines/sync.c \
	src/io/file.c src/io/file.h \
	src/io/io_queue.c src/io/io_queue.h



if HAVE_LIBAIO
src_libsuite_a_SOURCES += src/io/engines/libaio.c
endif
if HAVE_LIBURING
src_libsuite_a_SOURCES += src/io/engines/io_uring.c
endif
