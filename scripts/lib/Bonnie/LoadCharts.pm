# SPDX-License-Identifier: GPL-2.0-or-later
# The charts of load reports: requests and errors over time, the distribution of
# latencies over time, percentiles, and the latency at each load of a sweep and
# on each host.
package Bonnie::LoadCharts;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max min sum0);
use Bonnie::Axis       qw(axis_of_latency axis_of_time axis_of_values axis_upwards is_wide);
use Bonnie::Chart      qw(block course over_time panel panels place points stroke);
use Bonnie::HostCharts qw(host_panel how_to_read_hosts);
use Bonnie::Html       qw(element);
use Bonnie::Json       qw(hash list number);
use Bonnie::LatencyCharts qw(latency_panels);
use Bonnie::LoadTables qw(latency_text load_label rate_text);
use Bonnie::Units      qw(grouped);

our @EXPORT_OK = qw(load_host_charts load_time_charts load_heat_charts load_percentile_charts load_step_charts);

# A peak is cut off if it is more than this many times as high as nearly all of its
# strip.
my $PEAK = 3;

# Shades for the share of requests in a class of latency at a time: upper
# limits, from the palest shade to the darkest.
my @SHARES = (0.01, 0.05, 0.2, 0.5, 1);
my @SHADES = ('less than 1 %', '1 to 5 %', '5 to 20 %', '20 to 50 %', 'more than half');

# Classes of latency: 1, 2 and 5 times a power of ten, in ns.
my @CLASSES = map { my $p = 10**$_; map { $_ * $p } 1, 2, 5 } 3 .. 10;

# The slices of one kind: [ [ end, length, figures ], ... ].
sub slices_of {
    my ($kind) = @_;
    my ($end, @course) = (0);
    for my $slice (map { hash($_) } $kind->{load}->slices) {
        my $length = number($slice->{seconds}) or next;
        $end += $length;
        push @course, [ $end, $length, hash($slice->{ $kind->{key} }) ];
    }
    return @course;
}

