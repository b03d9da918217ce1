#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Several runs: -x N prints only CSV, with a header of 50 names first.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(@FIELDS bonnie scratch tree);

my $dir   = scratch();
my @small = ('-d', $dir, qw(-r0 -s1 -n1 -mlab -z3 -f --cache=keep));

for my $words ([ '-x', '3' ], ['--runs=2'], [ '-x2', '-q' ]) {
    my ($number) = "@{$words}" =~ /(\d)/;
    my $run      = bonnie(@small, @{$words});
    is($run->{status}, 0, "@{$words}: exit status 0");
    my ($header, @lines) = split /\n/, $run->{out};
    my @names = split /,/, $header, -1;
    is(scalar(@names), 50, 'a header of 50 names');
    is(scalar(keys %{ { map { $_ => 1 } @names } }), 50, 'each once');
    is_deeply([ map { $_ eq 'seek_count' ? 'seeks' : $_ } @FIELDS ], \@names, 'the names of the fields, in order');
    is(scalar(@lines), $number, 'a line for each run');
    is(scalar(grep {/\A1\.98,[^,]*,lab,1,3,1M,(?:[^,]*,){43}[^,]*\z/} @lines), $number, 'each with 50 fields');
}

my $run = bonnie(@small, '-x2', '--format=text,csv');
is(scalar(() = $run->{out} =~ /^1\.98/mg), 2, 'with --format both tables');
is(scalar(() = $run->{out} =~ /^Latency/mg), 4, 'and both lines');
is(scalar(() = $run->{out} =~ /^format_version/mg), 1, 'and one header');
is(scalar(() = bonnie(@small, '-x1', '-s0', '--tests=seq_stat,ran_del')->{out} =~ /\n/g), 1, 'some of the tests only');

# The files of a run have other names than those that the run before it left.
for my $kind ([], ['-n1:300:20:3'], ['-n1:-1'], [ '-n1:-2:0:2', '-c2' ]) {
    for my $tests ('seq_create', 'seq_stat', 'ran_stat,seq_del', 'seq_create,ran_stat') {
        my $several = bonnie('-d', $dir, qw(-r0 -s0 -n1 -q -x3 --cache=keep), @{$kind}, "--tests=$tests");
        is("$several->{status}$several->{err}", '0', "-x3 @{$kind} --tests=$tests");
        is_deeply([ tree($dir) ], [], 'nothing is left');
    }
}

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
