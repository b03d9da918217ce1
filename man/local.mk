# SPDX-License-Identifier: GPL-2.0-or-later
dist_man_MANS = \
	man/bon_ab.1 \
	man/bon_csv2html.1 \
	man/bon_csv2txt.1 \
	man/boncut.1 \
	man/bonload.1 \
	man/bonnie.1 \
	man/bonwhy.8 \
	man/generate_randfile.1 \
	man/getc_putc.1 \
	man/zcav.8
