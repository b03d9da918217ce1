# How grades (see Grade.pm) look, and the legend that explains them. Each has
# a sign beside its colour, so that nothing depends on the colour alone.
package Bonnie::Legend;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Grade qw($MUCH $SOME);
use Bonnie::Html  qw(element text);

our @EXPORT_OK = qw(grade_class grade_sign legend);

my ($UP, $DOWN) = ("\x{25B2}", "\x{25BC}");

# Best first, as the legend shows them: grade, class, sign, the sign as spoken,
# what it means.
my @LOOKS = (
    [ 2,  'b2',  "$UP$UP",     'much better', "at least $MUCH times better than the median" ],
    [ 1,  'b1',  $UP,          'better',      "$SOME to $MUCH times better" ],
    [ 0,  undef, undef,        undef,         'in between' ],
    [ -1, 'w1',  $DOWN,        'worse',       "$SOME to $MUCH times worse" ],
    [ -2, 'w2',  "$DOWN$DOWN", 'much worse',  "at least $MUCH times worse" ],
);
my %LOOK = map { $_->[0] => $_ } @LOOKS;

my $EXPLANATION = 'A cell is compared with the median of its column. For rates more is better, for latencies less. '
    . 'CPU use is not coloured: a low one is good only beside an equal rate.';

# Both take a grade or undef; the class is undef where there is no colour.
sub grade_class {
    my ($grade) = @_;
    return $LOOK{ $grade // 0 }[1];
}

sub grade_sign {
    my ($grade) = @_;
    my (undef, undef, $sign, $spoken) = @{ $LOOK{ $grade // 0 } };
    return q{} if !defined $sign;
    return element('span', { class => 'cue', role => 'img', 'aria-label' => $spoken }, $sign);
}

sub legend {
    my @items = map { item(@{$_}) } @LOOKS;
    return element('p', {}, text($EXPLANATION)) . "\n" . element('ul', { class => 'legend' }, @items);
}

sub item {
    my ($grade, $class, undef, undef, $meaning) = @_;
    return element('li', { class => $class }, grade_sign($grade), text($meaning));
}

1;
