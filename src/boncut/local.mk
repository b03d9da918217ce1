# SPDX-License-Identifier: GPL-2.0-or-later
src_libboncut_a_SOURCES = \
	src/boncut/audit/audit.c \
	src/boncut/campaign/campaign.c src/boncut/campaign/campaign.h \
	src/boncut/check.c \
	src/boncut/fs_shutdown.c \
	src/boncut/log.c src/boncut/log.h \
	src/boncut/methods/method.h \
	src/boncut/methods/methods.c \
	src/boncut/options.c src/boncut/options.h \
	src/boncut/verdict.c src/boncut/verdict.h \
	src/boncut/write.c

BONCUT_LIBS = src/libboncut.a $(SUITE_LIBS)

boncut_SOURCES = src/boncut/main.c src/boncut/program_name.c
boncut_LDADD = $(BONCUT_LIBS)
