# SPDX-License-Identifier: GPL-2.0-or-later
# How good a figure is, compared with the others of its column.
#
# The measure is the ratio to the column's median, so that a grade means the
# same in every column and small differences stay uncoloured:
#
#   2    at least 2 times better       -2   at least 2 times worse
#   1    at least 1.1 times better     -1   at least 1.1 times worse
#   0    in between
package Bonnie::Grade;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Figure     qw(is_value);
use Bonnie::Statistics qw(geometric_middle);

our @EXPORT_OK = qw(grade_column $MUCH $SOME);

our $MUCH = 2;
our $SOME = 1.1;

# $better: 'higher' or 'lower'. Returns one grade per figure, undef where
# there is nothing to compare.
sub grade_column {
    my ($better, @figures) = @_;
    my @values = sort { $a <=> $b } map { $_->{value} } grep { is_value($_) } @figures;
    my $median = @values > 1 ? geometric_middle(@values[ $#values / 2, @values / 2 ]) : 0;
    return map { undef } @figures if $median == 0;
    return map { is_value($_) ? grade($better, $_->{value}, $median) : undef } @figures;
}

sub grade {
    my ($better, $value, $median) = @_;
    my $sign = $better eq 'higher' ? 1 : -1;
    return  2 * $sign if $value >= $MUCH * $median;
    return  1 * $sign if $value >= $SOME * $median;
    return -2 * $sign if $value <= $median / $MUCH;
    return -1 * $sign if $value <= $median / $SOME;
    return 0;
}

1;
