#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# --help and --version.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(bonnie run_tool scratch source tree);
use RunProgram qw(run slurp);

my $dir = scratch();

for my $word (qw(-h --help)) {
    my $run = bonnie({ dir => "$dir" }, $word);
    is("$run->{status}$run->{err}", '0', "$word: exit status 0");
    like($run->{out}, qr/\AUsage: bonnie DIR[|]DEVICE\n +bonnie \[OPTION\]\.\.\.\n/, 'how to use it');
    unlike($run->{out}, qr/^.{81}/m, 'in 80 columns');
    unlike($run->{out}, qr/[ \t]$/m, 'no blanks at the ends of lines');
}

for my $program (qw(bonnie bonload boncut bon_ab)) {
    my $text = $program eq 'bon_ab' ? (run($program, ['-h']))[1] : run_tool($program eq 'bonnie' ? undef : $program, '-h')->{out};
    my @short = split /^/, $text;
    cmp_ok(scalar @short, '<=', 25, "$program -h: at most 25 lines");
    is((grep {/^    (?:ssh OTHER cat promises \| )?$program /} @short), 5, 'with five commands');
    unlike($text, qr/^.{81}|[ \t]$/m, 'in 80 columns');
    like($short[-2] . $short[-1], qr/\Q$program\E --?help lists all options; the manual is\s\Q$program\E\(\d\)[.]\n\z/, 'and where the rest is');
}
my ($version) = slurp(source('scripts/lib/Bonnie/Version.pm')) =~ /VERSION = '([^']+)'/;
for my $word (qw(-V --version)) {
    my $run = bonnie({ dir => "$dir" }, $word);
    is("$run->{status}$run->{err}$run->{out}", "0bonnie $version\n", "$word: name and version");
}
is(bonnie(qw(-d /nonexistent -s4 -V))->{status}, 0, 'with other options: nothing is done');
like(bonnie(qw(-V -h))->{out}, qr/\AUsage/, 'the last one counts');
is_deeply([ tree($dir) ], [], 'nothing is made');

done_testing();
