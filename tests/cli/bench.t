#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bench/compare and bench/promises work: their C programs are built from the current sources, and
# the rows that need only a compiler have figures. The figures themselves are not tested.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(program run_tool scratch source sources);
use RunProgram qw(slurp spew);

$BonnieRun::HANGS = 1500; # both measure for long on a busy machine

my $dir = scratch();
my $run = run_tool(source('bench/compare'), '--bonnie', program(), '--tmpfs', $dir, qw(--quick --pairs 1 --perchar 8 --rows),
    '^in flight null 4k|^contents|^record|^(?:read|write|getc|putc)', $dir);
is($run->{status}, 0, 'exit status 0') or diag $run->{out}, $run->{err};
is($run->{err}, q{}, 'no messages');
unlike($run->{out}, qr/not measured|left out/, 'every row was measured');
for my $row ('in flight null 4k x 32', 'contents', 'record') {
    like($run->{out}, qr/^\Q$row\E +-?\d/m, $row); # noise may make the difference `record` negative
}
like($run->{out}, qr/^$_\b/m, $_) for qw(putc getc read write);

my $promises = run_tool(source('bench/promises'), '--boncut', program('boncut'), qw(--pairs 1 --turns 6 --rows), '^fsync|^tmpfs', '--tmpfs', $dir, $dir);
is($promises->{status}, 0, 'bench/promises: exit status 0') or diag $promises->{out}, $promises->{err};
is($promises->{err}, q{}, 'no messages');
like($promises->{out}, qr/^\Q$_\E +\d+ +\d+ +\d/m, $_) for 'fsync', 'tmpfs dsync', 'tmpfs dsync, check';

# Each finds the programs by one rule: a variable, the build directory, what is installed.
my %found = (BONNIE => "/opt/bonnie\n", build => "./bonnie\n", installed => "bonnie\n");
spew("$dir/bonnie", "#!/bin/sh\n");
for my $where (sort keys %found) {
    chmod $where eq 'build' ? oct 755 : oct 644, "$dir/bonnie";
    my $set = $where eq 'BONNIE' ? 'export BONNIE=/opt/bonnie' : 'unset BONNIE';
    my $say = run_tool('/bin/sh', '-c', "cd $dir && $set && exec \"\$@\"", 'sh', $^X, '-I', source('bench/lib'), '-MBench::Run=own_program', '-e', 'print own_program("bonnie"), "\n"');
    is($say->{out}, $found{$where}, "a program that is found by: $where") or diag $say->{err};
}
for my $script (grep { -f && slurp($_) =~ /\A#!.*perl/ } sources('bench/*')) {
    unlike(slurp($script), qr{\bbon(?:nie|load|cut) *=> *'|'[.]/bon}, "$script has no other rule");
}

done_testing();
