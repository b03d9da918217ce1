# SPDX-License-Identifier: GPL-2.0-or-later
bonnie_SOURCES += \
	src/bonwhy/bonwhy.c src/bonwhy/bonwhy.h \
	src/bonwhy/profile.c \
	src/bonwhy/target.c src/bonwhy/target.h \
	src/bonwhy/watch.c src/bonwhy/watch.h
