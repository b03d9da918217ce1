# SPDX-License-Identifier: GPL-2.0-or-later
# How good a figure is, compared with the others of its column, and the classes and the legend that
# show it. The style sheet gives each class a sign besides its colour, which screen readers speak, so
# that nothing depends on colour alone.
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
use Bonnie::Html       qw(element text);
use Bonnie::Statistics qw(geometric_middle);

our @EXPORT_OK = qw(grade_class grade_column legend);

my $MUCH = 2;
my $SOME = 1.1;

# Best first, as the legend shows them.
my @LOOKS = (
    [ 2,  'b2',  "at least $MUCH times better than the median" ],
    [ 1,  'b1',  "$SOME to $MUCH times better" ],
    [ 0,  undef, 'in between' ],
    [ -1, 'w1',  "$SOME to $MUCH times worse" ],
    [ -2, 'w2',  "at least $MUCH times worse" ],
);
my %CLASS = map { $_->[0] => $_->[1] } @LOOKS;

my $EXPLANATION = 'Each label is compared with the median of its column. For rates more is better, for latencies less. '
    . 'Colours do not show whether a difference is more than chance; bon_csv2html --baseline does.';

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

# undef: no colour.
sub grade_class {
    my ($grade) = @_;
    return $CLASS{ $grade // 0 };
}

sub legend {
    my @items = map { element('li', { class => $_->[1] }, text($_->[2])) } @LOOKS;
    return element('p', {}, text($EXPLANATION)) . "\n" . element('ul', { class => 'legend' }, @items) . "\n";
}

1;
