#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Bonnie::MannWhitney and Bonnie::Statistics give the same results as SciPy for 200 pairs of
# samples.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib", "$FindBin::Bin/../lib";
use File::Temp  ();
use JSON::PP    ();
use Test::More;
use Bonnie::MannWhitney qw(compare_ratios);
use RunProgram qw(slurp spew);

# Debian's python has Debian's SciPy; another python in PATH may not have it.
my $PYTHON = '/usr/bin/python3';
plan skip_all => "$PYTHON has no SciPy" if system("$PYTHON -c 'import scipy.stats' 2>/dev/null") != 0;

srand 20261121;
my @ALPHAS = (0.05, 0.05, 0.01, 0.1);

# Kinds of samples: [ number of pairs, fewest and most measurements of each sample, how they are
# rounded ]. Where SciPy counts all ways, samples are small enough for that. No sample has a single
# measurement, which SciPy refuses.
my @KINDS = ([ 50, 1, 25, '%.6f' ], [ 90, 2, 7, '%.0f' ], [ 30, 26, 50, '%.6f' ], [ 30, 26, 50, '%.0f' ]);

sub size_between {
    my ($fewest, $most) = @_;
    return $fewest + int rand $most - $fewest + 1;
}

sub measurements {
    my ($count, $typical, $format) = @_;
    return [ map { sprintf($format, $typical * (0.9 + 0.2 * rand)) + 0 } 1 .. $count ];
}

my @samples;
for my $kind (@KINDS) {
    my ($count, $fewest, $most, $format) = @{$kind};
    for (1 .. $count) {
        my ($x, $y) = map { measurements(size_between($fewest, $most), 40 + 4 * rand, $format) } 1 .. 2;
        push @samples, { x => $x, y => $y, alpha => $ALPHAS[ rand @ALPHAS ] };
    }
}
is(scalar @samples, 200, 'samples');

my $dir = File::Temp->newdir;
spew("$dir/samples", JSON::PP->new->encode(\@samples));
is(system("$PYTHON '$FindBin::Bin/../lib/scipy_reference.py' <'$dir/samples' >'$dir/expected'"), 0, 'SciPy has answered');
my $expected = JSON::PP->new->decode(slurp("$dir/expected"));

sub same {
    my ($got, $expected) = @_;
    return !defined $got && !defined $expected if !defined $got || !defined $expected;
    return abs($got - $expected) <= 1e-6 * abs $expected;
}

my %seen;
for my $i (0 .. $#samples) {
    my ($x, $y, $alpha) = @{ $samples[$i] }{qw(x y alpha)};
    my $got  = compare_ratios($x, $y, $alpha);
    my @wrong = grep { !same($got->{$_}, $expected->[$i]{$_}) } qw(p ratio low high);
    ok(!@wrong, "sample $i, " . @{$x} . ' and ' . @{$y} . ' measurements')
        or diag explain { got => $got, expected => $expected->[$i], wrong => \@wrong, x => $x, y => $y };
    $seen{ $got->{p} < $alpha ? 'significant' : defined $got->{low} ? 'not' : 'too few' }++;
}
cmp_ok($seen{$_} // 0, '>', 20, "$_: often enough") for 'significant', 'not', 'too few';

done_testing();
