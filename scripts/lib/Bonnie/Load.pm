# One report of the load generator, from the JSON that it prints: figures that
# are none are undef, whatever stands in the file.
package Bonnie::Load;

use strict;
use warnings;
use Bonnie::Json  qw(hash list number text);
use Bonnie::Plain qw(plain_text);

# Of later keys those are read that there are.
my $VERSION = 1;

# Hostile reports have more of everything.
my $MOST = 2000;

my @KINDS = ([ writes => 'Writes' ], [ reads => 'Reads' ]);

sub is_report {
    my ($report) = @_;
    return ref $report eq 'HASH' && ref $report->{bonload} eq 'HASH';
}

# As Json.pm's report_records(): the one record has { load => ... } alone.
sub records {
    my ($report) = @_;
    my $version = text($report->{bonload}{format_version}) // 'none';
    return ([], "format_version $version of the load report is not known") if $version ne $VERSION;
    return ([ { load => bless { %{ $report->{bonload} }, start_time => $report->{StartTime} }, __PACKAGE__ } ]);
}

# Its number on the page, which ties tables and charts together.
sub number_as {
    my ($load, $number) = @_;
    $load->{number} = $number;
    return $load;
}

sub number_of { return $_[0]{number} }

sub name {
    my ($load) = @_;
    my $settings = hash($load->{settings});
    return join q{ }, map { plain_text($_) } grep {defined} text($settings->{target}), text($settings->{url}) // text($settings->{url_source});
}

sub mode { return text(hash($_[0]{settings})->{mode}) // q{} }

# The kinds of requests that it made: [ { key, title, figures }, ... ].
sub kinds {
    my ($load) = @_;
    return map { { key => $_->[0], title => $_->[1], figures => hash($load->{ $_->[0] }), load => $load } }
        grep { ref $load->{ $_->[0] } eq 'HASH' } @KINDS;
}

# Steps of a search or sweep, slices of a second, and finer ones; what each host did.
sub steps     { return few(list($_[0]{steps})) }
sub intervals { return few(list($_[0]{intervals})) }
sub slices    { return few(list(hash($_[0]{timeline})->{slices})) }
sub hosts     { return few(list($_[0]{hosts})) }
sub edges     { return map { number($_) // 0 } few(list(hash($_[0]{timeline})->{edges_ns})) }

sub few {
    my @all = @_;
    return grep { ref $_ eq 'HASH' || !ref $_ } @all > $MOST ? @all[ 0 .. $MOST - 1 ] : @all;
}

sub limit {
    my ($load) = @_;
    return hash(hash($load->{settings})->{limit});
}

1;