sub load_time_charts {
    my @kinds  = @_;
    my $time   = axis_of_time(max(1e-3, map { sum0(map { number(hash($_)->{seconds}) // 0 } $_->{load}->slices) || 1 } @kinds));
    my @panels = map { time_panel($time, @{$_}, @kinds) } [ ended => 'Requests per second' ], [ errors => 'Errors per second' ];
    return panels('Over time', ['Each strip has a scale of its own. Much higher peaks are cut off.'], @panels);
}

# The top of the strips: the largest value, unless that is a peak that would make all others
# invisible, as after a stall.
sub highest {
    my @sorted = sort { $a <=> $b } grep { $_ > 0 } @_ or return;
    my $usual  = $PEAK * $sorted[ 0.95 * $#sorted ];
    return min($sorted[-1], $usual);
}

sub time_panel {
    my ($time, $key, $title, @kinds) = @_;
    my @rates = map { [ map { [ $_->[0], (number($_->[2]{$key}) // 0) / $_->[1] ] } slices_of($_) ] } @kinds;
    return if !highest(map { $_->[1] } map { @{$_} } @rates);
    my @rows = map { time_row($time, scalar @kinds, load_label($kinds[$_]), @{ $rates[$_] }) } 0 .. $#kinds;
    return panel($title, axis => $time, height => $rows[0]{height}, rows => \@rows);
}

# Rates are [ end, per second ].
sub time_row {
    my ($time, $rows, $label, @rates) = @_;
    my $largest = max(0, map { $_->[1] } @rates);
    my $highest = highest(map { $_->[1] } @rates) // 1;
    my $strip   = over_time($time, $rows, sub { axis_upwards($highest, 'ops/s', @_) });
    my $shown   = $largest > $highest ? 'to ' . rate_text($highest) . '/s; cut off, up to ' . rate_text($largest) . '/s' : 'to ' . rate_text($largest) . '/s';
    return { label => $label, shown => $shown, y => $strip->{y}, height => $strip->{height}, marks => [ @rates ? course($strip, 'course', @rates) : () ] };
}

# A map for each kind, and the legend of its shades.
sub load_heat_charts {
    my @kinds = @_;
    my @panels = map { heat_panel($_) } @kinds or return;
    return (panels('Latency over time', ['The colour of a cell is the share of the requests at that time that had this latency.'], @panels),
        element('ul', { class => 'legend' }, map { element('li', { class => "heat$_" }, $SHADES[$_]) } 0 .. $#SHADES) . "\n");
}

sub heat_panel {
    my ($kind) = @_;
    my @course = slices_of($kind) or return;
    my @edges  = $kind->{load}->edges;
    my (%cells, $all);
    for my $slice (@course) {
        my %counts = classes(\@edges, list($slice->[2]{heat}));
        my $sum    = sum0(values %counts) or next;
        push @{ $cells{$_} }, [ $slice->[0] - $slice->[1], $slice->[0], shade($counts{$_} / $sum) ] for keys %counts;
        $all += $sum;
    }
    my @classes = sort { $a <=> $b } keys %cells or return;
    my $latency = axis_of_latency(@CLASSES[ $classes[0], $classes[-1] ], upper_end($classes[-1]));
    my $strip   = over_time(axis_of_time($course[-1][0]), 1, sub {$latency});
    my @marks   = map { my $class = $_; map { cell_mark($strip, $class, $_) } joined(@{ $cells{$class} }) } @classes;
    return panel(load_label($kind), axis => $strip->{x}, height => $strip->{height},
        rows => [ { label => 'Latency, logarithmic', shown => grouped($all) . ' requests', y => $latency, marks => \@marks } ]);
}

sub upper_end {
    my ($class) = @_;
    return $CLASSES[ $class + 1 ] // 2 * $CLASSES[$class];
}

sub cell_mark {
    my ($strip, $class, $cell) = @_;
    my ($from, $to, $shade) = @{$cell};
    return block($strip, "heat$shade", [ $from, $CLASSES[$class] ], [ $to, upper_end($class) ]);
}

# The number of requests in each class, from bins with counts.
sub classes {
    my ($edges, @heat) = @_;
    my %counts;
    while (my ($bin, $count) = map { number($_) } splice @heat, 0, 2) {
        last if !defined $bin || !defined $count || $bin !~ /\A\d+\z/a;
        my $from  = ($edges->[$bin] // 0) || 1;
        my $class = 0;
        $class++ while $class < $#CLASSES && $CLASSES[ $class + 1 ] <= $from * 1.0001;
        $counts{$class} += $count;
    }
    return %counts;
}

sub shade {
    my ($share) = @_;
    my $shade = 0;
    $shade++ while $shade < $#SHARES && $share > $SHARES[$shade];
    return $shade;
}

# Neighbours of one shade are one cell.
sub joined {
    my @cells = @_;
    my @joined;
    for my $cell (@cells) {
        my $last = $joined[-1];
        if ($last && $last->[2] == $cell->[2] && abs($last->[1] - $cell->[0]) < 1e-6) {
            $last->[1] = $cell->[1];
            next;
        }
        push @joined, [ @{$cell} ];
    }
    return @joined;
}

sub load_percentile_charts {
    my @kinds = @_;
    return latency_panels('Percentiles', 'Requests', map { my $latency = hash($_->{figures}{latency_ns}); { label => load_label($_), map { $_ => number($latency->{$_}) } qw(p50 p90 p99 p99_9 max) } } @kinds);
}

# What a sweep and a search are for: the curve of latency over load.
sub load_step_charts {
    my ($load) = @_;
    my @notes = ('The lower line is the median. Each load is shown once, with its last measurement.', $load->mode eq 'search' ? 'Dashed: the limit.' : ());
    return panels('Latency over load', \@notes, map { curve_panel($load, $_) } $load->kinds);
}

# The upper line is the latency that a search limits, or p99.
sub curve_panel {
    my ($load, $kind) = @_;
    my %at;
    for my $figures (map { hash(hash($_)->{ $kind->{key} }) } $load->steps) {
        my ($asked, $latency) = (number($figures->{load}), hash($figures->{latency_ns}));
        my @y = map { number($_) } $latency->{p50}, $figures->{limited_ns} // $latency->{p99};
        $at{$asked} = \@y if $asked && 2 == grep {$_} @y;
    }
    my @loads = sort { $a <=> $b } keys %at or return;
    my $limit = number($load->limit->{nanoseconds});
    my @all   = ((map { @{$_} } values %at), $limit // ());
    my $x     = axis_of_values('ops/s', undef, @loads);
    my $unit  = $x->{unit} =~ s{ops/s}{$load->is_of_threads ? 'threads' : 'requests per second'}er;
    my $strip = over_time($x, 1, sub { is_wide(@all) ? axis_of_latency(@all) : axis_upwards(max(@all), 'ns', @_) });
    my @marks = defined $limit ? stroke($strip, 'fit', map { [ $_, $limit ] } 0, $loads[-1]) : ();
    for my $line ([ 0, 'lower' ], [ 1, 'upper' ]) {
        my @places = map { [ $_, $at{$_}[ $line->[0] ] ] } @loads;
        push @marks, (map { stroke($strip, $line->[1], @places[ $_ - 1, $_ ]) } 1 .. $#places), points("dot $line->[1]", 0, [ map { [ place($strip, $_) ] } @places ]);
    }
    my $shown = join ' to ', map { latency_text($at{$_}[1]) } @loads[ 0, $#loads ? -1 : () ];
    return panel(load_label($kind), axis => { %{$x}, unit => $unit }, height => $strip->{height},
        rows => [ { label => (Bonnie::Json::text($load->limit->{of}) // 'p99') . ', and the median', shown => $shown, y => $strip->{y}, marks => \@marks } ]);
}

# The latency on each host, if several hosts made a load together.
sub load_host_charts {
    my @kinds  = @_;
    my @hosts  = map { [ hosts_of($_) ] } @kinds;
    my @notes  = ('A bar is the mean latency of the requests that a host made.', how_to_read_hosts(@hosts));
    my @panels = map { host_panel(load_label($kinds[$_]), 'ns', undef, @{ $hosts[$_] }) } 0 .. $#kinds;
    return panels('Hosts, less is better', \@notes, @panels);
}

# A host all of whose requests failed has no latency.
sub hosts_of {
    my ($kind) = @_;
    my @hosts;
    for my $host (map { hash($_) } $kind->{load}->hosts) {
        my ($name, $mean) = (Bonnie::Json::text($host->{name}), number(hash($host->{ $kind->{key} })->{latency_mean_ns}));
        push @hosts, { name => $name, value => $mean } if defined $name && $mean;
    }
    my @sorted = sort { $b->{value} <=> $a->{value} || $a->{name} cmp $b->{name} } @hosts;
    return @sorted;
}

1;
