# SPDX-License-Identifier: GPL-2.0-or-later
# The tables of load reports: their figures, how and where they were made, and what storage was below.
package Bonnie::LoadTables;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(uniq);
use Bonnie::HtmlTable qw(plain_table);
use Bonnie::Json      qw(hash in_the_way list number text);
use Bonnie::Load       qw(amount);
use Bonnie::Plain     qw(shorten);
use Bonnie::Units     qw(bytes_text figure_text grouped);

our @EXPORT_OK = qw(load_settings_table load_table slow_table step_table load_label latency_text rate_text);

# "tmp/XXX, reads", or just "Reads" for a single load: the heading of one kind's rows in tables and
# charts.
sub load_label ($kind) {
    my $name = shorten($kind->{load}->name);
    return $name eq q{} ? $kind->{title} : "$name, " . lc $kind->{title};
}

sub latency_text ($nanoseconds, $limit = undef) {
    my $value = number($nanoseconds);
    return $value ? figure_text($value, 'ns', undef, number($limit)) : "\x{2013}";
}

sub rate_text ($rate) {
    my $value = number($rate);
    return "\x{2013}" if !defined $value;
    return $value >= 1000 ? grouped(sprintf '%.0f', $value) : sprintf '%.4g', $value;
}

sub count_text ($count) {
    my $value = number($count);
    return defined $value ? grouped(sprintf '%.0f', $value) : "\x{2013}";
}

# The results of single loads (see Load.pm).
sub load_table (@kinds) {
    return map { my $what = $_; plain_table({ caption => $what,
        titles => [ 'Load', 'Made/s', 'p50', 'p99', 'p99.9', 'max', 'Asked/s', 'Late', 'Errors', 'Made' ] }, map { load_row($_) } grep { $_->{what} eq $what } @kinds) } uniq map { $_->{what} } @kinds;
}

sub load_row ($kind) {
    my $f = $kind->{figures};
    return [ load_label($kind), rate_text($f->{made_per_second}), latency_texts($f->{latency_ns}, qw(p50 p99 p99_9 max)), rate_text($f->{asked_per_second}),
        map { count_text($_) } @{$f}{qw(late errors made)} ];
}

sub latency_texts ($latencies, @names) {
    return map { latency_text($_) } @{ hash($latencies) }{@names};
}

