# SPDX-License-Identifier: GPL-2.0-or-later
# Figures in a form for people: three digits and a unit.
package Bonnie::Units;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';

our @EXPORT_OK = qw(axis_scale beside bytes_text count_text counted figure_text grouped range_text size_text);

my @BINARY  = ([ 1, 'KiB/s' ], [ 1024, 'MiB/s' ], [ 1024**2, 'GiB/s' ], [ 1024**3, 'TiB/s' ]);
my @OPS     = ([ 1, '/s' ], [ 1e3, 'k/s' ], [ 1e6, 'M/s' ]);
my @SECONDS = ([ 1, 'ns' ], [ 1e3, "\x{B5}s" ], [ 1e6, 'ms' ], [ 1e9, 's' ]);

my @BYTES   = ([ 1, 'bytes' ], [ 1024, 'KiB' ], [ 1024**2, 'MiB' ], [ 1024**3, 'GiB' ], [ 1024**4, 'TiB' ]);

my %BYTE_UNIT = (q{} => 'bytes', K => 'KiB', M => 'MiB', G => 'GiB', T => 'TiB');

my %SCALES = ('KiB/s' => \@BINARY, 'bytes/s' => [ [ 1, 'bytes/s' ], map { [ 1024 * $_->[0], $_->[1] ] } @BINARY ],
    'ops/s' => \@OPS, ns => \@SECONDS, bytes => \@BYTES, map { $_ => [ [ 1, $_ ] ] } 'threads', 'requests per second');

# A smaller part of a unit is written in a smaller unit: "51 MiB/s", not "0.05 GiB/s".
my $LEAST_PART = 0.1;

# A number with $decimals decimals, or as many more as it takes to differ from those in @excluded
# that are not equal to it: a bound must not read like what it excludes.
sub beside ($number, $decimals, @excluded) {
    my @others = grep { defined && $_ != $number } @excluded;
    $decimals++ while $decimals < 9 && grep { sprintf('%.*f', $decimals, $_) == sprintf '%.*f', $decimals, $number } @others;
    return sprintf '%.*f', $decimals, $number;
}

# Units are those of Tests.pm, and "ns". With $like, the unit that suits that
# value is used: neighbouring figures are easier to read in the same unit.
# $excluded as for beside(): undef, or a limit.
sub figure_text ($value, $unit, $like = undef, $excluded = undef) {
    my ($divisor, $name) = scale_for($like // $value, @{ $SCALES{$unit} });
    ($divisor, $name) = scale_for($value, @{ $SCALES{$unit} }) if $value < $LEAST_PART * $divisor;
    return three_digits($value / $divisor, defined $excluded ? $excluded / $divisor : undef) . "\x{A0}$name";
}

# "450", "8.24 k"
sub count_text ($count) {
    my ($divisor, $name) = scale_for($count, [ 1, q{} ], [ 1e3, "\x{A0}k" ], [ 1e6, "\x{A0}M" ]);
    return three_digits($count / $divisor) . $name;
}

# "1 run", "2 runs"
sub counted ($count, $noun) { return "$count $noun" . ($count == 1 ? q{} : 's') }

# The unit appears once if both ends have the same.
sub range_text ($low, $high, $unit, $like = undef) {
    my ($from, $to) = map { figure_text($_, $unit, $like) } $low, $high;
    my ($of_low) = $from =~ /(\x{A0}.*)/;
    $from =~ s/\x{A0}.*// if $to =~ /\Q$of_low\E\z/;
    return "$from\x{2013}$to";
}

# (divisor, unit) for an axis that ends at $value.
sub axis_scale ($value, $unit) { return scale_for($value, @{ $SCALES{$unit} }) }

# From 999.5 on, which would be rounded to 1000, the next unit reads better.
sub scale_for ($value, @scales) {
    my $best = shift @scales;
    for my $scale (@scales) {
        $best = $scale if $value >= 0.9995 * $scale->[0];
    }
    return @{$best};
}

sub three_digits ($value, $excluded = undef) {
    return grouped(beside($value, 0, $excluded)) if $value >= 99.95 || $value == int $value;
    return beside($value, 1, $excluded)          if $value >= 9.995;
    return beside($value, 2, $excluded)          if $value >= 0.9995;
    return beside($value, 3, $excluded)          if $value >= 0.09995;
    return sprintf '%#.3g', $value;
}

sub grouped ($digits) {
    1 while $digits =~ s/^(\d+)(\d{3})/$1,$2/a;
    return $digits;
}

# A number of bytes in its largest unit, in three digits.
sub bytes_text ($bytes) { return figure_text($bytes, 'bytes') }

# "8096M" becomes "8,096 MiB"; a text that is not a size stays as it is. $bare:
# the suffix that a number without one stands for.
sub size_text ($text, $bare) {
    my ($number, $suffix) = $text =~ /^(\d{1,18})([kmgt]?)(?:iB|B)?\z/iaa or return $text;
    my $unit = uc($suffix) || $bare;
    ($number, $unit) = ($number / 1024, 'K') if $unit eq q{} && $number >= 1024 && $number % 1024 == 0;
    return grouped($number) . "\x{A0}$BYTE_UNIT{$unit}";
}

1;
