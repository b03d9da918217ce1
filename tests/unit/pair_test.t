#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Bonnie::PairTest errs no more often than it may, whatever the machine does, and needs no more
# pairs than stated. This is a sample of the simulations in docs/comparison.md: more of them with
# BONNIE_TEST_ALL=1, and all with BONNIE_TEST_LONG=1, which takes an hour. The seeds are fixed, so
# nothing here depends on chance.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib", "$FindBin::Bin/../lib";
use Test::More;
use Bonnie::PairTest;
use PairSimulation qw(@MACHINES $ALPHA bank_of false_reports fixed_design found_in_bank normal pairs_needed);
use RunProgram     qw(data_file);

my $CAMPAIGNS = $ENV{BONNIE_TEST_LONG} ? 10_000 : $ENV{BONNIE_TEST_ALL} ? 200 : 40;
my $METRICS   = 12;
my $TAIL      = $ALPHA / (2 * $METRICS);

# If the true share is $ALPHA, more errors than this have a probability below one in a million.
my $LIMIT = $ALPHA * $CAMPAIGNS + ($CAMPAIGNS == 10_000 ? 0 : 5 * sqrt($ALPHA * $CAMPAIGNS));

sub test_of {
    my ($tail, $watched, @values) = @_;
    my $test = Bonnie::PairTest->new($tail, @{$watched});
    $test->add($_) for @values;
    return $test;
}

subtest 'what it finds' => sub {
    my $test = test_of($TAIL, [ 0, -0.03, 0.03 ], (0.1) x 9);
    is($test->refuted(0), 0, 'nine pairs that are alike are too few for twelve metrics');
    is_deeply([ $test->interval ], [ undef, undef ], 'and nothing is known');
    $test->add(0.1);
    is($test->refuted(0),    1, 'ten are enough');
    is(Bonnie::PairTest::fewest_pairs($TAIL), 10, 'as is said beforehand');
    is($test->refuted(0.03), 1, 'it is above the margin, too');
    my ($low, $high) = $test->interval;
    ok(abs($low - 0.1) < 1e-5 && abs($high - 0.1) < 1e-5, 'where nothing scatters, the interval is a point') or diag "$low $high";

    is(test_of($TAIL, [0], (-0.1) x 10)->refuted(0), -1, 'the other way round');
    my $same = test_of($TAIL, [ 0, -0.03, 0.03 ], (0) x 30);
    is($same->refuted(0), 0, 'pairs without any difference');
    is_deeply([ map { $same->refuted($_) } -0.03, 0.03 ], [ 1, -1 ], 'lie within the margin');
    is(test_of($TAIL, [0], map { 100 * (-1)**$_ } 1 .. 100)->refuted(0), 0, 'large ones of both signs show nothing');
    is_deeply([ Bonnie::PairTest->new($TAIL)->interval ], [], 'of no pairs there is no interval');
};

# The immediate answer and the interval agree.
subtest 'the interval' => sub {
    srand 1;
    my ($wide, $disagree, $outside) = (0, 0, 0);
    my @watched = map { $_ / 50 } -5 .. 5;
    for my $campaign (1 .. 10) {
        my $test = Bonnie::PairTest->new($TAIL, @watched);
        my @last = (-1e9, 1e9);
        for my $pair (1 .. 40) {
            $test->add(0.04 + 0.05 * normal());
            next if $pair % 10;
            my @ends = $test->interval;
            $ends[0] //= -1e9;
            $ends[1] //= 1e9;
            $wide++ if $ends[0] < $last[0] - 2e-6 || $ends[1] > $last[1] + 2e-6;    # ends are found to within 1e-6
            @last = @ends;
            $disagree++ for grep { my $side = $_ <= $ends[0] ? 1 : $_ >= $ends[1] ? -1 : 0; $side != $test->refuted($_) } @watched;
            $outside++ if $ends[0] > 0.04 || $ends[1] < 0.04;
        }
    }
    is($wide,     0, 'never becomes wider');
    is($disagree, 0, 'ends where ratios begin to be refuted');
    is($outside,  0, 'and has the true ratio in it');

    my @values = map { 0.1 * normal() } 1 .. 30;
    my @ends   = test_of($TAIL, [], @values)->interval;
    my @moved  = test_of($TAIL, [], map { $_ + 0.7 } @values)->interval;
    my @turned = test_of($TAIL, [], map { -$_ } @values)->interval;
    ok(abs($moved[0] - $ends[0] - 0.7) < 1e-5 && abs($moved[1] - $ends[1] - 0.7) < 1e-5, 'moves with the ratios');
    ok(abs($turned[0] + $ends[1]) < 1e-5 && abs($turned[1] + $ends[0]) < 1e-5, 'and turns with them: A and B may change places');
};

subtest "$CAMPAIGNS campaigns without a difference, twelve metrics, 100 looks" => sub {
    for my $machine (@MACHINES) {
        my ($name, $values) = @{$machine};
        srand 2;
        my $reports = false_reports($values, $CAMPAIGNS, $METRICS);
        note sprintf '%-34s %d of %d', $name, $reports, $CAMPAIGNS;
        cmp_ok($reports, '<=', $LIMIT, $name);
    }
};

# Runs of a real machine, with everything that happened to it.
subtest 'a bank of 300 real runs' => sub {
    srand 3;
    my $bank = bank_of(data_file('bank.csv'));
    is(scalar @{ $bank->{runs} }, 300, 'all there');
    my ($reports) = found_in_bank($bank, $CAMPAIGNS, 0);
    note "A against A: $reports of $CAMPAIGNS";
    cmp_ok($reports, '<=', $LIMIT, 'A against A');
};

# The standard deviation of pairs, the effect, and the number of pairs that a fixed design needs
# for a power of 90 % at the same probability of an error.
subtest 'the pairs that it needs' => sub {
    my $campaigns = $ENV{BONNIE_TEST_LONG} ? 1000 : $ENV{BONNIE_TEST_ALL} ? 151 : 51;
    is(fixed_design(1), 22, 'a fixed design for a difference as large as the scatter');
    for my $case ([ 2, 3 ], [ 5, 5 ], [ 5, 10 ], [ 8, 5 ], [ 10, 10 ], [ 15, 10 ], [ 20, 20 ]) {
        my ($scatter, $effect) = map { $_ / 100 } @{$case};
        srand 4;
        my @needed = pairs_needed($campaigns, 200, $METRICS, sub { log(1 + $effect) + $scatter * normal() });
        my $fixed  = fixed_design(log(1 + $effect) / $scatter);
        my $allowed = $fixed < 20 ? 20 : 2 * $fixed;
        my $found   = grep { $_ <= 100 } @needed;
        note sprintf '%2d %% scatter, %2d %% effect: fixed %3d, median %3d, found %.1f %%', @{$case}, $fixed, $needed[ @needed / 2 ], 100 * $found / $campaigns;
        cmp_ok($needed[ @needed / 2 ], '<=', $allowed, "a scatter of $case->[0] %, an effect of $case->[1] %");
        cmp_ok($found, '>=', 0.9 * $campaigns, 'found within 100 pairs');
    }
};

done_testing();
