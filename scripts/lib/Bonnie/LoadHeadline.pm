# SPDX-License-Identifier: GPL-2.0-or-later
# The top of the page of a load: its result in a sentence, and where and when
# it was measured.
package Bonnie::LoadHeadline;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max uniq);
use Bonnie::Document   qw(machine_text measured_text tail_and_figures);
use Bonnie::HostCharts qw(load_hosts ranks_text slow_host);
use Bonnie::Json       qw(hash number slowest_operations text);
use Bonnie::Load       qw(amount);
use Bonnie::LoadTables qw(latency_text rate_text);
use Bonnie::LoadVerdict qw(load_verdict);
use Bonnie::Plain      qw(shorten);
use Bonnie::Units      qw(counted grouped);

our @EXPORT_OK = qw(load_facts load_headline load_machine load_title);

my $MAX_WORDS = 400;

# Of more loads nothing is said at the top.
my $MOST_TOLD = 4;

# What was measured: the disk, and where on it: not how the names are made.
sub load_title (@loads) {
    my @where = uniq map { where_text($_) } @loads;
    my ($hosts) = sort { @{$b} <=> @{$a} } map { [ map { { ranks => number(hash($_)->{ranks}) } } $_->hosts ] } @loads;
    return join ', ', @where == 1 ? $where[0] : @loads . ' loads', ranks_text(@{$hosts});
}

