# SPDX-License-Identifier: GPL-2.0-or-later
# One report of the load generator, read from its JSON. Invalid figures become
# undef, whatever the file contains.
package Bonnie::Load;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use Bonnie::Json  qw(hash list number text version_fault);
use Bonnie::Plain qw(few);

our @EXPORT_OK = qw(amount);

# A limit for hostile reports.
my $MOST = 2000;

# Outcomes of a step's reads or writes with which it confirms a load.
my %IS_KEPT = map { $_ => 1 } qw(good open);

my @KINDS = ([ writes => 'Writes' ], [ reads => 'Reads' ]);

sub is_report ($report) {
    return ref $report eq 'HASH' && (text($report->{format}) // q{}) eq 'bonload';
}

# Like report_records() of Json.pm: the one record has only { load => ... }.
sub records ($report) {
    my $fault = version_fault($report);
    return defined $fault ? ([], $fault) : ([ { load => bless { %{$report} }, __PACKAGE__ } ]);
}

# Names the loads of a page so that all names differ: a single load has no name; loads whose labels all
# differ have these; loads of one target have numbers; other loads have the name of their target, and a
# number if targets are equal.
sub name_all (@loads) {
    my %loads_of;
    my %label = map { (text($_->{label}) // q{}) => $_ } @loads;
    if (@loads > 1 && keys %label == @loads && !exists $label{q{}}) {
        $label{$_}{name} = $_ for keys %label;
        return;
    }
    $loads_of{ $_->address }++ for @loads;
    for my $number (1 .. @loads) {
        my $load = $loads[ $number - 1 ];
        my $same = $loads_of{ $load->address };
        $load->{name} = @loads == 1 ? q{} : $same == @loads ? "Load $number" : $same > 1 ? "Load $number: " . $load->address : $load->address;
    }
    return;
}

sub name { return $_[0]{name} // q{} }

# The template of the names, or the source of the names.
sub address ($load) {
    my $settings = hash($load->{settings});
    return text($settings->{url}) // text($settings->{url_source}) // text($settings->{requests_engine}) // q{};
}

sub mode { return text(hash($_[0]{settings})->{mode}) // q{} }

# The kinds of requests that it made: [ { key, title, figures }, ... ].
sub kinds ($load) {
    return map { { key => $_->[0], title => $_->[1], figures => hash($load->{ $_->[0] }), load => $load } }
        grep { ref $load->{ $_->[0] } eq 'HASH' } @KINDS;
}

# The steps of a search or sweep, the slices of one second and the finer ones, and
# the results of each host.
sub steps  { return few($MOST, list($_[0]{steps})) }
sub slices { return few($MOST, list(hash($_[0]{timeline})->{slices})) }
sub hosts  { return few($MOST, list($_[0]{hosts})) }
sub edges  { return map { number($_) // 0 } few($MOST, list(hash($_[0]{timeline})->{edges_ns})) }

# Whether it is a search for a number of threads.
sub is_of_threads { return (text(hash($_[0]{settings})->{search}) // q{}) eq 'threads' }

# The load of a step, or what a search has found: a rate, or a number of threads.
sub amount ($figures, $what) {
    return number($figures->{"${what}_per_second"} // $figures->{"${what}_threads"});
}

# The last step in which a search confirmed its answer; undef if there is none.
sub confirmed ($load) {
    my ($step) = grep { $_->{confirmation} &&
        !grep { !$IS_KEPT{$_} } map { text($_->{verdict}) // q{} } grep {%{$_}} map { hash($_) } @{$_}{qw(writes reads)} } reverse map { hash($_) } $load->steps;
    return $step;
}

# A load of which less was made was not made.
my $NEARLY = 0.95;

sub is_made ($load, $made, $asked) { return $made >= $NEARLY * $asked }

# The knee: a p99 latency that is more than this many times that of the smallest load has turned up,
# and so has a load that was not made, without those that failed.
my $TURNED = 2;

# The steps of a sweep's writes or reads, by their loads: those before the knee, and from there on.
# Each is { load, p99 (undef: too few were made), made, is_made }.
sub flat_part ($load, $key) {
    my (@steps, @flat);
    for my $figures (map { hash(hash($_)->{$key}) } $load->steps) {
        my ($asked, $p99) = (amount($figures, 'load'), number(hash($figures->{latency_ns})->{p99}));
        my $made = number($figures->{made_per_second}) // 0;
        push @steps, { load => $asked, p99 => $p99, made => $made, is_made => $load->is_made($made, $asked) } if $asked;
    }
    my @rest = sort { $a->{load} <=> $b->{load} } @steps;
    my $most = @rest ? $TURNED * ($rest[0]{p99} // 0) : 0;
    push @flat, shift @rest while @rest && $rest[0]{is_made} && defined $rest[0]{p99} && $rest[0]{p99} <= $most;
    return (\@flat, \@rest);
}

# Its kinds with the figures of one load, and what that load is; nothing if there are only figures of
# several together, of which percentiles mean nothing.
sub single ($load) {
    return if $load->mode eq 'sweep';
    return map { { %{$_}, what => 'Requests and their latency' } } $load->kinds if $load->mode ne 'search';
    my $is_of_last = (text($load->{figures_of}) // q{}) eq 'last load';
    my $confirmed  = $load->confirmed;
    return map { { %{$_}, what => 'The last load of the search, which was not confirmed' } } $is_of_last ? $load->kinds : () if !$confirmed;
    return map { { %{$_}, what => 'The load that was confirmed', $is_of_last && $confirmed == ($load->steps)[-1] ? () : (figures => hash($confirmed->{ $_->{key} })) } } $load->kinds;
}

1;
