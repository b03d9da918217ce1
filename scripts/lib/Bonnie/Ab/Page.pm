# SPDX-License-Identifier: GPL-2.0-or-later
# The HTML page of bon_ab's campaigns, made from their JSON.
package Bonnie::Ab::Page;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(max min);
use Bonnie::Ab::Words     qw(change_text duration_text interval_text margin_text metric_figure noise_figure verdict_text);
use Bonnie::Axis          qw(axis_of_change);
use Bonnie::Chart         qw(area bar panel panels);
use Bonnie::Document      qw(document);
use Bonnie::Html          qw(element text);
use Bonnie::HtmlTable     qw(absent head_cell plain_table row_of row_title scrolling_table);
use Bonnie::Plain         qw(shorten);
use Bonnie::Statistics    qw(quantile);
use Bonnie::Units         qw(counted);

our @EXPORT_OK = qw(campaign_page);

# In pixels: the width of a pair, and the largest width of all pairs in a chart.
my $PAIR  = 6;
my $LEAST = 48;
my $MOST  = 180;

my $MAX_NAME = 40;

my %CLASS = (faster => 'better', better => 'better', slower => 'worse', worse => 'worse');

# $title is plain text, or undef for what was compared.
sub campaign_page ($title, @campaigns) {
    my @sections;
    for my $number (1 .. @campaigns) {
        my $campaign = $campaigns[ $number - 1 ];
        my $suffix = @campaigns > 1 ? $number : q{};
        for my $section ([ metrics => 'Metrics', \&metric_content ], [ intervals => 'Pair by pair', \&interval_charts ],
            [ notes => 'Notes', \&notes ], [ settings => 'What was compared', \&settings_table ]) {
            my ($id, $heading, $content) = @{$section};
            my @content = $content->($campaign) or next;
            push @sections, { id => "$id$suffix", title => $heading . ($suffix ? " ($number)" : q{}), content => \@content };
        }
    }
    $title //= join ', ', map { "$_->{settings}{name_b} against $_->{settings}{name_a}" } @campaigns;
    return document(title => $title, class => 'one', headline => join(q{ }, map { $_->{reason} } @campaigns),
        facts => join(q{ }, map { facts($_) } @campaigns), sections => \@sections);
}

sub facts ($campaign) {
    my $good = grep { !defined $_->{failed} } @{ $campaign->{pairs} };
    my $bad  = @{ $campaign->{pairs} } - $good;
    my $when = $campaign->{started} =~ tr/TZ/ /dr;
    return counted($good, 'pair') . ($bad ? " ($bad left out)" : q{}) . ' in ' . duration_text($campaign->{elapsed}) . ", from $when UTC.";
}

sub metric_content ($campaign) {
    my @metrics = @{ $campaign->{metrics} } or return;
    my ($a, $b) = map { shorten($campaign->{settings}{"name_$_"}, $MAX_NAME) } qw(a b);
    my $sure = sprintf '%.4g %% interval', 100 * (1 - $campaign->{settings}{alpha});
    my @titles = ('Metric', "$b by $a", 'Difference', $sure, "$a, median", "$b, median", 'Scatter of pairs');
    my @words = (
        "The ratio is that of $b to $a in the same pair, the median of all pairs, which need not be the ratio of the two medians; their order in each pair was drawn at random.",
        'The intervals are valid for all metrics at once, and after every pair.',
    );
    return (element('p', { class => 'quiet' }, text("@words")) . "\n",
        plain_table({ caption => 'What differs', class => 'campaign', titles => \@titles }, map { metric_row($campaign, $_) } @metrics));
}

sub metric_row ($campaign, $metric) {
    my $noise = $metric->{noise_percent};
    return [ shorten($metric->{name}, $MAX_NAME), change_text($campaign, $metric), [ $CLASS{ $metric->{verdict} }, verdict_text($campaign, $metric) ],
        interval_text($campaign, $metric), (map { metric_figure($metric, $_) } qw(a b)), defined $noise ? noise_figure($noise) . ' %' : undef ];
}

