# SPDX-License-Identifier: GPL-2.0-or-later
# The findings of a campaign as plain data, which are the same whether they come
# from the campaign or from its JSON. Text, JSON and page are made of them.
# share/bon_ab.schema.json describes them.
package Bonnie::Ab::Report;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use Bonnie::Ab::Result qw(is_campaign);
use Bonnie::Ab::Words  qw(result_sentence);
use Bonnie::Envelope    qw(envelope json_bool);
use Bonnie::Json       qw(hash list number text version_fault);
use Bonnie::Plain      qw(plain_text);
use Bonnie::Statistics qw(median);

our @EXPORT_OK = qw(exit_status kept_of report_of same_campaign);

# The settings that must not change when a campaign is continued.
my @SAME = qw(command_a command_b prepare_a prepare_b beside_a beside_b settle_seconds name_a name_b alpha margin_percent metrics ignore_failure);

# $failure: words, or undef.
sub report_of ($campaign, $failure = undef) {
    my @judges  = @{ $campaign->{judges} };
    my %judged  = map { $_->metric->{name} => 1 } @judges;
    my @pairs   = grep { !defined $_->{failed} } @{ $campaign->{pairs} };
    my $known   = $campaign->{known_as};
    my @others  = grep { !$judged{$_} } sort { $known->{$a}{place} <=> $known->{$b}{place} } keys %{$known};
    my %report  = (
        envelope(start_time => $campaign->{start_time}, elapsed_seconds => $campaign->{elapsed} || $campaign->seconds),
        ended_by        => $campaign->{ended} // 'running',
        failure         => $failure,
        settings        => settings($campaign->{plan}),
        metrics         => [ (map { judged_metric($campaign, $_) } @judges), map { shown_metric($known->{$_}, @pairs) } @others ],
        reported        => $campaign->{settings},
        requests        => $campaign->{requests},
        pairs           => $campaign->{pairs},
        control         => $campaign->{control},
        notes           => $campaign->{told},
        forecast        => scalar forecast($campaign),
    );
    $report{reason}  = result_sentence(\%report);
    $report{verdict} = verdict(map { $_->{verdict} } grep { $_->{judged} } @{ $report{metrics} });
    return \%report;
}

