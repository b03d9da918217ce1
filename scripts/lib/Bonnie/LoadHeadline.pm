# SPDX-License-Identifier: GPL-2.0-or-later
# The top of the page of a load: its result in one sentence, and where and when
# it was measured.
package Bonnie::LoadHeadline;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(maxstr minstr uniq);
use Bonnie::Json       qw(hash number text);
use Bonnie::LoadTables qw(latency_text rate_text);
use Bonnie::LoadVerdict qw(load_verdict);
use Bonnie::Plain      qw(shorten);

our @EXPORT_OK = qw(load_headline load_facts);

my $MAX_TEXT  = 60;
my $MAX_WORDS = 400;

# One sentence on a single load, or nothing.
sub load_headline {
    my @loads = @_;
    return if @loads != 1;
    my ($load) = @loads;
    my %told   = (search => \&of_search, sweep => \&of_sweep);
    my $words  = load_verdict($load) // ($told{ $load->mode } // \&of_load)->($load);
    return defined $words ? "$words." . machine_text($load) : undef;
}

# What others did meanwhile, in the words of the terminal.
sub machine_text {
    my ($load) = @_;
    my $words = text(hash($load->{machine})->{words}) // return q{};
    return ' Machine: ' . shorten($words, $MAX_WORDS) . q{.};
}

sub of_load {
    my ($load) = @_;
    my @parts;
    for my $kind ($load->kinds) {
        my $figures = $kind->{figures};
        next if !number($figures->{requests});
        my $p99  = hash($figures->{latency_ns})->{p99};
        my $cost = number($p99) ? 'with a p99 latency of ' . latency_text($p99) : 'without success';
        push @parts, rate_text(good_rate($figures)) . q{ } . lc($kind->{title}) . " per second $cost" . errors_text($figures->{errors}) . memory_text($kind->{key}, $figures->{measured});
    }
    return @parts ? 'The load made ' . join(' and ', @parts) : undef;
}

# The rate without requests that failed.
sub good_rate {
    my ($figures) = @_;
    my ($rate, $requests, $errors) = map { number($_) // 0 } @{$figures}{qw(achieved_per_second requests errors)};
    return $requests ? $rate * ($requests - $errors) / $requests : 0;
}

# $key: writes or reads.
sub memory_text {
    my ($key, $measured) = @_;
    my $words = text($measured) // q{};
    return ' (in memory, not on a device)' if $words eq 'memory';
    return $words eq 'page cache' ? ($key eq 'writes' ? ' (to' : ' (from') . ' the page cache, at least in part)' : q{};
}

sub errors_text {
    my $errors = number($_[0]) or return q{};
    return $errors == 1 ? ' (1 error)' : " ($errors errors)";
}

sub of_search {
    my ($load) = @_;
    my $limit  = $load->limit;
    my $unit   = (text($limit->{search}) // q{}) eq 'threads' ? ' threads' : ' requests per second';
    my $below  = latency_text($limit->{nanoseconds});
    my @parts;
    for my $kind (grep { text($_->{figures}{found}) } $load->kinds) {
        my $most    = (rate_text($kind->{figures}{found_load}) . $unit) =~ s/\A1 threads\z/1 thread/r;
        my $latency = latency_name(text($limit->{of})) . ' of ' . lc $kind->{title};
        my %words   = (
            found  => "the $latency stays below $below with up to $most",
            most   => "the $latency stays below $below even with $most",
            unsure => $kind->{figures}{found_load} ? "the $latency stays below $below with $most or more" : "no load is known to keep the $latency below $below",
        );
        my $reason = shorten(text($kind->{figures}{found_reason}) // q{}, $MAX_TEXT);
        push @parts, ($words{ text($kind->{figures}{found}) } // "no load keeps the $latency below $below") . ($reason eq q{} ? q{} : " ($reason)");
    }
    return @parts ? ucfirst join '; ', @parts : undef;
}

sub latency_name {
    my ($of) = map { $_ // 'mean' } @_;
    return $of eq 'max' ? 'longest latency' : "$of latency";
}

sub of_sweep {
    my ($load) = @_;
    my @parts;
    for my $kind ($load->kinds) {
        my @steps = grep { number($_->{load}) } map { hash(hash($_)->{ $kind->{key} }) } $load->steps;
        next if @steps < 2;
        my ($first, $last) = map { [ rate_text($_->{load}), latency_text(hash($_->{latency_ns})->{p99}) ] } @steps[ 0, -1 ];
        push @parts, "the p99 latency of $first->[0] " . lc($kind->{title}) . " per second is $first->[1], and that of $last->[0] is $last->[1]";
    }
    return @parts ? ucfirst join '; ', @parts : undef;
}

# Facts of a load report; nothing if there is none.
sub load_facts {
    my @loads = @_;
    my @hosts = uniq(grep {defined} map { text(hash($_->{host})->{name}) } @loads);
    my @times = grep {defined} map { text($_->{start_time}) } @loads;
    my $where = @hosts == 1 ? ' on ' . shorten($hosts[0], $MAX_TEXT) : @hosts ? ' on ' . @hosts . ' hosts' : q{};
    my @when  = map { shorten(tr/TZ/ /dr, $MAX_TEXT) } @times ? (uniq minstr(@times), maxstr(@times)) : ();
    return $where eq q{} && !@when ? () : "Measured$where" . (@when ? ', ' . join(' to ', @when) . ' UTC' : q{}) . q{.};
}

1;
