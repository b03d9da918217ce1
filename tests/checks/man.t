#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# mandoc reports nothing about the manual pages, and every program has one.

use strict;
use warnings;
use File::Basename qw(dirname);
use File::Glob     qw(bsd_glob);
use Test::More;

my $TOP = $ENV{BONNIE_TEST_SRCDIR} // dirname(__FILE__) . '/../..';

my @pages = bsd_glob("$TOP/man/*.[0-9]");
for my $program (qw(bon_ab.1 boncut.1 bonload.1 bonnie.1 bonwhy.8 bon_csv2html.1 bon_csv2txt.1 generate_randfile.1 getc_putc.1 zcav.8)) {
    ok((grep {m{/\Q$program\E\z}} @pages), $program);
}
SKIP: {
    skip 'there is no mandoc', scalar @pages if qx(which mandoc 2>/dev/null) eq q{};
    for my $page (@pages) {
        my $said = join q{}, grep { !/out of conventional order: Sh DESCRIPTION$/ } qx(mandoc -Tlint -W warning '$page' 2>&1); # EXAMPLES come first
        is($said, q{}, "mandoc -Tlint -W warning $page");
    }
}

done_testing();
