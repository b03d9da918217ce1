# SPDX-License-Identifier: GPL-2.0-or-later
# bonnie is also the small programs: links with their names call it.
sbin_NAMES = bonwhy zcav
bin_NAMES = generate_randfile getc_putc
noinst_SCRIPTS = $(sbin_NAMES) $(bin_NAMES)

$(sbin_NAMES) $(bin_NAMES): bonnie
	$(AM_V_GEN)rm -f $@ && $(LN_S) bonnie $@

bonnie_SOURCES += src/suite/main.c src/bonnie/program_name.c
bonnie_LDADD = $(BONNIE_LIBS)
