# SPDX-License-Identifier: GPL-2.0-or-later
# Axes of charts: where values lie on them, and which values label
# them.
#
#   { unit  => name, written below a horizontal axis,
#     at    => sub (value), 0 at the left end or the foot to 1 at the other end,
#     ticks => [ [ value, text ], ... ] at round values,
#     is_log => whether it has no zero, where a bar would begin,
#     is_ratio => whether the labels of changes are ratios, and not percent }
package Bonnie::Axis;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(first max min);
use POSIX      qw(ceil floor log10);
use Bonnie::Units qw(axis_scale count_text figure_text);

our @EXPORT_OK = qw(axis_from_zero axis_of_latency axis_of_change axis_of_rounds axis_of_time axis_of_values axis_upwards is_wide);

my $MAX_INTERVALS = 4;

# Units of which there is no half.
my $WHOLE = qr/\A(?:rounds|threads)\z/;

# From this ratio of the largest value to the smallest on, an axis is logarithmic: on a linear one
# the largest would make the others invisible.
my $WIDE = 20;

my @SMALL_CHANGES = (2, 5, 10, 20, 40);
my @RATIOS = ([ 0.5, 1, 2 ], [ 0.25, 0.5, 1, 2, 4 ], [ 0.1, 1, 10 ], [ 0.01, 0.1, 1, 10, 100 ]);

# An axis for figures in the unit of their test; with $like, in the unit that
# suits this value, as the figures are. It ends at the largest.
sub axis_from_zero ($largest, $test_unit, $like = undef) {
    my ($divisor, $unit) = axis_scale($test_unit =~ m{\A(?:KiB/s|ns)\z} ? $like // $largest : $largest, $test_unit);
    return linear_axis($unit, $divisor, $largest / $divisor);
}

# The same for the heights of a strip of that many pixels: each label has the unit.
sub axis_upwards ($largest, $test_unit, $pixels) {
    my ($divisor, $unit) = axis_scale($largest, $test_unit);
    my $axis = linear_axis($unit, $divisor, $largest / $divisor, $pixels < 100 ? 2 : $MAX_INTERVALS);
    $_->[1] .= "\x{A0}$unit" for grep { $_->[0] > 0 } @{ $axis->{ticks} };
    return $axis;
}

# The same for values in a row each: logarithmic if they differ much.
sub axis_of_values ($test_unit, $like, @values) {
    my @positive = grep { $_ > 0 } @values;
    my $most     = max(@values);
    return axis_from_zero($most, $test_unit, $like) if !is_wide(@positive);
    return axis_of_latency(@positive) if $test_unit eq 'ns';
    my ($divisor, $unit) = axis_scale($test_unit eq 'KiB/s' ? $like // $most : $most, $test_unit);
    return logarithmic_axis("$unit, logarithmic", sub { number_text($_[0] / $divisor) }, $divisor, @positive);
}

sub is_wide (@positive) { return @positive && max(@positive) >= $WIDE * min(@positive) }

sub axis_of_time ($seconds) {
    my ($divisor, $unit) = $seconds >= 7200 ? (3600, 'hours') : $seconds >= 600 ? (60, 'minutes') : (1, 'seconds');
    return linear_axis($unit, $divisor, $seconds / $divisor);
}

# Round n lies between n - 1 and n.
sub axis_of_rounds { return linear_axis('rounds', 1, @_) }

# From zero to $end, with labels at round values.
sub linear_axis ($unit, $divisor, $end, $intervals = undef) {
    $end = 1 if $end <= 0;
    my $step  = round_up_to_nice($end / ($intervals // $MAX_INTERVALS));
    my @ticks = grep { $unit !~ $WHOLE || $_ == int } map { $_ * $step } 0 .. floor($end / $step + 1e-9);
    return {
        unit  => $unit,
        at    => sub { max(0, min(1, $_[0] / $divisor / $end)) },
        ticks => [ map { [ $_ * $divisor, number_text($_) ] } @ticks ],
    };
}

sub round_up_to_nice ($value) {
    my $power = 10**floor(log10($value));
    for my $factor (1, 2, 2.5, 5) {
        return $factor * $power if $factor * $power >= $value * 0.98;
    }
    return 10 * $power;
}

# A logarithmic axis for nanoseconds above 0.
sub axis_of_latency {
    return logarithmic_axis('latency, logarithmic', sub { figure_text($_[0], 'ns') }, 1, @_);
}

# Powers of ten, in the unit that $divisor stands for, are labelled by $text. The axis has no zero;
# what is below its start is drawn there.
sub logarithmic_axis ($unit, $text, $divisor, @values) {
    my $first = floor(log10(min(@values) / $divisor) + 1e-9);
    my $last  = max($first + 1, ceil(log10(max(@values) / $divisor) - 1e-9));
    my $step  = ceil(($last - $first) / $MAX_INTERVALS);
    return {
        unit   => $unit,
        is_log => 1,
        at     => sub { $_[0] > 0 ? max(0, min(1, (log10($_[0] / $divisor) - $first) / ($last - $first))) : 0 },
        ticks  => [ map { [ $_, $text->($_) ] } map { $divisor * 10**($first + $step * $_) } 0 .. ($last - $first) / $step ],
    };
}

# An axis for changes in percent, with zero in the middle. Small changes are drawn to scale. Beyond
# them it is one of ratios, where twice as large is as far from the middle as half as large, so that
# gains do not look larger than losses. Values beyond an end lie below 0 or above 1.
sub axis_of_change (@percents) {
    my $largest = max(0, map { abs } @percents);
    my $end = first { $_ >= $largest } @SMALL_CHANGES;
    return change_axis('change of the rate in percent', sub { $_[0] / $end }, map { [ $end * $_, signed_text($end * $_) ] } -1, -0.5, 0, 0.5, 1)
        if defined $end;

    my $widest = max(map { abs log_ratio($_) } @percents);
    my $ratios = (first { log($_->[-1]) >= $widest } @RATIOS) // $RATIOS[-1];
    my $whole  = log $ratios->[-1];
    my $axis   = change_axis('times the rate, logarithmic', sub { log_ratio($_[0]) / $whole }, map { [ 100 * ($_ - 1), "\x{D7}" . number_text($_) ] } @{$ratios});
    return { %{$axis}, is_ratio => 1 };
}

# $part: sub (change), which returns the distance from the middle, where 1 is the right end.
sub change_axis ($unit, $part, @ticks) {
    return { unit => $unit, at => sub { 0.5 + 0.5 * $part->(@_) }, ticks => \@ticks };
}

sub log_ratio ($percent) { return log max(1e-9, 1 + $percent / 100) }

sub signed_text ($number) {
    my $sign = $number < 0 ? "\x{2212}" : $number > 0 ? q{+} : q{};
    return $sign . number_text(abs $number);
}

sub number_text ($number) {
    my $text = sprintf '%.10g', $number;
    return $text =~ /^\d+\z/a ? count_text($text) : $text;
}

1;
