# SPDX-License-Identifier: GPL-2.0-or-later
# A chart: rows below each other, one axis for all.
#
# A row is a line of text (label left, figure right) with a strip below, in
# which its marks are drawn. The marks are one SVG picture behind the text, 1000
# units wide, which the browser stretches to the width of the page; each kind of
# mark has one path for all rows. Text and heights are in pixels, which are not
# stretched, so that the chart is as readable on a telephone as on a wide
# screen.
package Bonnie::Chart;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Html qw(element text);

our @EXPORT_OK = qw(area bar chart line points steps tail whisker);

my $WIDTH = 1000;

# Largest rounding error of a position between 0 and 1.
my $NEARLY = 1e-9;

# In pixels. The style sheet gives rows $STRIP_TOP + $STRIP_SPACE plus the
# height of the strip, which the class of the chart sets.
my $STRIP_TOP   = 17;
my $STRIP_SPACE = 9;
my $OVERHANG    = 3;     # of the grid above and below a strip
my $AXIS_HEIGHT = 32;
my $TICK_LINE   = 11;
my $UNIT_LINE   = 28;

# %chart: axis (see Axis.pm, undef without figures); height of a strip; rows =>
# [ { label, shown, marks => [ MARK, ... ] } ]. A row without marks has no
# figure. A mark is [ class, x, y, path ]: the path begins at x, between 0 and
# 1, y pixels below the strip's top, and consists of relative commands. The
# class decides its appearance. Marks of the class "range" are drawn over all
# others.
sub chart {
    my (%chart) = @_;
    my @rows    = @{ $chart{rows} };
    my $pitch   = $STRIP_TOP + $chart{height} + $STRIP_SPACE;
    my @drawn   = $chart{axis} ? (plot(@chart{qw(axis height)}, $pitch, @rows), axis_texts($chart{axis})) : ();
    my ($plot, $axis) = @drawn ? @drawn : (q{}, q{});
    return element('div', { class => 'chart' }, $plot,
        element('ul', { style => "line-height:${STRIP_TOP}px;--row:${pitch}px" }, map { row_text($_) } @rows), $axis);
}

sub row_text {
    my ($row) = @_;
    my $class = @{ $row->{marks} } ? undef : 'none';
    return element('li', {}, element('bdi', {}, text($row->{label})), element('b', { class => $class }, text($row->{shown})));
}

sub plot {
    my ($axis, $height, $pitch, @rows) = @_;
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
    return element('svg', { 'aria-hidden' => 'true', width => '100%', height => $total, viewBox => "0 0 $WIDTH $total",
            preserveAspectRatio => 'none' }, grid($axis, $height, $pitch, scalar @rows), @paths);
}

# The grid is dashed, so that it is visible between the strips and not behind
# the text.
sub grid {
    my ($axis, $height, $pitch, $rows) = @_;
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
sub path {
    my (%attributes) = @_;
    return element('path', { %attributes, 'vector-effect' => 'non-scaling-stroke' });
}

sub axis_texts {
    my ($axis) = @_;
    my @labels = map { tick_label($axis, $_) } @{ $axis->{ticks} };
    my $unit = element('text', { class => 'last', x => '100%', y => $UNIT_LINE }, text($axis->{unit}));
    return element('svg', { 'aria-hidden' => 'true', width => '100%', height => $AXIS_HEIGHT }, @labels, $unit);
}

# Keeps the outer labels inside the picture.
sub tick_label {
    my ($axis, $tick) = @_;
    my ($value, $text) = @{$tick};
    my $at    = $axis->{at}->($value);
    my $class = $at < $NEARLY ? 'first' : $at > 1 - $NEARLY ? 'last' : undef;
    return element('text', { class => $class, x => sprintf('%.4g%%', 100 * $at), y => $TICK_LINE }, text($text));
}

# The marks. All x are between 0 and 1, heights are in pixels, and $y is that of
# the middle. The class decides how thick a line is; a bar is a thick line.

sub bar {
    my ($class, $from, $to, $y) = @_;
    return [ $class, $from, $y, 'h' . width($from, $to) ];
}

# A line with a cap at both ends.
sub whisker {
    my ($class, $from, $to, $y, $cap) = @_;
    my ($width, $half) = (width($from, $to), $cap / 2);
    return [ $class, $from, $y, "h${width}m-$width-${half}v${cap}m$width-${cap}v${cap}" ];
}

# A line with a cap at its end.
sub tail {
    my ($class, $from, $to, $y, $cap) = @_;
    return [ $class, $from, $y, 'h' . width($from, $to) . 'm0-' . $cap / 2 . "v$cap" ];
}

# A line from $from_y pixels below the strip's top at its start to $to_y at its
# end.
sub line {
    my ($class, $from, $to, $from_y, $to_y) = @_;
    return [ $class, $from, pixels($from_y), 'l' . width($from, $to) . q{ } . pixels($to_y - $from_y) ];
}

# A rectangle.
sub area {
    my ($class, $from, $to, $top, $bottom) = @_;
    my ($width, $height) = (width($from, $to), pixels($bottom - $top));
    return [ $class, $from, pixels($top), "h${width}v${height}h-${width}z" ];
}

# A mark at each of @$points, [ x, y of its middle ]: upright, $tall pixels, or
# with 0 round, if the class has round ends of lines. A line without length has no
# other ends where pages are printed.
sub points {
    my ($class, $tall, $points) = @_;
    my @places = map { [ horizontal($_->[0]), pixels($_->[1] - $tall / 2) ] } @{$points};
    my $mark   = $tall ? "v$tall" : 'h0';
    my ($x, $y) = @{ $places[0] };
    my $path = $mark;
    for my $place (@places[ 1 .. $#places ]) {
        my $down = pixels($place->[1] - $y - $tall);
        $path .= 'm' . ($place->[0] - $x) . ($down < 0 ? q{} : q{ }) . $down . $mark;
        ($x, $y) = @{$place};
    }
    return [ $class, $points->[0][0], pixels($points->[0][1] - $tall / 2), $path ];
}

# An area for each of @$steps, [ x of its end, its height ], that stands on $y.
# Rounds positions and not widths, so that errors do not add up.
sub steps {
    my ($class, $y, $steps) = @_;
    my ($x, $height, $path) = (0, 0, q{});
    for my $step (map { [ horizontal($_->[0]), 0 + sprintf '%.1f', $_->[1] ] } @{$steps}) {
        $path .= sprintf 'v%.4g', $height - $step->[1] if $step->[1] != $height;
        $path .= 'h' . ($step->[0] - $x);
        ($x, $height) = @{$step};
    }
    return [ $class, 0, $y, "${path}v$height" ];
}

sub pixels {
    my ($number) = @_;
    return 0 + sprintf '%.1f', $number;
}

sub width {
    my ($from, $to) = @_;
    return horizontal($to) - horizontal($from);
}

sub horizontal {
    my ($part) = @_;
    return sprintf '%.0f', $WIDTH * $part;
}

1;
