# SPDX-License-Identifier: GPL-2.0-or-later
# What bonload -good-for says about a storage: the sentence at the top of the page, and the table of
# what was judged.
package Bonnie::LoadVerdict;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::HtmlTable  qw(row_of row_title head_cell cell scrolling_table);
use Bonnie::Json       qw(hash list number text);
use Bonnie::LoadTables qw(latency_text rate_text);
use Bonnie::Plain      qw(shorten);

our @EXPORT_OK = qw(load_verdict load_verdict_table);

my $MAX_TEXT = 60;

# No report has more, whatever somebody has written into it.
my $MOST = 100;

# What a sentence says of the values of "durability".
my %DURABILITY = (
    'none'      => 'nothing written there survives a crash',
    'not known' => 'whether it survives a crash is not known',
);

sub profiles {
    my ($load) = @_;
    my @profiles = map { hash($_) } list(hash($load->{good_for})->{profiles});
    return @profiles > $MOST ? @profiles[ 0 .. $MOST - 1 ] : @profiles;
}

sub word { return shorten(text($_[0]) // q{}, $MAX_TEXT) }

# "etcd: good", for each profile; nothing if no profile was judged.
sub load_verdict {
    my ($load) = @_;
    my @words = map { word($_->{name}) . ': ' . word($_->{verdict}) . more_text($_) } profiles($load);
    my $asked = hash($load->{good_for});
    my $durability = $DURABILITY{ text($asked->{durability}) // q{} };
    push @words, "$durability (" . word($asked->{durability_of}) . ')' if defined $durability;
    return @words ? join '; ', @words : undef;
}

sub more_text {
    my ($profile) = @_;
    return (text($profile->{search}) // q{}) eq 'load' ? ', with up to ' . rate_text($profile->{most_per_second}) . ' ' . word($profile->{requests}) . ' per second' : q{};
}

# A row for each thing that was judged, or that a limit would let it judge.
sub load_verdict_table {
    my @loads = @_;
    my @rows  = map { profile_rows($_) } map { profiles($_) } @loads;
    return if !@rows;
    my @titles = ('Profile', 'Load', 'Achieved/s', 'What', 'Number', 'Found', 'Interval', 'Limit', 'Verdict');
    return scrolling_table(caption => 'What was judged, and by which limit', head => [ row_of(map { head_cell($_) } @titles) ], rows => \@rows);
}

sub profile_rows {
    my ($profile) = @_;
    my @rows;
    for my $at (map { hash($_) } list($profile->{loads})) {
        my $rate = number($at->{load_per_second});
        my @head = (row_title(word($profile->{name})), cell($rate ? rate_text($rate) . '/s' : (number($at->{clients}) // 0) . ' clients'), cell(rate_text($at->{achieved_per_second})));
        my @judged = map { hash($_) } list($at->{judged});
        push @rows, map { row_of(@head, judged_cells($_)) } @judged;
        push @rows, map { row_of(@head, duration_cells($_)) } map { hash($_) } list($at->{durations}) if !@judged;
    }
    return @rows;
}

sub judged_cells {
    my ($judged) = @_;
    my $percentile = number($judged->{percentile}) // 0;
    my ($found, $low, $high) = map { latency_text($judged->{$_}, $judged->{limit_ns}) } qw(found_ns low_ns high_ns);
    my $interval = $low . (number($judged->{high_ns}) ? " to $high" : ' or more');
    return (cell(word($judged->{what}) . ($percentile < 100 ? " p$percentile" : ', longest')), cell(number($judged->{count}) // 0),
        cell($found), cell($percentile < 100 ? $interval : q{}), cell(latency_text($judged->{limit_ns})), cell(word($judged->{verdict}) . ($judged->{withheld} ? ': the machine was busy' : q{})));
}

sub duration_cells {
    my ($duration) = @_;
    return (cell(word($duration->{name}) . ' p99'), cell(number($duration->{count}) // 0), cell(latency_text($duration->{p99_ns})), cell(q{}), cell(q{}), cell('no verdict'));
}

1;
