# SPDX-License-Identifier: GPL-2.0-or-later
# What bonload -good-for says about a storage: the sentence at the top of the page, the figures
# against their limits, and the table of them.
package Bonnie::LoadVerdict;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use Bonnie::Chart      qw(bar panel panels points whisker);
use Bonnie::HtmlTable  qw(plain_table);
use Bonnie::Json       qw(hash list number text);
use Bonnie::LoadTables qw(latency_text rate_text);
use Bonnie::Plain      qw(few shorten);

our @EXPORT_OK = qw(load_verdict load_verdict_content);

# No report has more, whatever somebody has written into it.
my $MOST = 100;

# Of the requests asked for: of fewer the load was not made.
my $LEAST_MADE = 0.99;

# Of the line of a limit, in pixels.
my $TALL = 24;

# What a sentence says of the values of "durability".
my %DURABILITY = (
    'not_durable' => 'nothing written there survives a crash',
    'not_known'   => 'whether it survives a crash is not known',
);

# The worst verdict decides.
my @VERDICTS = qw(good not_known not_good);
my %RANK     = map { $VERDICTS[$_] => $_ } 0 .. $#VERDICTS;
my %LOOKS    = (good => 'better', not_known => 'unclear', not_good => 'worse');

sub profiles { return map { hash($_) } few($MOST, list(hash($_[0]{good_for})->{profiles})) }

sub word { return shorten(text($_[0]) // q{}) }

# A verdict as people read it.
sub verdict_word { return word($_[0]) =~ tr/_/ /r || 'without a verdict' }

# For each profile its verdict, with the figure that decides and its limit; nothing if none was judged.
sub load_verdict ($load) {
    my @words = map { profile_text($_) } profiles($load);
    my $asked = hash($load->{good_for});
    my $durability = $DURABILITY{ text($asked->{durability}) // q{} };
    push @words, "$durability (" . word($asked->{durability_of}) . ')' if defined $durability;
    return @words ? join '; ', @words : undef;
}

# "etcd: good, fdatasync p99 2.10 ms at 50 writes/s (limit 10 ms)".
sub profile_text ($profile) {
    my ($decider) = sort { $RANK{ $b->{verdict} } <=> $RANK{ $a->{verdict} } || $b->{part} <=> $a->{part} } grep { defined $_->{part} } figures_of($profile);
    my $more = (text($profile->{found}) // q{}) eq 'found' ? ', with up to ' . rate_text($profile->{found_per_second})
        . ' ' . word($profile->{requests}) . ' per second' : q{};
    my $verdict = word($profile->{name}) . ': ' . verdict_word($profile->{verdict});
    return $verdict . ($decider ? (length $decider->{why} ? ", because $decider->{why}: " : ', ')
        . "$decider->{what} $decider->{found}$decider->{interval} at $decider->{at} (limit $decider->{limit})" : q{}) . $more;
}

# What was judged at each load, or the durations there if nothing was. part: of the limit, if it is
# known; low and high: the parts between which it is for certain.
sub figures_of ($profile) {
    my @figures;
    for my $load (map { hash($_) } list($profile->{loads})) {
        my $rate   = number($load->{load_per_second});
        my $at     = $rate ? rate_text($rate) . ' ' . word($profile->{requests}) . '/s' : (number($load->{clients}) // 0) . ' clients';
        my $made   = !$rate || (number($load->{made_per_second}) // 0) >= $LEAST_MADE * $rate;
        my @judged = list($load->{judged});
        @judged = map { { what => $_->{name}, percentile => 99, count => $_->{count}, found_ns => $_->{p99_ns} } } map { hash($_) } list($load->{durations}) if !@judged;
        for my $judged (map { hash($_) } @judged) {
            my ($limit, $percentile) = map { number($judged->{$_}) } qw(limit_ns percentile);
            my $verdict  = word($judged->{verdict});
            my $is_known = $limit && defined $RANK{$verdict};
            my $what     = word($judged->{what}) . (($percentile // 0) < 100 ? " p$percentile" : ' max');
            my ($found, $low, $high) = map { latency_text($judged->{"${_}_ns"}, $limit) } qw(found low high);
            my @ends = $is_known && $percentile < 100 ? map { number($judged->{"${_}_ns"}) } qw(low high) : ();
            my $count    = number($judged->{count}) // 0;
            my $interval = !@ends ? q{} : $ends[0] ? $low . (defined $ends[1] ? " to $high" : ' or more') : defined $ends[1] ? "at most $high" : 'too few for an interval';
            my $why      = $verdict eq 'not_known' ? why_unknown($judged, $count, $made, $limit, @ends) : q{};
            push @figures, {
                what => $what, at => $at, found => $count ? $found : 'not seen', limit => latency_text($limit), verdict => $verdict,
                    why => $why, interval => $count && length $why && @ends ? " ($interval)" : q{},
                part => $is_known ? (number($judged->{found_ns}) // 0) / $limit : undef, ends => [ map { ($_ // 9**9**9) / $limit } @ends ],
                row => [ word($profile->{name}), join(': ', grep {length} verdict_word($verdict), $why), $what, $found, latency_text($limit), $interval, $at, rate_text($load->{made_per_second}), $count ],
            };
        }
    }
    return @figures;
}

# As the terminal says it. An interval that is too wide has the limit in it.
sub why_unknown ($judged, $count, $made, $limit, $low = undef, $high = undef) {
    return join ' and ', !$count ? 'none was seen' : $judged->{others_busy} ? 'the machine was busy'
        : defined $low && $low < $limit && ($high // $limit) >= $limit ? 'the interval includes the limit' : (), $made ? () : 'the load was not made';
}

# A bar for each figure, and all limits at the same place; and a table.
sub load_verdict_content {
    my @profiles = map { profiles($_) } @_;
    my @titles   = ('Profile', 'Verdict', 'What', 'Found', 'Limit', 'Interval', 'Load', 'Made/s', 'Number');
    return (panels('Each figure against its limit', ['The thin line is the interval of a percentile; each end holds with 95 % probability. Above twice the limit all is cut off, and the line ends in an arrow.'], map { verdict_panel($_) } @profiles),
        plain_table({ caption => 'What was judged, and by which limit', class => 'judged', titles => \@titles }, map { $_->{row} } map { figures_of($_) } @profiles));
}

sub verdict_panel ($profile) {
    my @figures = grep { defined $_->{part} } figures_of($profile) or return;
    my $axis    = { unit => 'latency', at => sub { $_[0] / 2 }, ticks => [ [ 0, '0' ], [ 1, 'limit' ], [ 2, 'twice the limit' ] ] };
    return panel(word($profile->{name}) . ': ' . verdict_word($profile->{verdict}), axis => $axis, rows => [ map { verdict_row($axis, $_) } @figures ]);
}

sub verdict_row ($axis, $figure) {
    my ($limit, @ends) = map { $axis->{at}->($_) } 1, @{ $figure->{ends} };
    return {
        label => "$figure->{what} at $figure->{at}",
        shown => "$figure->{found}, limit $figure->{limit}",
        marks => [ bar($LOOKS{ $figure->{verdict} }, 0, $axis->{at}->($figure->{part})), points('range', $TALL, [ [$limit] ]),
            @ends ? whisker('range', @ends) : () ],
    };
}

1;
