# SPDX-License-Identifier: GPL-2.0-or-later
# A figure of the page: charts of one kind beside each other, with a panel for each test. A chart has
# rows below each other, one axis for all.
#
# A row is a line of text (label left, figure right) with a strip below, in which its marks are
# drawn. The marks are one SVG picture behind the text, 1000 units wide, which the browser stretches
# to the width of the page; each kind of mark has one path for all rows. Text and heights are in
# pixels, which are not stretched, so that the chart is as readable on a telephone as on a wide
# screen.
package Bonnie::Chart;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max min);
use Bonnie::Html qw(element is_drawn text void_element);

our @EXPORT_OK = qw(area bar block chart course over_time panel panels place points spread steps stroke tail time_panel value whisker);

my $WIDTH = 1000;

# A label that is this near to an end would not fit in the middle.
my $NEAR = 0.04;

# In pixels; the first, and the sum of a row of bars, are also in the style sheet.
my $STRIP_TOP   = 17;
my $STRIP_SPACE = 9;
my $OVERHANG    = 3;     # of the grid above and below a strip
my $AXIS_HEIGHT = 32;
my $TICK_LINE   = 11;
my $UNIT_LINE   = 28;
my $HALF_TEXT   = 4;

# Of a row of bars, and of the caps of a range across them.
my $BAR = 12;
my $CAP = 8;

# Of a chart over time: the height of a strip, if it is the only one, and if there are many.
my $COURSE     = 200;
my $LOW_COURSE = 80;

# Empty without panels. $caption and @notes are plain text; [ class, text ] is a note on marks of that
# class.
sub panels ($caption, $notes, @panels) {
    return if !@panels;
    my @notes = map { element('span', {}, text(ref ? $_->[1] : $_)) } grep { !ref || is_drawn($_->[0], @panels) } @{$notes};
    return element('figure', {}, element('figcaption', {}, text($caption), @notes), "\n",
        element('div', { class => 'panels' }, @panels)) . "\n";
}

# %chart as below.
sub panel ($title, %chart) {
    return element('div', { class => 'panel' }, element('h3', {}, text($title)), chart(%chart)) . "\n";
}

# %chart: axis (see Axis.pm, undef without figures); height of a strip (default: of bars); rows => [
# { label, shown, y => upward axis or undef, marks => [ MARK, ... ] } ]. A row without marks has no
# figure. A mark is [ class, x, y, path ]: the path begins at x, between 0 and 1, y pixels below the
# strip's top, and consists of relative commands. The class decides its appearance. Marks of the
# class "range" are drawn over all others.
sub chart {
    my (%chart) = (height => $BAR, @_);
    my @rows    = @{ $chart{rows} };
    my $pitch   = $STRIP_TOP + $chart{height} + $STRIP_SPACE;
    my @drawn   = $chart{axis} ? (plot(@chart{qw(axis height)}, $pitch, @rows), axis_texts($chart{axis})) : ();
    my ($plot, $axis) = @drawn ? @drawn : (q{}, q{});
    return element('div', { class => 'chart' }, $plot, upward_texts($chart{height}, $pitch, @rows),
        element('ul', { style => $chart{height} == $BAR ? undef : "--row:${pitch}px" }, map { row_text($_) } @rows), $axis);
}

sub row_text ($row) {
    my $class = @{ $row->{marks} } ? undef : 'none';
    return element('li', {}, element('bdi', {}, text($row->{label})), element('b', { class => $class }, text($row->{shown})));
}

sub plot ($axis, $height, $pitch, @rows) {
    my (%path, @classes);
    for my $row (0 .. $#rows) {
        for my $mark (@{ $rows[$row]{marks} }) {
            my ($class, $x, $y, $path) = @{$mark};
            push @classes, $class if !exists $path{$class};
            $path{$class} .= 'M' . horizontal($x) . q{ } . ($y + $STRIP_TOP + $pitch * $row) . $path;
        }
    }
    my $total = $pitch * @rows;
    my @paths = map { path(class => $_, d => $path{$_}) } sort { ($a eq 'range') <=> ($b eq 'range') } @classes;
    return element('svg', { 'aria-hidden' => 'true', height => $total, viewBox => "0 0 $WIDTH $total",
            preserveAspectRatio => 'none' }, grid($axis, $height, $pitch, scalar @rows), levels($height, $pitch, @rows), @paths);
}

