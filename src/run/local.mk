# SPDX-License-Identifier: GPL-2.0-or-later
src_libsuite_a_SOURCES += \
	src/run/section.c src/run/section.h
