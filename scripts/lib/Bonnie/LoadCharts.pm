# SPDX-License-Identifier: GPL-2.0-or-later
# The charts of load reports: requests and errors over time, the distribution of
# latencies over time, percentiles, and the latency at each load of a sweep and
# on each host.
package Bonnie::LoadCharts;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max min sum0);
use Bonnie::Axis       qw(axis_of_latency axis_of_time axis_upwards);
use Bonnie::Chart      qw(bar block course over_time tail);
use Bonnie::HostCharts qw(host_panel how_to_read_hosts);
use Bonnie::Html       qw(element);
use Bonnie::Json       qw(hash list number);
use Bonnie::LoadTables qw(latency_text load_label rate_text);
use Bonnie::Panels     qw(panels panel);
use Bonnie::Units      qw(figure_text grouped);

our @EXPORT_OK = qw(load_host_charts load_time_charts load_heat_charts load_percentile_charts load_step_charts);

# A peak is cut off if it is more than this many times as high as nearly all of its
# strip.
my $PEAK = 3;

my $BAND   = 12;
my $CAP    = 8;

# Shades for the share of requests in a class of latency at a time: upper
# limits, from the palest shade to the darkest.
my @SHARES = (0.01, 0.05, 0.2, 0.5, 1);
my @SHADES = ('less than 1 %', '1 to 5 %', '5 to 20 %', '20 to 50 %', 'more than half');

# Classes of latency: 1, 2 and 5 times a power of ten, in ns.
my @CLASSES = map { my $p = 10**$_; map { $_ * $p } 1, 2, 5 } 3 .. 10;

sub seconds_of {
    my @slices = @_;
    return sum0(map { number(hash($_)->{seconds}) // 0 } @slices) || 1;
}

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
    my $time   = axis_of_time(max(1e-3, map { seconds_of($_->{load}->slices) } @kinds));
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
    my @rows  = map { [ load_label($_), hash($_->{figures}{latency_ns}) ] } @kinds;
    return panels('Percentiles', ['The bands, from thick to thin, go from the median to p90, to p99 and to p99.9; the line ends at the longest request. Less is better.'],
        latency_panel('All loads', @rows));
}

# Rows of [ label, latencies ].
sub latency_panel {
    my ($title, @rows) = @_;
    my @known = grep {$_} map { number($_) } map { @{ $_->[1] }{qw(p50 p90 p99 p99_9 max)} } @rows;
    return if !@known;
    my $axis = axis_of_latency(@known);
    return panel($title, axis => $axis, height => $BAND, rows => [ map { latency_row($axis, @{$_}) } @rows ]);
}

sub latency_row {
    my ($axis, $label, $latency) = @_;
    my %at = map { $_ => $axis->{at}->(number($latency->{$_})) } grep { number($latency->{$_}) } qw(p50 p90 p99 p99_9 max);
    my @marks;
    for my $band ([ band0 => 'p50', 'p90' ], [ band1 => 'p90', 'p99' ], [ band2 => 'p99', 'p99_9' ]) {
        my ($class, $from, $to) = @{$band};
        push @marks, bar($class, $at{$from}, $at{$to}, $BAND / 2) if defined $at{$from} && defined $at{$to} && $at{$to} >= $at{$from};
    }
    push @marks, tail('tail', $at{p99_9} // $at{max}, $at{max}, $BAND / 2, $CAP) if defined $at{max};
    my $shown = @marks ? 'median ' . latency_text($latency->{p50}) . ', p99 ' . latency_text($latency->{p99}) : 'no requests';
    return { label => $label, shown => $shown, marks => \@marks };
}

# "1 thread", "200/s".
sub asked_text {
    my ($load, $by_threads) = @_;
    my $number = rate_text($load);
    return $number . (!$by_threads ? '/s' : $number eq '1' ? ' thread' : ' threads');
}

# The latency with each load.
sub load_step_charts {
    my ($load) = @_;
    my @panels;
    for my $kind ($load->kinds) {
        my @steps = grep { %{ $_->[1] } } map { [ $_, hash($_->{ $kind->{key} }) ] } map { hash($_) } $load->steps;
        my $by_threads = $load->mode eq 'search' && (Bonnie::Json::text($load->limit->{search}) // q{}) eq 'threads';
        my %by_load;
        $by_load{ number($_->[1]{load}) // 0 } = [ asked_text($_->[1]{load}, $by_threads), hash($_->[1]{latency_ns}) ] for @steps;
        push @panels, latency_panel(load_label($kind), map { $by_load{$_} } sort { $a <=> $b } keys %by_load);
    }
    return panels('Latency at each load', ['Bands as above. Each load is shown once, with its last measurement.'], @panels);
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