sub settings ($plan) {
    return {
        (map { my $side = $_; ("name_$side" => $plan->{name}{$side}, map { $_ . "_$side" => command_text($plan->{$_}{$side}) } qw(command prepare beside)) } qw(a b)),
        (map { $_ => $plan->{$_} } qw(alpha seed warmup control)),
        restore         => command_text($plan->{restore}),
        (map { $_ => json_bool($plan->{$_}) } qw(ignore_failure settings_may_change)),
        metrics         => [ map { $_->{text} // $_->{name} } @{ $plan->{metrics} } ],
        margin_percent  => $plan->{margin},
        pairs           => $plan->{pairs},
        settle_seconds  => $plan->{settle},
        time_seconds    => $plan->{time},
        timeout_seconds => $plan->{timeout},
    };
}

sub command_text ($command) {
    my $bytes = ref $command ? join q{ }, map { /\A[\w\/.,:=+@%-]+\z/a ? $_ : q{'} . s/'/'\\''/gr . q{'} } @{$command} : $command;
    return defined $bytes ? plain_text($bytes) : undef;
}

sub judged_metric ($campaign, $judge) {
    my $metric = $judge->metric;
    my $noise  = $judge->noise;
    return {
        common($metric),
        judged        => json_bool(1),
        verdict       => $judge->word,
        median_a      => $judge->median_of('a'),
        median_b      => $judge->median_of('b'),
        ratio         => scalar $judge->ratio,
        interval      => [ $judge->pairs ? $judge->interval : (undef, undef) ],
        noise_percent => defined $noise ? 100 * $noise : undef,
        course        => $campaign->{course}{ $metric->{name} } // [],
    };
}

sub common ($metric) {
    return (name => $metric->{name}, unit => $metric->{unit}, more_is_better => json_bool($metric->{more}), is_speed => json_bool($metric->{speed}));
}

# A metric that is not judged has no verdict, and no interval that looks like one.
sub shown_metric ($metric, @pairs) {
    my @both = grep { ($_->{a}{ $metric->{name} } // 0) > 0 && ($_->{b}{ $metric->{name} } // 0) > 0 } @pairs or return;
    my %values = map { my $side = $_; $side => [ map { $_->{$side}{ $metric->{name} } } @both ] } qw(a b);
    my @ratios = map { $_->{b}{ $metric->{name} } / $_->{a}{ $metric->{name} } } @both;
    return { common($metric), judged => json_bool(0), median_a => median(@{ $values{a} }), median_b => median(@{ $values{b} }), ratio => median(@ratios) };
}

sub forecast ($campaign) {
    return if $campaign->is_known;
    my ($fewest, $most) = $campaign->forecast or return;
    my $seconds = $campaign->pair_seconds;
    return { pairs => [ $fewest, $most ], seconds => [ map { defined ? $_ * $seconds : undef } $fewest, $most ] };
}

# The verdict of all, from those of the metrics: the worst that is known decides.
sub verdict {
    my %has = map { $_ => 1 } @_;
    return $has{slower} ? 'slower' : 'worse' if $has{slower} || $has{worse};
    return 'not_known' if !@_ || $has{not_known};
    return $has{faster} ? 'faster' : $has{better} ? 'better' : 'no_difference';
}

# A failure comes before all verdicts.
sub exit_status ($report) {
    return defined $report->{failure} ? 1 : { slower => 2, worse => 2, not_known => 3 }->{ $report->{verdict} } // 0;
}

# What Campaign.pm takes over from such a report. Dies if somebody has changed the report.
sub kept_of ($json) {
    die "its format is not known\n" if !is_campaign($json) || defined version_fault($json);
    my %known;
    for my $metric (map { hash($_) } list($json->{metrics})) {
        my ($name, $more) = (text($metric->{name}), number($metric->{more_is_better}));
        die "a metric without a name\n" if !defined $name || !defined $more;
        $known{$name} = { name => $name, unit => text($metric->{unit}), more => $more,
            speed => number($metric->{is_speed}) ? 1 : 0, judged => number($metric->{judged}) ? 1 : 0, place => scalar keys %known };
    }
    return {
        known_as   => \%known,
        elapsed    => number($json->{elapsed_seconds}) // 0,
        start_time => text($json->{start_time}) // q{},
        pairs      => [ map { kept_pair(hash($_), \%known, 1) } list($json->{pairs}) ],
        control    => [ map { kept_pair(hash($_), \%known, 0) } list($json->{control}) ],
        seed       => number(hash($json->{settings})->{seed}),
        requests   => { map { my $side = hash(hash($json->{requests})->{$_}); $_ => { map { $_ => number($side->{$_}) // 0 } qw(asked errors) } } qw(a b) },
        reported   => { map { $_ => hash(hash($json->{reported})->{$_}) } grep { ref hash($json->{reported})->{$_} } qw(a b) },
    };
}

# $counts: it is no control pair, which may be there before any metric is known.
sub kept_pair ($pair, $known, $counts) {
    my %kept = map { $_ => number($pair->{$_}) // 0 } qw(number seconds);
    $kept{beside} = $pair->{beside} if ref $pair->{beside} eq 'HASH';
    $kept{first} = (text($pair->{first}) // q{}) eq 'b' ? 'b' : 'a';
    return { %kept, failed => text($pair->{failed}) } if defined $pair->{failed};
    my @judged = grep { $known->{$_}{judged} } keys %{$known};
    for my $side (qw(a b)) {
        my $values = hash($pair->{$side});
        $kept{$side} = { map { $_ => number($values->{$_}) } keys %{$values} };
        die "pair $kept{number} has no figure of what is judged\n" if $counts && !grep { $kept{$side}{$_} } @judged;
    }
    return \%kept;
}

# Dies unless $plan asks for the campaign of $json. $any_seed: its seed may differ.
sub same_campaign ($json, $plan, $any_seed) {
    my ($kept, $wanted) = (hash($json->{settings}), settings($plan));
    for my $name (@SAME, $any_seed ? () : 'seed') {
        my ($old, $new) = map { ref $_ eq 'ARRAY' ? join "\n", @{$_} : $_ || q{} } $kept->{$name}, $wanted->{$name};
        next if $old eq $new;
        die 'it holds another campaign: the setting ' . $name =~ tr/_/ /r . " differs\n";
    }
    return;
}

1;
