#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Bonnie::MannWhitney: known values, how often it errs, and that the p-value and the
# interval never disagree. scipy.t has SciPy's results. The random numbers are the same in
# every run.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Test::More;
use Bonnie::Ratios      qw(ratios_at);
use Bonnie::MannWhitney qw(p_value compare_ratios can_show fewest_runs runs_to_show);

my $ALPHA = 0.05;

srand 4711;

# Normal random numbers, by the method of Box and Muller.
sub normal {
    return sqrt(-2 * log(1 - rand)) * cos(2 * 3.14159265358979 * rand);
}

sub near {
    my ($got, $expected, $name) = @_;
    ok(abs($got - $expected) <= 1e-9 * abs $expected, $name) or diag "$got instead of $expected";
    return;
}

# The runs of a test: $noise is their standard deviation, relative to the $typical rate.
sub runs {
    my ($count, $typical, $noise, $format) = @_;
    my @runs = map { $typical * (1 + $noise * normal()) } 1 .. $count;
    return [ $format ? map { sprintf $format, $_ } @runs : @runs ];
}

subtest 'counted by hand' => sub {
    near(p_value([ 1, 2, 3 ], [ 4, 5, 6 ]),       2 / 20, 'all of three below all of three');
    near(p_value([ 4, 5, 6 ], [ 1, 2, 3 ]),       2 / 20, 'or above');
    near(p_value([ 1 .. 4 ],  [ 5 .. 8 ]),        2 / 70, 'four');
    near(p_value([ 1, 2, 4 ], [ 3, 5, 6 ]),       4 / 20, 'two of them changed over');
    near(p_value([1],         [ 2 .. 40 ]),       2 / 40, 'one and thirty-nine');
    near(p_value([ 5, 5, 5 ], [ 6, 6, 6 ]),       2 / 20, 'ties in each do not make it surer');
    near(p_value([ 1, 2 ],    [ 2, 3 ]),          4 / 6,  'one tie between the two');
    near(p_value([5],         [ (6) x 39 ]),      2 / 40, 'one and many of the same');
    near(p_value([ 3, 3, 1, 1 ], [ 2, 2, 2, 2, 1, 2 ]), 200 / 210, 'ties make the tails unlike: the smaller one counts');
    is(p_value([ 1, 4 ],       [ 2, 3 ]),         1, 'neither is above the other');
    is(p_value([ 7, 7 ],       [ 7, 7, 7 ]),      1, 'all the same');
    is(p_value([ (7) x 30 ],   [ (7) x 30 ]),     1, 'many of the same');
    is(p_value([1],            [2]),              1, 'one run of each tells nothing');
};

subtest 'ratios' => sub {
    my $got = compare_ratios([ 100, 101, 102, 103 ], [ 110, 111, 112, 115 ], $ALPHA);
    near($got->{low},  110 / 103, 'four a side: from the smallest ratio');
    near($got->{high}, 115 / 100, 'to the largest');
    is($got->{larger}, 1, 'the second is larger');
    $got = compare_ratios([ 2, 4 ], [ 1, 3 ], $ALPHA);
    near($got->{ratio}, sqrt(0.5 * 0.75), 'of two in the middle the geometric mean');
    is($got->{larger}, -1, 'the second is smaller');
    ok(!defined $got->{low} && !defined $got->{high}, 'too few measurements: no interval');

    my $zero = compare_ratios([ 1 .. 5 ], [ (0) x 5 ], $ALPHA);
    is_deeply([ @{$zero}{qw(ratio low high)} ], [ 0, 0, 0 ], 'all gone');
    is(compare_ratios([ (0) x 5 ], [ 1 .. 5 ], $ALPHA)->{ratio}, 9**9**9, 'out of nothing');
    is(compare_ratios([ (0) x 5 ], [ (0) x 5 ], $ALPHA)->{ratio}, 1, 'nothing and nothing: no change');
};

