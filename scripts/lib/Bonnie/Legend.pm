# SPDX-License-Identifier: GPL-2.0-or-later
# How grades (see Grade.pm) look, and the legend that explains this. The style
# sheet gives each class a sign besides its colour, which screen readers speak,
# so that nothing depends on colour alone.
package Bonnie::Legend;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Grade qw($MUCH $SOME);
use Bonnie::Html  qw(element text);

our @EXPORT_OK = qw(grade_class legend);

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