# The lines at the labels of upward axes: [ pixels from the top, text ].
sub upward_ticks ($height, $pitch, @rows) {
    my @ticks;
    for my $row (grep { $rows[$_]{y} } 0 .. $#rows) {
        my $y = $rows[$row]{y};
        push @ticks, map { [ pixels($STRIP_TOP + $pitch * $row + $height * (1 - $y->{at}->($_->[0]))), $_->[1] ] } @{ $y->{ticks} };
    }
    return @ticks;
}

sub levels {
    my @ticks = upward_ticks(@_) or return;
    return path(class => 'grid', d => join q{}, map {"M0 $_->[0]h$WIDTH"} @ticks);
}

# They stand left of the chart.
sub upward_texts ($height, $pitch, @rows) {
    my @ticks = upward_ticks($height, $pitch, @rows) or return q{};
    my @texts = map { element('text', { y => $_->[0] + $HALF_TEXT }, text($_->[1])) } @ticks;
    return element('svg', { 'aria-hidden' => 'true', class => 'upward', height => $pitch * @rows }, @texts);
}

# The grid is dashed, so that it is visible between the strips and not behind the text.
sub grid ($axis, $height, $pitch, $rows) {
    my $dash = $height + 2 * $OVERHANG;
    my $gap  = $pitch - $dash;
    my $line = 'v' . ($pitch * $rows - $gap);
    my %path;
    for my $tick (@{ $axis->{ticks} }) {
        my $x = horizontal($axis->{at}->($tick->[0]));
        $path{ $tick->[0] == 0 ? 'zero' : 'grid' } .= "M$x " . ($STRIP_TOP - $OVERHANG) . $line;
    }
    return map { path(class => $_, 'stroke-dasharray' => "$dash $gap", d => $path{$_}) } sort keys %path;
}

# Keeps the width of lines however wide the picture is. This is an attribute
# because validators do not know the property in style sheets.
sub path (%attributes) {
    return void_element('path', { %attributes, 'vector-effect' => 'non-scaling-stroke' }) =~ s{>\z}{/>}r;
}

sub axis_texts ($axis) {
    my @labels = map { tick_label($axis, $_) } @{ $axis->{ticks} };
    my $unit = element('text', { class => 'last', x => '100%', y => $UNIT_LINE }, text($axis->{unit}));
    return element('svg', { 'aria-hidden' => 'true', height => $AXIS_HEIGHT }, @labels, $unit);
}

# Keeps the outer labels inside the picture.
sub tick_label ($axis, $tick) {
    my ($value, $text) = @{$tick};
    my $at    = $axis->{at}->($value);
    my $class = $at < $NEAR ? 'first' : $at > 1 - $NEAR ? 'last' : undef;
    return element('text', { class => $class, x => sprintf('%.4g%%', 100 * $at), y => $TICK_LINE }, text($text));
}

# The marks. All x are parts of the width, cut off below 0 and above 1, heights are in pixels, and $y is that of the middle, by default
# of a row of bars. The class decides how thick a line is; a bar is a thick line.

