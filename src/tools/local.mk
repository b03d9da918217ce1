# SPDX-License-Identifier: GPL-2.0-or-later
bonnie_SOURCES += \
	src/tools/generate_randfile.c \
	src/tools/getc_putc.c \
	src/tools/tool.h \
	src/tools/zcav.c \
	src/tools/zcav_figures.c src/tools/zcav_figures.h
