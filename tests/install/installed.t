#!/usr/bin/perl
# What `make install` puts in place: make installcheck, and so make distcheck, runs this.

use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;

my $dir = dirname($ENV{BONNIE});

is(readlink $ENV{BONNIE}, 'bonnie', 'bonnie++ is a link to bonnie beside it');
for my $program (map {"$dir/$_"} qw(bonnie bonnie++)) {
    like(qx('$program' --version), qr/\d+\.\d+\.\d+/, "$program runs");
}
for my $script (@ENV{qw(BON_CSV2HTML BON_CSV2TXT)}) {
    like(qx('$script' --version), qr/\d+\.\d+\.\d+/, "$script runs by itself and finds its modules");
}
for my $page (qw(man8/bonnie.8 man8/bonnie++.8 man1/bon_csv2html.1 man1/bon_csv2txt.1)) {
    ok(-s "$ENV{BONNIE_TEST_MANDIR}/$page", "manual page $page");
}
ok(-s "$ENV{BONNIE_TEST_DATADIR}/bonnie.schema.json", 'schema of the JSON report');

done_testing;
