# SPDX-License-Identifier: GPL-2.0-or-later
src_libsuite_a_SOURCES += \
	src/report/document.c src/report/document.h \
	src/report/json_measured.c \
	src/report/json_object.c src/report/json_object.h \
	src/report/page.c src/report/page.h
