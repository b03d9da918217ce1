# SPDX-License-Identifier: GPL-2.0-or-later
src_libsuite_a_SOURCES += \
	src/verify/contents.c src/verify/contents.h \
	src/verify/pattern.c src/verify/pattern.h
