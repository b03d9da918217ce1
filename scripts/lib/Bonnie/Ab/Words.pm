# SPDX-License-Identifier: GPL-2.0-or-later
# The findings of a campaign (see Report.pm), in words and as a table.
package Bonnie::Ab::Words;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max min);
use Bonnie::Json       qw(hash);
use Bonnie::PairTest   ();
use Bonnie::Plain qw(ascii_units shorten wrapped);
use Bonnie::Statistics qw(median);
use Bonnie::Units qw(beside bytes_text counted figure_text);

our @EXPORT_OK = qw(change_text duration_text interval_text margin_text metric_figure noise_figure plain_report result_sentence verdict_text);

# A list of more names is replaced by their number.
my $MOST_NAMES = 3;

my $MAX_NAME = 40;

# Of a column of figures.
my $LEAST_WIDE = 10;

# In bytes: a command that moves less beside another did nothing.
my $NOTHING = 2**20;

# @excluded: percentages that it must not read like, see Units.pm.
sub percent ($ratio, @excluded) {
    my $percent = 100 * ($ratio - 1);
    my $digits  = abs $percent < 999.5 ? beside(abs $percent, abs $percent < 99.95 ? 1 : 0, @excluded) : 0 + sprintf '%.3g', abs $percent;
    return ($percent < 0 && $digits > 0 ? q{-} : q{+}) . "$digits %";
}

# What the verdict excludes: no difference, or one of the margin.
sub excluded_by ($report, $metric) {
    my $verdict = $metric->{verdict} // 'not_known';
    return $verdict eq 'not_known' ? () : $verdict eq 'no_difference' ? $report->{settings}{margin_percent} : 0;
}

sub change_text ($report, $metric) {
    return defined $metric->{ratio} ? percent($metric->{ratio}, excluded_by($report, $metric)) : q{};
}

