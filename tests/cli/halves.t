#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# -s 0, -n 0, -f and --tests leave halves of the table, or single figures, out.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(@ALL_TESTS @TESTS bonnie csv_of scratch tree);

my $dir = scratch();

# The tests with a figure in the CSV line, or, like iops, with a table of their own; preceded by
# the exit status if that is not 0.
sub measured {
    my $run = bonnie('-d', $dir, qw(-r0 -s1 -n1 -mlab --cache=keep --iops-duration=0.02), @_);
    my $csv = csv_of($run);
    my $iops = $run->{out} =~ /Random Reads and Writes/;
    return join q{ }, $run->{status} || (), grep { $_ eq 'iops' ? $iops : length $csv->{$_} } @ALL_TESTS;
}

my @io    = @TESTS[ 0 .. 5 ];
my @files = @TESTS[ 6 .. 11 ];
is(measured(),                "@TESTS", 'all twelve');
is(measured('-s0'),           "@files", '-s 0');
is(measured('-n0'),           "@io",    '-n 0');
is(measured('-n0:0:0:0'),     "@io",    '-n 0:0:0:0');
is(measured('-f'),            join(q{ }, grep { !/[tg]c/ } @TESTS), '-f');
is(measured('--fast', '-n0'), 'put_block rewrite get_block seeks',  '--fast');
is(measured('-f1', '-n0'),    "@io", '-f with a size takes the per-character tests back in');
is(measured('-f0', '-n0'),    'put_block rewrite get_block seeks', 'but not with size 0');

# Each test runs alone, and prepares everything that it needs.
for my $test (@ALL_TESTS) {
    is(measured("--tests=$test"), $test, "--tests=$test alone");
}
is(measured('--tests=' . join q{,}, @ALL_TESTS), "@ALL_TESTS", 'all of them');
is(measured('--tests', 'ran_del,iops,putc'), 'putc iops ran_del', 'iops at its place');
is(measured('--tests', 'ran_del,putc'), 'putc ran_del', 'in the order of the list of all, whatever the order given');

my $run = bonnie('-d', $dir, qw(-r0 -s0 -n1 -mlab));
unlike($run->{out}, qr/Sequential Output|Name:Size/, '-s 0: no first half of the table');
like($run->{out}, qr/\AVersion .*Sequential Create/, 'but the second');
is(join(q{ }, @{ csv_of($run) }{qw(file_size chunk_size num_seeks seek_proc_count)}), q{ } x 3, 'no sizes either');
is(csv_of($run)->{putc_latency}, q{}, 'nor latencies');
$run = bonnie('-d', $dir, qw(-r0 -s1 -n0 -mlab -f));
unlike($run->{out}, qr/Sequential Create/, '-n 0: no second half');
like($run->{out}, qr/^lab +1M {8,}/m, '-f: the column stays empty');

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
