# SPDX-License-Identifier: GPL-2.0-or-later
# The table of how and where loads were made, and what storage was below. Each
# load has a column.
package Bonnie::LoadSettings;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::HtmlTable qw(plain_table);
use Bonnie::Json      qw(hash number text);
use Bonnie::LoadTables qw(rate_text);
use Bonnie::Plain     qw(shorten);
use Bonnie::Units     qw(bytes_text);

our @EXPORT_OK = qw(load_settings_table);

# Each sub gets the settings of the load, and then the whole load.
my @ROWS = (
    [ 'Target',         sub { words($_[0]{target}) } ],
    [ 'Names',          sub { words($_[0]{url} // $_[0]{url_source}) } ],
    [ 'Endpoint',       sub { words($_[0]{endpoint}) } ],
    [ 'Bucket',         sub { words($_[0]{bucket}) } ],
    [ 'Operations',     sub { words($_[0]{operations}) } ],
    [ 'Writes',         sub { load_words($_[1], 'writes') } ],
    [ 'Reads',          sub { load_words($_[1], 'reads') } ],
    [ 'Size of writes', sub { !is_profile($_[0]) && hash($_[1]{writes})->{requests} ? size_words($_[0]) : q{} } ],
    [ 'Arrival',        sub { (words($_[0]{mode}) eq 'rate') ? words($_[0]{arrival}) : q{} } ],
    [ 'Direct I/O',     sub { is_profile($_[0]) ? q{} : flag($_[0]{direct}) } ],
    [ 'Evicted before reads', sub { is_profile($_[0]) ? q{} : flag($_[0]{evict}) } ],
    [ 'fsync',          sub { is_profile($_[0]) ? q{} : flag($_[0]{fsync}) } ],
    [ 'Verified',       sub { is_profile($_[0]) ? q{} : words($_[0]{verify}) } ],
    [ 'Seed',           sub { words($_[0]{seed}) } ],
    [ 'Reads came from', sub { words(hash($_[1]{reads})->{measured}) } ],
    [ 'Writes went to', sub { words(hash($_[1]{writes})->{measured}) } ],
    [ 'Device',         sub { words(hash($_[1]{device})->{name}) } ],
    [ 'Filesystem',     sub { words(hash($_[1]{device})->{filesystem}) } ],
    [ 'Mounted with',   sub { words(hash($_[1]{device})->{mount_options}) } ],
    [ 'Host',           sub { words(hash($_[1]{host})->{name}) } ],
    [ 'CPU',            sub { words(hash($_[1]{host})->{cpu_model}) } ],
    [ 'CPUs',           sub { words(hash($_[1]{host})->{cpus}) } ],
    [ 'RAM',            sub { size_of(hash($_[1]{host})->{ram_bytes}) } ],
    [ 'Kernel',         sub { words(hash($_[1]{host})->{kernel}) } ],
    [ 'C library',      sub { words(hash($_[1]{host})->{c_library}) } ],
    [ 'Program',        sub { words($_[1]{version}) } ],
);

sub load_settings_table {
    my @loads = @_;
    my @rows  = grep { my @words = @{$_}; 1 < grep {length} @words } map { my ($title, $show) = @{$_}; [ $title, map { $show->(hash($_->{settings}), $_) } @loads ] } @ROWS;
    my @heads = map { $_->name eq q{} ? 'Value' : shorten($_->name) } @loads;
    return plain_table({ caption => 'How the load was made', class => 'settings', titles => [ 'Setting', @heads ] }, @rows);
}

# Whether the calls of the load, and their sizes, are those of a profile (-good-for).
sub is_profile {
    my ($settings) = @_;
    return words($settings->{target}) eq 'profile';
}

sub words {
    my ($value) = @_;
    return text($value) // q{};
}

# JSON's true and false.
sub flag {
    my ($value) = @_;
    my $words = words($value);
    return $words eq q{} ? q{} : $words eq 'true' || $words eq '1' ? 'yes' : 'no';
}

sub size_of {
    my $bytes = number($_[0]);
    return defined $bytes ? bytes_text($bytes) : q{};
}

# "8 KiB", or "1 byte to 8 KiB"
sub size_words {
    my ($settings) = @_;
    my ($least, $most) = map { size_of($settings->{$_}) } qw(least_body_bytes most_body_bytes);
    return $least eq $most ? $most : "$least to $most";
}

# Of a search or sweep: from the smallest to the largest load that was made.
sub load_words {
    my ($load, $key) = @_;
    my $kind = hash(hash($load->{settings})->{$key});
    my $pace = words($kind->{pace});
    my @made = sort { $a <=> $b } grep {$_} map { number(hash(hash($_)->{$key})->{load}) } $load->steps;
    return 'after writes' if $pace eq 'follows';
    my $is_of_threads = $pace eq 'threads' || $load->is_of_threads;
    @made = grep {$_} number($kind->{ $is_of_threads ? 'threads' : 'per_second' }) if !@made;
    return q{} if !@made || !grep { $pace eq $_ } qw(threads rate);
    my ($least, $most) = map { rate_text($_) } @made[ 0, -1 ];
    return ($least eq $most ? q{} : "$least to ") . $most . (!$is_of_threads ? ' per second' : $most eq '1' ? ' thread' : ' threads');
}

1;