sub bar ($class, $from, $to, $y = undef) {
    return [ $class, $from, $y // $BAR / 2, 'h' . width($from, $to) ];
}

# A line with a cap at both ends, or an arrow where it goes on beyond the axis.
sub whisker ($class, $from, $to) {
    my ($width, $half) = (width($from, $to), $CAP / 2);
    my ($left, $right) = ($from < 0 ? "m8 0l-8 ${half}l8 ${half}m-8 0" : "v$CAP", $to > 1 ? "m-8 0l8 ${half}l-8 ${half}m8 0" : "v$CAP");
    return [ $class, $from, $BAR / 2, "h${width}m-$width-$half${left}m$width-$CAP$right" ];
}

# A line with a cap at its end; one without a line has a taller cap.
sub tail ($class, $from, $to) {
    my $cap = $class eq 'alone' ? $BAR : $CAP;
    return [ $class, $from, $BAR / 2, 'h' . width($from, $to) . 'm0-' . $cap / 2 . "v$cap" ];
}

# What a row of values has: a bar from zero, or on a logarithmic axis, which has none, a dot.
sub value ($axis, $class, $value) {
    my $x = $axis->{at}->($value);
    return $axis->{is_log} ? points("$class spot", 0, [ [$x] ]) : bar($class, 0, $x);
}

# The same of several values, { median, min, max }, with a line from the least to the largest.
sub spread ($axis, $spread) {
    my ($low, $high) = map { $axis->{at}->($_) } @{$spread}{qw(min max)};
    return [ value($axis, 'bar', $spread->{median}), $high > $low ? whisker('range', $low, $high) : () ];
}

# Marks of a chart over time. $strip: { x => axis, y => upward axis, height => pixels }, as
# over_time() makes it; places are [ x, y ] in the units of the axes.

# A strip whose chart has that many rows: the more, the lower, so that all fit on a few screens.
# $y->(height) makes its upward axis.
sub over_time ($x, $rows, $y) {
    my $height = int max($LOW_COURSE, min($COURSE, 3 * $COURSE / $rows));
    return { x => $x, y => scalar $y->($height), height => $height };
}

# A panel whose rows have the axes of $strip, unless they have others upwards.
sub time_panel ($title, $strip, @rows) {
    return panel($title, axis => $strip->{x}, height => $strip->{height}, rows => [ map { { y => $strip->{y}, %{$_} } } @rows ]);
}

# An area from the foot to each of the places, whose x is the end of a step.
sub course ($strip, $class, @places) {
    return steps($class, $strip->{height}, [ map { [ $strip->{x}{at}->($_->[0]), $strip->{height} * $strip->{y}{at}->($_->[1]) ] } @places ]);
}

# A straight line.
sub stroke ($strip, $class, @ends) {
    my ($from, $to) = map { [ place($strip, $_) ] } @ends;
    return [ $class, $from->[0], pixels($from->[1]), 'l' . width($from->[0], $to->[0]) . q{ } . pixels($to->[1] - $from->[1]) ];
}

# A rectangle between two corners.
sub block ($strip, $class, @corners) {
    my ($from, $to) = map { [ place($strip, $_) ] } @corners;
    return area($class, $from->[0], $to->[0], min($from->[1], $to->[1]), max($from->[1], $to->[1]));
}

# Where it is: a part of the width, and pixels below the strip's top.
sub place ($strip, $place) {
    return ($strip->{x}{at}->($place->[0]), $strip->{height} * (1 - $strip->{y}{at}->($place->[1])));
}

# A rectangle.
sub area ($class, $from, $to, $top, $bottom) {
    my ($width, $height) = (width($from, $to), pixels($bottom - $top));
    return [ $class, $from, pixels($top), "h${width}v${height}h-${width}z" ];
}

# A mark at each of @$points, [ x, y of its middle ]: upright, $tall pixels, or with 0 round, if the
# class has round ends of lines. A line without length has no other ends where pages are printed.
sub points ($class, $tall, $points) {
    my @places = map { [ horizontal($_->[0]), pixels(($_->[1] // $BAR / 2) - $tall / 2) ] } @{$points};
    my $mark   = $tall ? "v$tall" : 'h0';
    my ($x, $y) = @{ $places[0] };
    my $path = $mark;
    for my $place (@places[ 1 .. $#places ]) {
        my $down = pixels($place->[1] - $y - $tall);
        $path .= 'm' . ($place->[0] - $x) . ($down < 0 ? q{} : q{ }) . $down . $mark;
        ($x, $y) = @{$place};
    }
    return [ $class, $points->[0][0], $places[0][1], $path ];
}

# An area for each of @$steps, [ x of its end, its height ], that stands on $y.
# Rounds positions and not widths, so that errors do not add up.
sub steps ($class, $y, $steps) {
    my ($x, $height, $path) = (0, 0, q{});
    for my $step (map { [ horizontal($_->[0]), 0 + sprintf '%.1f', $_->[1] ] } @{$steps}) {
        $path .= sprintf 'v%.4g', $height - $step->[1] if $step->[1] != $height;
        $path .= 'h' . ($step->[0] - $x);
        ($x, $height) = @{$step};
    }
    return [ $class, 0, $y, "${path}v$height" ];
}

sub pixels ($number) { return 0 + sprintf '%.1f', $number }

sub width ($from, $to) { return horizontal($to) - horizontal($from) }

sub horizontal ($part) { return sprintf '%.0f', $WIDTH * max(0, min(1, $part)) }

1;
