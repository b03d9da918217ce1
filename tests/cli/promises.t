#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What docs/promises.md promises of options is there: no name of tests/data/promises.txt is gone. Names that
# are new are told, and belong into that file before a release.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(run_tool);
use RunProgram qw(data_file slurp);

my %promised = map { $_ => 1 } grep {length} split /\n/, slurp(data_file('promises.txt'));
cmp_ok(scalar keys %promised, '>', 250, 'there are many');

my %there;
for my $program (qw(bonnie bonload boncut zcav getc_putc generate_randfile bon_ab bon_csv2html bon_csv2txt)) {
    for my $line (grep {/\Aoption\t/} split /\n/, run_tool($program eq 'bonnie' ? undef : $program, '--all-options')->{out}) {
        my (undef, $letter, @names) = (split /\t/, $line)[ 0 .. 3 ];
        $there{"$program $_"} = 1 for (map {"-$_"} grep {length} $letter), (map {"--$_"} grep {length} @names);
    }
}
is_deeply([ grep { !$there{$_} } sort keys %promised ], [], 'no option is gone');
diag("new, and not in tests/data/promises.txt: $_") for grep { !$promised{$_} } sort keys %there;

done_testing();
