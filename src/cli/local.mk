# SPDX-License-Identifier: GPL-2.0-or-later
src_libsuite_a_SOURCES += \
	src/cli/help.c \
	src/cli/option.c src/cli/option.h \
	src/cli/parser.c src/cli/parser.h \
	src/cli/rows.h


