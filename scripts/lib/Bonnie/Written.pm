# SPDX-License-Identifier: GPL-2.0-or-later
# Sizes and latencies as bonnie itself writes them in CSV lines and tables.
package Bonnie::Written;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(first);

our @EXPORT_OK = qw(bytes_text latency_text);

# From this on a latency is written in the next larger unit.
my $LATENCY_LIMIT = 99_999.5;
my @LATENCY_UNITS = ([ 1e3, 'us' ], [ 1e6, 'ms' ], [ 1e9, 's' ]);

my @SIZE_UNITS = ([ 2**30, 'G' ], [ 2**20, 'M' ], [ 2**10, 'k' ], [ 1, q{} ]);

sub latency_text ($nanoseconds) {
    my $scale = first { $nanoseconds / $_->[0] < $LATENCY_LIMIT } @LATENCY_UNITS;
    my ($divisor, $unit) = @{ $scale // $LATENCY_UNITS[-1] };
    return (int($nanoseconds / $divisor + .5) || 1) . $unit;
}

# In the largest unit that divides it; empty if it is not a number of bytes.
sub bytes_text ($bytes) {
    return q{} if ($bytes // q{}) !~ /^\d{1,18}\z/a;
    my $scale = first { $bytes % $_->[0] == 0 } @SIZE_UNITS;
    return $bytes / $scale->[0] . $scale->[1];
}

1;