sub where_text ($load) {
    my $storage = join ' on ', map { text(hash($load->{storage})->{$_}) // () } qw(filesystem device);
    my $names   = text(hash($load->{settings})->{s3_bucket}) // $load->address =~ s{(?:\A|/)[^/]*(?:XX|NN|RR).*}{}rs;
    return join(', ', grep {length} shorten($names), $storage) || shorten($load->address);
}

# What the terminal says of each load, in a sentence.
sub load_headline (@loads) {
    my %told  = (search => \&of_search, sweep => \&of_sweep);
    my @words;
    for my $load (@loads > $MOST_TOLD ? () : @loads) {
        my $words = load_verdict($load) // join('. ', tail_and_figures(of_tail($load), ($told{ $load->mode } // \&of_load)->($load)));
        $words = join '; ', grep {length} $words, slow_words($load);
        push @words, (@loads > 1 ? $load->name . ": \l$words" : $words) . q{.} if length $words;
    }
    return @words ? "@words" : undef;
}

# "node3 is slow: its mean latency of reads is 3.1 times that of the other hosts"
sub slow_words ($load) {
    my ($name, $times, $kind) = slow_host(map { my $kind = $_; [ lc $kind->{title}, map { { %{$_}, value => 1 / $_->{value} } } load_hosts($kind) ] } $load->kinds) or return;
    return sprintf '%s is slow: its mean latency of %s is %.3g times that of the other hosts', $name, $kind, $times;
}

# What others did meanwhile, in the words of the terminal: of the loads beside which the machine was
# busy, or of the others.
sub load_machine ($is_busy, @loads) {
    my @words;
    for my $load (@loads) {
        my $machine = hash($load->{machine});
        my $words   = text($machine->{words}) // next;
        push @words, join ': ', grep {length} $load->name, machine_text(shorten($words, $MAX_WORDS)) if !$machine->{busy} == !$is_busy;
    }
    return @words ? "@words" : undef;
}

# What the slowest requests waited for.
sub of_tail ($load) {
    my (@told, $unknown);
    for my $kind ($load->kinds) {
        my $slowest = slowest_operations(hash($kind->{figures}{tail})) // next;
        push @told, "$kind->{title}: " . shorten($slowest->{sentence} =~ s/[.]\z//r, $MAX_WORDS) . (length $slowest->{note} ? '. Not everything can be seen' : q{});
        $unknown = max($unknown // 0, $slowest->{percent}{unknown} // 0);
    }
    return @told ? { words => join('. ', @told), unknown => $unknown } : undef;
}

sub of_load ($load) {
    my @parts;
    for my $kind ($load->kinds) {
        my $figures = $kind->{figures};
        next if !number($figures->{made}) && !number($figures->{errors});
        my ($p99, $max) = @{ hash($figures->{latency_ns}) }{qw(p99 max)};
        my $cost = number($p99) ? 'with a p99 latency of ' . latency_text($p99) : number($max) ? 'with a max latency of ' . latency_text($max) : 'without success';
        push @parts, rate_text($figures->{made_per_second}) . q{ } . lc($kind->{title}) . " per second $cost" . note_text($load, $kind->{key}, $figures);
    }
    return @parts ? 'The load made ' . join(' and ', @parts) : undef;
}

# What of the load was not made, failed, or began later than it was due, and where it came from or
# went to. $key: writes or reads.
sub note_text ($load, $key, $figures) {
    my ($asked, $errors, $late, $made, $rate) = map { number($_) // 0 } @{$figures}{qw(asked errors late made_per_second asked_per_second)};
    my @words = (!$load->is_made($made, $rate) ? 'of ' . rate_text($rate) . ' asked' : (), $errors ? counted($errors, 'error') : (),
        $late ? grouped($late) . ' of ' . grouped($asked) . ' late' : ());
    my %limit = ('page cache' => ($key eq 'writes' ? 'to' : 'from') . ' the page cache, at least in part', others => 'others used the device, too');
    my $words = join '; ', @words, $limit{ text($figures->{limited_by}) // q{} } // ();
    return length $words ? " ($words)" : q{};
}

sub of_search ($load) {
    my $settings = hash($load->{settings});
    my $unit   = $load->is_of_threads ? ' threads' : ' requests per second';
    my $of     = text($settings->{max_latency_of}) // 'mean';
    my $below  = latency_text($settings->{max_latency_ns});
    my @parts;
    for my $kind (grep { text($_->{figures}{found}) } $load->kinds) {
        my $found   = amount($kind->{figures}, 'found');
        my $most    = (rate_text($found) . $unit) =~ s/\A1 threads\z/1 thread/r;
        my $latency = "$of latency of " . lc $kind->{title};
        my %words   = (
            found  => "the $latency stays below $below with up to $most",
            most   => "the $latency stays below $below even with $most",
            unsure => $found ? "the $latency stays below $below up to at least $most" : "no load is known to keep the $latency below $below",
        );
        my $answer = text($kind->{figures}{found}) // q{};
        my $reason = join '; ', grep {length} $answer eq 'unsure' && !$load->confirmed ? 'not confirmed' : (), shorten(text($kind->{figures}{found_reason}) // q{});
        push @parts, ($words{$answer} // "no load keeps the $latency below $below") . ($reason eq q{} ? q{} : " ($reason)");
    }
    return @parts ? ucfirst join '; ', @parts : undef;
}

# Up to which load latency stays flat, and what it is from there on.
sub of_sweep ($load) {
    my @parts;
    for my $kind ($load->kinds) {
        my ($flat, $rest) = $load->flat_part($kind->{key});
        next if @{$flat} + @{$rest} < 2;
        my $words = lc $kind->{title};
        my @told  = map { 'at ' . rate_text($_->{load}) . ' p99 is ' . (defined $_->{p99} ? latency_text($_->{p99}) : 'not known')
            . ($_->{is_made} ? q{} : ', and only ' . rate_text($_->{made}) . ' are made') } @{$rest} > 1 ? @{$rest}[ 0, -1 ] : @{$rest};
        unshift @told, @{$flat} ? "the p99 latency of $words stays at or below " . latency_text(max(map { $_->{p99} } @{$flat})) . ' up to ' . rate_text($flat->[-1]{load}) . ' per second' . (@told ? q{} : ', the highest load')
            : $rest->[0]{is_made} ? () : "not even the smallest load of $words is made";
        push @parts, join '; ', @told;
    }
    return @parts ? ucfirst join '; ', @parts : undef;
}

# Facts of a load report; nothing if there is none.
sub load_facts (@loads) {
    return join q{ }, measured_text([ map { text(hash($_->{host})->{name}) } @loads ], [ map { text($_->{start_time}) } @loads ]), load_machine(0, @loads) // ();
}

1;