sub interval_charts ($campaign) {
    my @notes = (
        'From top to bottom, pair after pair: a point is the ratio of a pair, the band the interval that was known after it. Points beyond an axis are drawn at its end.',
        'It is decided when the band leaves the line of no change, or lies within ' . "\x{B1}" . margin_text($campaign) . '.',
        @{ $campaign->{control} } ? "Below, the control: pairs of $campaign->{settings}{name_a} against itself." : (),
    );
    my @panels = map { interval_panel($campaign, $_) } @{ $campaign->{metrics} };
    return panels("What was known of $campaign->{settings}{name_b} against $campaign->{settings}{name_a}", \@notes, @panels);
}

sub interval_panel ($campaign, $metric) {
    my @pairs   = changes($campaign->{pairs}, $metric->{name});
    my @control = changes($campaign->{control}, $metric->{name});
    return if !@pairs;
    my @seen   = map { 100 * ($_ - 1) } grep {defined} @{ $metric->{interval} };
    my @points = (@pairs, @control);
    my $axis   = axis_of_change($campaign->{settings}{margin_percent}, @seen, map { quantile($_, @points) } 0.05, 0.95);
    my $unit   = $axis->{is_ratio} ? 'times ' . shorten($campaign->{settings}{name_a}, $MAX_NAME) . ', logarithmic' : 'change in percent';
    my $height = max($LEAST, min($MOST, $PAIR * max(scalar @pairs, scalar @control)));
    my @rows   = ({ label => $campaign->{settings}{name_b}, shown => change_text($campaign, $metric) . ', ' . interval_text($campaign, $metric),
            marks => [ bands($axis, $height, @{ $metric->{course} }), points($axis, $height, @pairs) ] });
    push @rows, { label => "$campaign->{settings}{name_a} again", shown => counted(scalar @control, 'pair'), marks => [ points($axis, $height, @control) ] } if @control;
    return panel("$metric->{name}: " . verdict_text($campaign, $metric), axis => { %{$axis}, unit => $unit }, height => $height, rows => \@rows);
}

# The changes in percent in the pairs that have this metric.
sub changes ($pairs, $name) {
    return map { 100 * ($_->{b}{$name} / $_->{a}{$name} - 1) } grep { $_->{a}{$name} && $_->{b}{$name} } @{$pairs};
}

# An unknown end is drawn at the end of the chart.
sub bands ($axis, $height, @course) {
    my $step = $height / (@course || 1);
    my @bands;
    for my $i (0 .. $#course) {
        my ($low, $high) = map { defined ? $axis->{at}->(100 * ($_ - 1)) : undef } @{ $course[$i] };
        push @bands, area('known', $low // 0, $high // 1, $step * $i, $step * ($i + 1)) if defined $low || defined $high;
    }
    return @bands;
}

sub points ($axis, $height, @changes) {
    my $step = $height / (@changes || 1);
    return map { my $x = $axis->{at}->($changes[$_]); bar('pair', $x, $x, sprintf '%.1f', $step * ($_ + 0.5)) } 0 .. $#changes;
}

sub notes ($campaign) {
    my @lines = (@{ $campaign->{notes} }, map {"pair $_->{number} is left out: $_->{failed}"} grep { defined $_->{failed} } @{ $campaign->{pairs} });
    return if !@lines;
    return element('ul', {}, map { element('li', {}, text(ucfirst "$_.")) } @lines) . "\n";
}

sub settings_table ($campaign) {
    my $settings = $campaign->{settings};
    my @rows = map { row_of(row_title($_->[0]), map { $_ eq q{} ? absent("\x{2013}") : element('td', {}, text($_)) } @{$_}[ 1, 2 ]) }
        grep { "$_->[1]$_->[2]" ne q{} }
        [ 'Command', @{$settings}{qw(command_a command_b)} ], [ 'Before each run', @{$settings}{qw(prepare_a prepare_b)} ], [ 'Beside it', @{$settings}{qw(beside_a beside_b)} ];
    my @head = (head_cell(q{}), map { head_cell(shorten($settings->{"name_$_"}, $MAX_NAME)) } qw(a b));
    my $rest = sprintf 'Differences below %.4g %% do not matter (--margin); the order is that of --seed=%s.', @{$settings}{qw(margin_percent seed)};
    return (scrolling_table(caption => 'Commands', class => 'settings', head => [ row_of(@head) ], rows => \@rows), element('p', { class => 'quiet' }, text($rest)) . "\n");
}

1;
