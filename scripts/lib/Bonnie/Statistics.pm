# What describes a list of numbers, which may be in any order but not empty.
package Bonnie::Statistics;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(all sum);

our @EXPORT_OK = qw(median quantile mean stddev geometric_mean geometric_middle);

sub median {
    return quantile(0.5, @_);
}

# Between two values where no value lies at this place: definition 7 of
# Hyndman and Fan, Sample Quantiles in Statistical Packages, The American
# Statistician 50 (1996), which R and NumPy take unless told otherwise.
sub quantile {
    my ($share, @values) = @_;
    @values = sort { $a <=> $b } @values;
    my $place = $share * $#values;
    my $below = int $place;
    return $values[$below] if $below == $place;
    return $values[$below] + ($place - $below) * ($values[ $below + 1 ] - $values[$below]);
}

sub mean {
    return sum(@_) / @_;
}

# Of a sample: the divisor is one less than their number. 0 for one value.
sub stddev {
    my @values = @_;
    return 0 if @values < 2;
    my $mean = mean(@values);
    return sqrt(sum(map { ($_ - $mean)**2 } @values) / (@values - 1));
}

# 0 if any of them is.
sub geometric_mean {
    my @values = @_;
    return 0 if !all { $_ > 0 } @values;
    return exp mean(map { log } @values);
}

# As many times above the one value as below the other.
sub geometric_middle {
    my ($lower, $upper) = @_;
    return $lower == $upper ? $lower : sqrt($lower) * sqrt($upper);
}

1;
