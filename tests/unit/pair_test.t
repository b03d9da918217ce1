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
use RunProgram qw(data_file);

# ---- simulated campaigns of pairs: times are in seconds, values are natural logarithms of rates ----

my $ALPHA = 0.05;

my $PAIRS = 100;

# The duration of a run while the machine has its full speed.
my $RUN = 10;

# Each machine makes the values of a metric: sub ($run, $seconds, \%memory), called in the order of
# time.
my @MACHINES = (
    [ 'normal'                         => sub { 0.1 * normal() } ],
    [ 'heavy tails, Student with 3'    => sub { 0.1 * student3() } ],
    [ 'skew, log-normal'               => sub { -0.1 * exp normal() } ],
    [ 'drift of 50 % over the campaign' => sub { 0.05 * normal() + log(1 - 0.5 * $_[0] / (2 * $PAIRS)) } ],
    [ 'half as fast every third minute' => sub { 0.05 * normal() + (is_slow($_[1]) ? log 0.5 : 0) } ],
    [ 'correlated runs, AR 0.5'        => sub { $_[2]{last} = 0.5 * ($_[2]{last} // 0) + 0.1 * normal() } ],
);

sub is_slow { my ($seconds) = @_; return int($seconds / 60) % 3 == 2 }

sub normal {
    return sqrt(-2 * log(1 - rand)) * cos(2 * 3.14159265358979 * rand);
}

sub student3 {
    return normal() / sqrt((normal()**2 + normal()**2 + normal()**2) / 3);
}

# In how many of these campaigns of A against A any metric was ever said to
# differ. All pairs are judged one by one, and no campaign stops early.
sub false_reports {
    my ($machine, $campaigns, $metrics) = @_;
    my $reports = 0;
    $reports += false_report($machine, $metrics) for 1 .. $campaigns;
    return $reports;
}

# The order is drawn once for a pair, and all metrics have the same times.
sub false_report {
    my ($machine, $metrics) = @_;
    my @tests  = map { Bonnie::PairTest->new($ALPHA / (2 * $metrics), 0) } 1 .. $metrics;
    my @memory = map { {} } @tests;
    my $time   = 180 * rand;
    for my $pair (0 .. $PAIRS - 1) {
        my @times = ($time, $time + $RUN * (is_slow($time) ? 2 : 1));
        $time = $times[1] + $RUN * (is_slow($times[1]) ? 2 : 1);
        my $sign = rand() < 0.5 ? 1 : -1;
        for my $metric (0 .. $#tests) {
            my ($first, $second) = map { $machine->(2 * $pair + $_, $times[$_], $memory[$metric]) } 0, 1;
            $tests[$metric]->add($sign * ($first - $second));
            return 1 if $tests[$metric]->refuted(0);
        }
    }
    return 0;
}

# The numbers of pairs, sorted, after which each campaign knew that metrics
# differ by $effect; at most $most.
sub pairs_needed {
    my ($campaigns, $most, $metrics, $value) = @_;
    my @needed;
    for (1 .. $campaigns) {
        my $test = Bonnie::PairTest->new($ALPHA / (2 * $metrics), 0);
        $test->add($value->()) while !$test->refuted(0) && $test->pairs < $most;
        push @needed, $test->refuted(0) ? $test->pairs : $most + 1;
    }
    return sort { $a <=> $b } @needed;
}

# The number of pairs in a fixed design with a power of 90 %: the t test of
# pairs, by Guenther, Sample Size Formulas for Normal Theory t Tests, The
# American Statistician 35 (1981). $distance: effect by the standard deviation
# of pairs; the quantile is that of 1 - $ALPHA / 24.
sub fixed_design {
    my ($distance, $quantile) = @_;
    $quantile //= 2.8653;
    return int(($quantile + 1.2816)**2 / $distance**2 + $quantile**2 / 2 + 0.9999);
}

# Real runs in the order of time: { names => [ ... ], runs => [ [ logarithms of rates ], ... ] }.
sub bank_of {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    my ($names, @runs) = map { [ split /,/ ] } grep { !/^#/ } map { s/\n//r } readline $in;
    close $in or die "$file: $!\n";
    return { names => $names, runs => [ map { [ map { log } @{$_} ] } @runs ] };
}

# Campaigns drawn from the bank, as blocks of consecutive runs in pairs with a
# random order, with B better by $effect (a logarithm). Returns (campaigns in
# which any metric was said to differ, { metric => [ pairs that it took ] }).
sub found_in_bank {
    my ($bank, $campaigns, $effect) = @_;
    my ($found, %needed) = (0);
    my ($names, $runs) = @{$bank}{qw(names runs)};
    for (1 .. $campaigns) {
        my $start = int rand(@{$runs} - 2 * $PAIRS + 1);
        my @signs = map { rand() < 0.5 ? 1 : -1 } 1 .. $PAIRS;
        my $any   = 0;
        for my $metric (0 .. $#{$names}) {
            my $test = Bonnie::PairTest->new($ALPHA / (2 * @{$names}), 0);
            for my $pair (0 .. $PAIRS - 1) {
                my ($first, $second) = map { $_->[$metric] } @{$runs}[ $start + 2 * $pair, $start + 2 * $pair + 1 ];
                $test->add($effect + $signs[$pair] * ($first - $second));
                last if $test->refuted(0);
            }
            push @{ $needed{ $names->[$metric] } }, $test->refuted(0) ? $test->pairs : $PAIRS + 1;
            $any ||= $test->refuted(0);
        }
        $found++ if $any;
    }
    return ($found, \%needed);
}

# ---- what the test says of them ----

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
