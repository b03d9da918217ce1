# SPDX-License-Identifier: GPL-2.0-or-later
# Reads bon_ab's JSON for the page. Invalid figures become undef, whatever the
# file contains.
package Bonnie::Ab::Result;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use Bonnie::Json  qw(hash list number text version_fault);
use Bonnie::Plain qw(few shorten);

our @EXPORT_OK = qw(campaign_of is_campaign);

# Limit on metrics and pairs, above the numbers of any real report.
my $MANY = 1000;

sub is_campaign ($json) { return ref $json eq 'HASH' && (text($json->{format}) // q{}) eq 'bon_ab' }

# Turns a report into a structure of a fixed form, because a hostile report may have anything
# anywhere. Returns undef and a reason when the report cannot be shown.
sub campaign_of ($json) {
    my ($fault, $settings) = (version_fault($json), hash($json->{settings}));
    return (undef, $fault) if defined $fault;
    my %campaign = (
        settings => { map { $_ => word($settings->{$_}) } qw(name_a name_b command_a command_b prepare_a prepare_b beside_a beside_b restore) },
        elapsed  => number($json->{elapsed_seconds}) // 0,
        started  => word($json->{start_time}),
        reason   => word($json->{reason}),
        notes    => [ map { word($_) } few($MANY, list($json->{notes})) ],
    );
    $campaign{settings}{$_} = number($settings->{$_}) // 0 for qw(alpha margin_percent seed);
    my @metrics = map { hash($_) } few($MANY, list($json->{metrics}));
    $campaign{$_} = [ map { pair($_) } few($MANY, list($json->{$_})) ] for qw(pairs control);
    $campaign{metrics} = [ map { metric($_) } grep { number($_->{judged}) } @metrics ];
    return (\%campaign);
}

sub word { return shorten(text(@_) // q{}, 2000) }

# Values by metric; empty for a pair that is left out.
sub pair {
    my ($pair) = map { hash($_) } @_;
    my %sides = map { my $values = hash($pair->{$_}); $_ => { map { $_ => number($values->{$_}) } keys %{$values} } } qw(a b);
    return { failed => defined $pair->{failed} ? word($pair->{failed}) : undef, number => number($pair->{number}) // 0, %sides };
}

my %UNITS = map { $_ => 1 } qw(bytes/s ops/s ns);

sub metric ($metric) {
    my $unit = word($metric->{unit});
    return {
        (map { $_ => word($metric->{$_}) } qw(name verdict)),
        (map { $_ => number($metric->{$_}) || undef } qw(median_a median_b ratio noise_percent)),
        unit     => $UNITS{$unit} ? $unit : undef,
        interval => ends($metric->{interval}),
        course   => [ map { ends($_) } few($MANY, list($metric->{course})) ],
    };
}

sub ends {
    my @ends = list($_[0]);
    return [ map { number($_) || undef } @ends[ 0, 1 ] ];
}

1;
