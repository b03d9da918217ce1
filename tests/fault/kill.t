#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# SIGKILL at random moments of whole runs: no data file is left, and --cleanup removes everything
# that is left, and nothing else.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Time::HiRes qw(sleep time);
use BonnieRun   qw(bonnie engines is_used mark scratch scratch_on_disk start wait_until);
use Fault       qw(left_in playground run_cases);
use SweepSize   qw(is_long);

my @grounds = map { playground($_) } scratch(oct 777), scratch_on_disk(oct 777);
my $common  = '-r0 -q --format=csv --min-time=0';
my @runs    = (
    '-s2:16k:40:2 -n1:100:0:3',
    '-s1:16k:40:2 -n1 -b -f --cache=keep',
    '-s0 -n2:-1:0:2 -c2 --cache=keep',
    '-s1:4k:400:3 -n1:-2 --json --cache=keep',
    map {"-s2:16k:40:2 -n1 -f --cache=keep --iodepth=4 --engine=$_"} grep {/libaio|io_uring/} engines(),
);

# How long such a run takes when nobody kills it. The moments are spread over this time.
my %lasts;
for my $args (@runs) {
    mark("$grounds[0]{dir}");
    my $begin = time;
    my $run   = bonnie('-d', $grounds[0]{dir}, split q{ }, "$common $args");
    is($run->{status}, 0, "$args: it works") or diag($run->{err});
    like($run->{out}, qr/^(?:1[.]98,|\{)/m, "$args: and prints its report");
    $lasts{$args} = time - $begin;
    ok(is_used($grounds[0]{dir}), "$args: and makes files");
}

# What a killed run may leave: no data files.
my $METADATA = qr{\Abonnie[.][0-9a-f]{16}(?:/(?:owner|o\d+|d\d{5}(?:/[a-z0-9]+)?))?\z};

srand(my $seed = $ENV{BONNIE_TEST_SEED} // time);
note("BONNIE_TEST_SEED=$seed");
my @cases = map {
    my $args = $runs[ $_ % @runs ];
    my $after = rand $lasts{$args};
    { args => $args, after => $after, name => sprintf '%s, after %.4f s', $args, $after }
} 1 .. (is_long() ? 240 : 10);

run_cases('SIGKILL at a random moment', \@cases,
    grounds   => \@grounds,
    hits      => .3,
    start     => sub {
        my ($case, $ground) = @_;
        $case->{after} *= $case->{too_soon} ? 2 : .5 if $case->{misses}; # the run before was slower or faster than the one that was timed
        mark("$ground->{dir}");
        my $run = start('-d', $ground->{dir}, split q{ }, "$common $case->{args}");
        sleep $case->{after};
        $run->{fault_at} = time;
        kill KILL => $run->{pid};
        return $run;
    },
    judge     => sub {
        my ($case, $run, $ground) = @_;
        my @wrong = map {"a data file: $_"} grep { $_ !~ $METADATA } left_in($ground);
        push @wrong, $run->{status} if $run->{status} !~ /\A(?:signal 9|0)\z/;
        wait_until('the end of its processes', sub { !kill 0, -$run->{pid} });
        $run->{after_fault} = time - $run->{fault_at};
        $case->{too_soon} = !is_used($ground->{dir}); # it had made nothing that could be left
        return $run->{status} eq '0' || $case->{too_soon} ? 'missed' : 'ended', @wrong;
    },
    may_leave => sub { return [] },
);

done_testing();