# $FEW is so small that no list of ratios is made and sorted.
subtest 'many ratios are not written down' => sub {
    my $ties  = runs(90, 5, 0.3, '%.0f');
    my %lists = (
        'all different'         => [ runs(60, 100, 0.1), runs(90, 120, 0.2) ],
        'ties'                  => [ runs(60, 5, 0.3, '%.0f'), $ties ],
        'nothing but ties'      => [ [ (3) x 50 ], [ (7) x 70 ] ],
        'zeros in both'         => [ [ (0) x 9, 1 .. 40 ], [ (0) x 20, 1 .. 30 ] ],
        'nothing but zeros'     => [ [ (0) x 20 ], [ (0) x 30 ] ],
        'divided by zeros only' => [ [ (0) x 20 ], [ 0 .. 30 ] ],
        'very unlike'           => [ [ map { 10**$_ } -18 .. 18 ], [ map { 3 * 10**$_ } reverse -18 .. 17 ] ],
    );
    for my $name (sort keys %lists) {
        my ($x, $y) = @{ $lists{$name} };
        my @places = 0 .. @{$x} * @{$y} - 1;
        my @sorted = ratios_at($x, $y, @places);
        local $Bonnie::Ratios::FEW = 3;
        @places = grep { $_ % 37 == 0 || $_ == $#sorted } @places;
        my @found = ratios_at($x, $y, @places);
        is(scalar(grep { $found[$_] != $sorted[ $places[$_] ] } 0 .. $#places), 0, $name);
    }
};

# The interval counts ratios and ignores ties, so here it gives another answer.
subtest 'with ties the p-value has the last word' => sub {
    my ($x, $y) = ([ 2, 3, 3, 3, 3 ], [ 4, 4, 4, 2, 4 ]);
    my $got = compare_ratios($x, $y, $ALPHA);
    near($got->{p}, 12 / 252, 'significant');
    is_deeply([ @{$got}{qw(low high)} ], [ 1, 2 ], 'the interval begins at no change, not below');
    is_deeply([ @{ compare_ratios($y, $x, $ALPHA) }{qw(low high)} ], [ 1 / 2, 1 ], 'or ends there');

    ($x, $y) = ([ 4, 2, 4, 2, 4, 2 ], [ 3, 5, 5, 3 ]);
    $got = compare_ratios($x, $y, 0.3);
    near($got->{p}, 66 / 210, 'not significant');
    is_deeply([ @{$got}{qw(low high)} ], [ 1, 1.5 ], 'the interval begins at no change, not above');
    is_deeply([ @{ compare_ratios($y, $x, 0.3) }{qw(low high)} ], [ 2 / 3, 1 ], 'or ends there');
};

subtest 'how many are needed' => sub {
    is(fewest_runs(0.05),  4, 'four for 0.05');
    is(fewest_runs(0.10),  4, 'three reach 0.1, but not less');
    is(fewest_runs(0.01),  5, 'five for 0.01');
    is(fewest_runs(0.001), 7, 'seven for 0.001');
    ok(can_show(4,  4,  $ALPHA), 'four and four');
    ok(can_show(3,  5,  $ALPHA), 'three and five');
    ok(!can_show(3, 4,  $ALPHA), 'not three and four');
    ok(!can_show(1, 39, $ALPHA), 'not one and thirty-nine');
    ok(can_show(1,  40, $ALPHA), 'one and forty');

    is(runs_to_show([ 1, 2 ], [ 3, 4 ], $ALPHA), 6, 'nothing overlaps');
    is(runs_to_show([ 1, 4 ], [ 2, 3 ], $ALPHA), undef, 'there is no difference');
    is(runs_to_show([ 1, 2, 3, 4 ], [ 2.5, 3.5, 4.5, 5.5 ], $ALPHA), 14, 'much overlaps');
    is(runs_to_show([ 1, 2, 3, 4 ], [ 2.5, 3.5, 4.5, 5.5 ], 0.0001), 39, 'to be surer, more');

    # A difference of one standard deviation.
    my ($many, $more) = (runs(300, 100, 0.05), runs(300, 105, 0.05));
    my $needed = runs_to_show($many, $more, $ALPHA);
    my $found  = grep { p_value(runs($needed, 100, 0.05), runs($needed, 105, 0.05)) < $ALPHA } 1 .. 500;
    cmp_ok($found / 500, '>', 0.7, "$needed runs show it mostly");
    cmp_ok($found / 500, '<', 0.9, 'and are not far too many');
};

# The share of comparisons that find a change, and how often the p-value and the interval
# disagree.
sub found {
    my ($comparisons, $make_x, $make_y) = @_;
    my ($found, $contradictions) = (0, 0);
    for (1 .. $comparisons) {
        my $got = compare_ratios($make_x->(), $make_y->(), $ALPHA);
        $found++          if $got->{p} < $ALPHA;
        $contradictions++ if contradicts_itself($got);
    }
    return ($found / $comparisons, $contradictions);
}

# Only ties make an interval end at "no change". The p-value then says whether the interval
# includes it.
sub contradicts_itself {
    my ($got) = @_;
    my ($ratio, $low, $high) = @{$got}{qw(ratio low high)};
    return $got->{p} < $ALPHA if !defined $low;
    return 1                  if $ratio < $low || $ratio > $high;
    return $low > 1 || $high < 1 if $got->{p} >= $ALPHA;
    return $got->{larger} > 0 ? $low < 1 : $high > 1;
}

# [ Kind of runs, number of comparisons, numbers of runs of x and of y, rounded to ].
my @KINDS = (
    [ 'ten runs each',              2000, 10, 10, q{} ],
    [ 'four runs each',             1000, 4,  4,  q{} ],
    [ 'seven and fifteen',          1000, 7,  15, q{} ],
    [ 'thirty runs each',           300,  30, 30, q{} ],
    [ 'seven each, few values',     1000, 7,  7,  '%.0f' ],
    [ 'three and twelve, the same', 1000, 3,  12, '%.0f' ],
    [ 'thirty each, the same',      300,  30, 30, '%.0f' ],
);

for my $kind (@KINDS) {
    my ($name, $comparisons, $m, $n, $format) = @{$kind};
    my ($alarms, $contradictions) = found($comparisons, map { my $runs = $_; sub { runs($runs, 60, 0.03, $format) } } $m, $n);
    cmp_ok($alarms, '<=', 0.055, sprintf '%s: %.1f %% false alarms', $name, 100 * $alarms);
    cmp_ok($alarms, '>',  0.002, 'and it can raise one');
    is($contradictions, 0, 'p-value and interval agree');
}

for my $factor (0.9, 1 / 0.9) {
    my ($found, $contradictions) = found(500, sub { runs(10, 100, 0.03) }, sub { runs(10, 100 * $factor, 0.03) });
    cmp_ok($found, '>=', 0.95, sprintf '%+.0f %%, ten runs each, 3 %% noise: %.1f %% found', 100 * ($factor - 1), 100 * $found);
    is($contradictions, 0, 'p-value and interval agree');
}

# The interval contains the true change as often as it says: with eight runs on each side in 95.01
# % of all cases, give or take three standard errors for the number of cases tried here.
my $held = grep {
    my $got = compare_ratios(runs(8, 100, 0.05), runs(8, 120, 0.05), $ALPHA);
    $got->{low} <= 1.2 && 1.2 <= $got->{high};
} 1 .. 2000;
cmp_ok(abs($held / 2000 - 0.9501), '<', 0.0147, sprintf 'a change of 20 %%: %.1f %% of the intervals have it', $held / 20);

done_testing();