# The requests that took longest. What is the same for all of them is not said ten times.
sub slow_table (@kinds) {
    my @slow  = map { my $kind = $_; map { [ $kind, hash($_) ] } list($kind->{figures}{slowest}) } @kinds;
    my @told  = grep { my $key = $_; 1 < uniq map { text($_->[1]{$key}) // q{} } @slow } qw(name outcome);
    my @rows  = map { my ($kind, $slow) = @{$_}; [ load_label($kind), latency_text($slow->{latency_ns}), sprintf('%.3f', number($slow->{at_seconds}) // 0), map { text($slow->{$_}) } @told ] } @slow;
    return plain_table({ caption => 'The slowest requests', titles => [ 'Load', 'Latency', 'Due at, s', map { ucfirst } @told ] }, @rows);
}

sub step_table ($load) {
    my @rows;
    for my $step (map { hash($_) } $load->steps) {
        for my $kind ($load->kinds) {
            my $f = hash($step->{ $kind->{key} });
            my $verdict = join q{ }, (text($f->{verdict}) // q{}) =~ tr/_/ /r, $step->{confirmation} ? '(confirmation)' : ();
            push @rows, [ load_label($kind), rate_text(amount($f, 'load')), latency_texts($f->{latency_ns}, 'p99'), $verdict, rate_text($f->{made_per_second}), latency_texts($f->{latency_ns}, qw(p50 max mean)), count_text($f->{errors}) ]
                if %{$f};
        }
    }
    return plain_table({ caption => 'Steps, in order', titles => [ 'Load', $load->is_of_threads ? 'Threads' : 'Asked/s', 'p99', 'Limit', 'Made/s', 'p50', 'max', 'Mean', 'Errors' ] }, @rows);
}

# Each sub gets the settings of the load, and then the whole load.
my @ROWS = (
    [ 'Target',         sub { words($_[0]{requests_engine}) } ],
    [ 'Names',          sub { words($_[0]{url} // $_[0]{url_source}) } ],
    [ 'Endpoint',       sub { words($_[0]{s3_endpoint}) } ],
    [ 'Bucket',         sub { words($_[0]{s3_bucket}) } ],
    [ 'Operations',     sub { words($_[0]{ops}) } ],
    [ 'Writes',         sub { load_words($_[1], 'writes') } ],
    [ 'Reads',          sub { load_words($_[1], 'reads') } ],
    [ 'Size of writes', sub { !is_profile($_[0]) && hash($_[1]{writes})->{made} ? size_words($_[0]) : q{} } ],
    [ 'Arrival',        sub { (words($_[0]{mode}) eq 'rate') ? words($_[0]{arrival}) : q{} } ],
    [ 'Direct I/O',     sub { is_profile($_[0]) ? q{} : flag($_[0]{direct}) } ],
    [ 'Evicted before reads', sub { is_profile($_[0]) ? q{} : flag($_[0]{evict}) } ],
    [ 'fsync',          sub { is_profile($_[0]) ? q{} : flag($_[0]{fsync}) } ],
    [ 'Verified',       sub { is_profile($_[0]) ? q{} : words($_[0]{verify}) } ],
    [ 'Seed',           sub { words($_[0]{seed}) } ],
    [ 'Reads, limited by', sub { words(hash($_[1]{reads})->{limited_by}) } ],
    [ 'Writes, limited by', sub { words(hash($_[1]{writes})->{limited_by}) } ],
    [ 'Device',         sub { words(hash($_[1]{storage})->{device}) } ],
    [ 'Filesystem',     sub { words(hash($_[1]{storage})->{filesystem}) } ],
    [ 'Mounted with',   sub { words(hash($_[1]{storage})->{mount_options}) } ],
    [ 'In the way',     sub { in_the_way($_[1]) } ],
    [ 'Host',           sub { words(hash($_[1]{host})->{name}) } ],
    [ 'CPU',            sub { words(hash($_[1]{host})->{cpu_model}) } ],
    [ 'CPUs',           sub { words(hash($_[1]{host})->{cpus}) } ],
    [ 'RAM',            sub { size_of(hash($_[1]{host})->{ram_bytes}) } ],
    [ 'Kernel',         sub { words(hash($_[1]{host})->{kernel}) } ],
    [ 'C library',      sub { words(hash($_[1]{host})->{c_library}) } ],
    [ 'Program',        sub { words($_[1]{version}) } ],
);

# Each load has a column.
sub load_settings_table (@loads) {
    my @rows  = grep { my @words = @{$_}; 1 < grep {length} @words } map { my ($title, $show) = @{$_}; [ $title, map { $show->(hash($_->{settings}), $_) } @loads ] } @ROWS;
    my @heads = map { $_->name eq q{} ? 'Value' : shorten($_->name) } @loads;
    return plain_table({ caption => 'How the load was made', class => 'settings', titles => [ 'Setting', @heads ] }, @rows);
}

# Whether the calls of the load, and their sizes, are those of a profile (-good-for).
sub is_profile ($settings) { return words($settings->{requests_engine}) eq 'profile' }

sub words ($value) { return text($value) // q{} }

# JSON's true and false.
sub flag ($value) {
    my $words = words($value);
    return $words eq q{} ? q{} : $words eq 'true' || $words eq '1' ? 'yes' : 'no';
}

sub size_of {
    my $bytes = number($_[0]);
    return defined $bytes ? bytes_text($bytes) : q{};
}

# "8 KiB", or "1 byte to 8 KiB"
sub size_words ($settings) {
    my ($least, $most) = map { size_of($settings->{$_}) } qw(min_body_size_bytes max_body_size_bytes);
    return $least eq $most ? $most : "$least to $most";
}

# Of a search or sweep: from the smallest to the largest load that was made.
sub load_words ($load, $key) {
    my $kind = hash(hash($load->{settings})->{$key});
    my $pace = words($kind->{pace});
    my @made = sort { $a <=> $b } grep {$_} map { amount(hash(hash($_)->{$key}), 'load') } $load->steps;
    return 'after writes' if $pace eq 'follows';
    my $is_of_threads = $pace eq 'threads' || $load->is_of_threads;
    @made = grep {$_} number($kind->{ $is_of_threads ? 'threads' : 'per_second' }) if !@made;
    return q{} if !@made || !grep { $pace eq $_ } qw(threads rate);
    my ($least, $most) = map { rate_text($_) } @made[ 0, -1 ];
    return ($least eq $most ? q{} : "$least to ") . $most . (!$is_of_threads ? ' per second' : $most eq '1' ? ' thread' : ' threads');
}

1;
