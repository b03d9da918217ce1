#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Bonnie::Statistics: statistics of a list of numbers. NumPy gives the same quantiles.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Test::More;
use Bonnie::Statistics qw(median quantile geometric_middle holm);

sub near {
    my ($got, $expected, $name) = @_;
    ok(abs($got - $expected) <= 1e-12 * abs $expected, $name) or diag "$got instead of $expected";
    return;
}

near(median(7),          7,   'median of one');
near(median(9, 1, 4),    4,   'of three, in any order');
near(median(10, 9, 100), 10,  'as numbers, not as texts');
near(median(8, 1, 2, 4), 3,   'of four: between the two in the middle');
near(median(0, 0, 5),    0,   'may be zero');

my @five = (15, 50, 20, 40, 35);
near(quantile(@{$_}[0], @five), $_->[1], "quantile $_->[0]") for [ 0, 15 ], [ 0.25, 20 ], [ 0.4, 29 ], [ 0.9, 46 ], [ 1, 50 ];
is("@five", '15 50 20 40 35', 'the list is left as it was');

near(geometric_middle(1e200, 4e200), 2e200, 'between two');
is(geometric_middle(9**9**9, 9**9**9), 9**9**9, 'of infinity and infinity');

is_deeply([ holm(0.01, 0.04, 0.03, 0.005) ], [ 0.03, 0.06, 0.06, 0.02 ], 'p-values corrected, in the order given');
is_deeply([ holm(0.6, 0.5) ], [ 1, 1 ], 'none above one');
is_deeply([ holm() ], [], 'and of none');

done_testing();