# "+4.1 to +6.3 %". Omits an end that is unknown.
sub interval_text ($report, $metric) {
    my ($low, $high) = map { defined ? percent($_, excluded_by($report, $metric)) : undef } @{ $metric->{interval} // [] };
    return 'nothing known'        if !defined $low && !defined $high;
    return "at most $high"        if !defined $low;
    return "at least $low"        if !defined $high;
    return $low =~ s/ %//r . " to $high";
}

sub margin_text ($report) { return sprintf '%.4g %%', $report->{settings}{margin_percent} }

sub verdict_text ($report, $metric) {
    return 'no difference of ' . margin_text($report) if $metric->{verdict} eq 'no_difference';
    return $metric->{verdict} =~ tr/_/ /r;
}

# Which side's requests failed, where the sides differ; undef: they do not. Said before any speed,
# because failing may be faster than succeeding.
sub failures_sentence ($report) {
    my @shares = map { my $side = $_; $side->{asked} ? 100 * $side->{errors} / $side->{asked} : 0 } map { $report->{requests}{$_} // {} } qw(a b);
    my ($of_a, $of_b) = map { sprintf '%.3g %%', $_ } @shares;
    return if $of_a eq $of_b;
    return "Of the requests of $report->{settings}{name_b} $of_b failed, of those of $report->{settings}{name_a} $of_a; rates are of those that succeeded.";
}

# The whole result in one sentence, or two.
sub result_sentence ($report) {
    return join q{ }, failures_sentence($report) // (), speeds_sentence($report);
}

sub speeds_sentence ($report) {
    my ($name_a, $name_b) = @{ $report->{settings} }{qw(name_a name_b)};
    my @judged = grep { $_->{judged} } @{ $report->{metrics} };
    return "Nothing is known of $name_a and $name_b: no pair was measured." if !@judged;
    my %of;
    push @{ $of{ $_->{verdict} } }, $_ for @judged;
    my $than  = " than $name_a";
    my @differ;
    for my $word (grep { $of{$_} } qw(faster better slower worse)) {
        push @differ, "$word$than in " . names_text($report, 1, @{ $of{$word} });
        $than = q{};
    }
    my @parts;
    push @parts, "$name_b is " . join(' and ', @differ) if @differ;
    push @parts, ($of{no_difference} && !@differ ? "$name_a and $name_b have " : q{})
        . 'no difference of ' . margin_text($report) . ' or more in ' . names_text($report, @judged == 1, @{ $of{no_difference} }) if $of{no_difference};
    push @parts, (@parts ? 'not known: ' : "It is not known whether $name_a and $name_b differ in ")
        . names_text($report, @judged == 1, @{ $of{not_known} }) . ': ' . why_not_known($report, @{ $of{not_known} }) if $of{not_known};
    return join('; ', @parts) . q{.};
}

sub good_pairs ($report) { return scalar grep { !defined $_->{failed} } @{ $report->{pairs} } }

# How many pairs it takes at least, if there are fewer.
sub least_pairs ($report) {
    my $least = Bonnie::PairTest::fewest_pairs($report->{settings}{alpha} / (2 * grep { $_->{judged} } @{ $report->{metrics} }));
    return good_pairs($report) < $least ? $least : undef;
}

sub why_not_known ($report, @metrics) {
    my ($pairs, $least) = (good_pairs($report), least_pairs($report));
    return counted($pairs, 'pair') . ($pairs == 1 ? ' was' : ' were') . " measured, at least $least are needed" if $least;
    return "$pairs pairs that scatter by " . noise_range(@metrics) . ' % are too few';
}

sub names_text ($report, $with_figures, @metrics) {
    return @metrics . ' metrics' if @metrics > $MOST_NAMES && !$with_figures;
    my @names = map { shorten($_->{name}, $MAX_NAME) . ($with_figures ? ' (' . change_text($report, $_) . ')' : q{}) } @metrics;
    @names = (@names[ 0 .. $MOST_NAMES - 1 ], @names - $MOST_NAMES . ' more') if @names > $MOST_NAMES;
    my $last = pop @names;
    return @names ? join(', ', @names) . " and $last" : $last;
}

sub metric_figure ($metric, $side) {
    my $value = $metric->{"median_$side"} // return q{-};
    return sprintf '%.4g', $value if !defined $metric->{unit};
    return figure_text($value, $metric->{unit}, max(map { $_ // 0 } @{$metric}{qw(median_a median_b)}));
}

# "1 min 20 s"
sub duration_text ($seconds) {
    return sprintf '%.0f s', $seconds if $seconds < 59.5;
    return sprintf '%d min %d s', $seconds / 60, $seconds % 60 if $seconds < 600;
    return sprintf '%.0f min', $seconds / 60 if $seconds < 5970;
    return sprintf '%.1f h', $seconds / 3600;
}

# "3 to 9 more pairs, 1 to 3 min"; empty without a forecast.
sub forecast_text ($report) {
    my $forecast = $report->{forecast} or return q{};
    my ($few, $many) = @{ $forecast->{pairs} };
    my ($short, $long) = map { defined ? duration_text($_) : undef } @{ $forecast->{seconds} };
    return "$few or more pairs, from $short on, probably more than are left" if !defined $many;
    return $few == $many ? "about $few more pairs, $short" : "$few to $many more pairs, $short to $long";
}

sub plain_report ($report) {
    my @judged = grep { $_->{judged} } @{ $report->{metrics} };
    my @tails  = shown_tails($report->{metrics}, @judged);
    my $good   = good_pairs($report);
    my $bad    = @{ $report->{pairs} } - $good;
    my $pairs  = counted($good, 'pair') . ($bad ? " ($bad left out)" : q{});
    my $wide   = max($LEAST_WIDE, map { my $metric = $_; map { length metric_figure($metric, $_) } qw(a b) } @judged, @tails);
    my @lines  = (failures_sentence($report) // (), speeds_sentence($report), q{});
    push @lines, table($report, $wide, @judged) if @judged;
    my $is_over = $report->{elapsed_seconds} >= ($report->{settings}{time_seconds} // 9**9**9) + 1;
    push @lines, "$pairs in " . duration_text($report->{elapsed_seconds}) . ($is_over ? ', more than --time: a pair that has begun is not cut' : q{}) . "; --seed=$report->{settings}{seed}";
    push @lines, "The change is the median of the pairs' ratios, and need not be that of the columns."
        if grep { $_->{ratio} && abs($_->{median_b} / $_->{median_a} / $_->{ratio} - 1) >= .01 } @judged;
    my $noise = noise_range(@judged);
    my $is_told = @judged && !least_pairs($report) && !grep { $_->{verdict} ne 'not_known' } @judged; # by the first sentence
    push @lines, "Noise: pairs scatter by $noise %." if defined $noise && !$is_told;
    push @lines, 'To know the rest: ' . forecast_text($report) . q{.} if $report->{forecast};
    push @lines, q{}, 'Latencies, not judged', map { row($report, $wide, $_) } @tails if @tails;
    my @beside = grep { defined $report->{settings}{"beside_$_"} } qw(a b);
    push @lines, q{}, map { beside_text($report, $_) } @beside if @beside;
    push @lines, control_text($report);
    push @lines, q{}, map { ucfirst "$_." } @{ $report->{notes} } if @{ $report->{notes} };
    return join q{}, map { ascii_units(wrapped(s/ +\z//r)) . "\n" } @lines;
}

# Chooses one latency for each judged rate: the 99th percentile, or the longest.
sub shown_tails ($metrics, @judged) {
    my %metric = map { $_->{name} => $_ } @{$metrics};
    return grep { !$_->{judged} } map { $metric{"$_->{name}.p99"} // $metric{"$_->{name}.max"} // () } grep { $_->{more_is_better} } @judged;
}

# The figures of both sides have columns of one width.
my $ROW = '%-15s %*s %*s %8s  %-17s %s';

sub table ($report, $wide, @metrics) {
    my $sure = sprintf '%.4g %% interval', 100 * (1 - $report->{settings}{alpha});
    return (
        sprintf($ROW, q{}, (map { ($wide, shorten($report->{settings}{"name_$_"}, $wide)) } qw(a b)), 'change', $sure, q{}),
        (map { row($report, $wide, $_) } @metrics),
    );
}

sub row ($report, $wide, $metric) {
    my @words = $metric->{judged} ? (interval_text($report, $metric), verdict_text($report, $metric) =~ s/difference\K .*//r) : (q{}, q{}); # the answer has the margin
    return sprintf $ROW, $metric->{name}, (map { ($wide, metric_figure($metric, $_)) } qw(a b)), change_text($report, $metric), @words;
}

# "3.1 to 12"; undef: there are fewer than two pairs.
sub noise_range (@metrics) {
    my @noise = map { $_->{noise_percent} // () } @metrics or return;
    my ($least, $most) = map { noise_figure($_) } min(@noise), max(@noise);
    return $least eq $most ? $most : "$least to $most";
}

sub noise_figure ($percent) { return sprintf $percent < 99.5 ? '%.2g' : '%.0f', $percent }

# What the command beside one side did, in the median of its runs.
sub beside_text ($report, $side) {
    my $name = $report->{settings}{"name_$side"};
    my @runs = map { hash(hash($_->{beside})->{$side}) } grep { !defined $_->{failed} } @{ $report->{pairs} } or return;
    my ($read, $written) = map { my $key = $_; [ map { $_->{$key} // () } @runs ] } qw(read_bytes written_bytes);
    return "Beside $name: how much the command there did is not known." if !@{$read};
    my @bytes = map { median(@{$_}) } $read, $written;
    my %figures = map { my $run = $_; map { ($_ => 1) } keys %{ hash($run->{figures}) } } @runs;
    my @shown = map { my $key = $_; sprintf '%s %.4g', shorten($key, $MAX_NAME), median(map { hash($_->{figures})->{$key} // () } @runs) } sort keys %figures;
    return "Beside $name: in the median run the command there read " . bytes_text($bytes[0]) . ' from storage and wrote ' . bytes_text($bytes[1])
        . (@shown ? '; it reports ' . join ', ', @shown[ 0 .. min($#shown, $MOST_NAMES - 1) ] : q{})
        . ($bytes[0] + $bytes[1] < $NOTHING && !@shown ? ', which is next to nothing.' : q{.});
}

sub control_text ($report) {
    my @good = grep { !defined $_->{failed} } @{ $report->{control} };
    my @lines;
    for my $metric (grep { $_->{judged} } @{ $report->{metrics} }) {
        my @ratios = sort { $a <=> $b } map { $_->{b}{ $metric->{name} } / $_->{a}{ $metric->{name} } }
            grep { $_->{a}{ $metric->{name} } && $_->{b}{ $metric->{name} } } @good or next;
        push @lines, sprintf '%-15s %s to %s', $metric->{name}, percent($ratios[0]) =~ s/ %//r, percent($ratios[-1]);
    }
    return @lines ? (q{}, 'Control, ' . counted(scalar @good, 'pair') . " of $report->{settings}{name_a} against itself, from the least to the largest:", @lines) : ();
}

1;
