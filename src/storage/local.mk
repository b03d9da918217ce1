# SPDX-License-Identifier: GPL-2.0-or-later
src_libsuite_a_SOURCES += \
	src/storage/block_device.c src/storage/block_device.h \
	src/storage/data_file.c src/storage/data_file.h \
	src/storage/direct.c src/storage/direct.h \
	src/storage/file_set.c src/storage/file_set.h \
	src/storage/guards.c src/storage/guards.h \
	src/storage/page_cache.c src/storage/page_cache.h \
	src/storage/scratch.c src/storage/scratch.h \
	src/storage/sync_trial.c src/storage/sync_trial.h

