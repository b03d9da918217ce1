# SPDX-License-Identifier: GPL-2.0-or-later
# Composes the HTML page from tables (HtmlTable.pm) and charts (Chart.pm, over Axis.pm).
# Each section has a module, which gets groups of runs (Group.pm), loads, cuts or comparisons. Text
# from outside enters the page through Html.pm alone.
package Bonnie::Page;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(any);
use Bonnie::Changes           qw(changes how_to_read_changes many_changes);
use Bonnie::CutPage           qw(cut_facts cut_headline cut_sections);
use Bonnie::Document          qw(document);
use Bonnie::FigureCharts      qw(latency_chart_of_one latency_charts rate_charts rate_charts_of_one);
use Bonnie::Headline          qw(facts headline subject warning);
use Bonnie::HostCharts        qw(host_charts);
use Bonnie::Limits            qw(limit_legend limit_table);
use Bonnie::Json              qw(hash slowest_operations);
use Bonnie::LoadCharts        qw(load_host_charts load_time_charts load_heat_charts load_percentile_charts load_step_charts);
use Bonnie::LoadHeadline      qw(load_facts load_headline load_machine);
use Bonnie::LoadTables        qw(load_label load_settings_table load_table slow_table step_table);
use Bonnie::LoadVerdict       qw(load_verdict_content);
use Bonnie::Overview          qw(latency_table legend rate_table run_table);
use Bonnie::OneRun            qw(is_one_run measured result_table);
use Bonnie::SettingsTable     qw(machine_table settings_table);
use Bonnie::SteadyCharts      qw(steady_charts steady_table);
use Bonnie::TailCharts        qw(tail_content tail_of_groups);
use Bonnie::TimeCharts        qw(time_charts);
use Bonnie::Units             qw(counted);

our @EXPORT_OK = qw(html_page);

# More comparisons are shown as one table, because in full each is as long as a
# screen and adds some 10 KB to the page.
my $MOST_IN_FULL = 6;

# The sections in their order. One without content is left out. Those of one run, and those of many,
# are only on such a page; those of loads and of cuts are without content elsewhere.
my @SECTIONS = (
    { id => 'result',     title => 'Result',               of => 'one',  content => of_groups(sub { (result_table(measured(@_)), is_of_json(@_) ? limit_legend(@_) : ()) }) },
    { id => 'comparison', title => 'Comparison',           of => 'many', content => \&comparison_content },
    { id => 'overview',   title => 'Overview',             of => 'many', content => \&overview_content },
    { id => 'rates',      title => 'Rates',                of => 'one',  content => of_groups(sub { rate_charts_of_one(measured(@_)) }) },
    { id => 'rates',      title => 'Rates',                of => 'many', content => of_groups(\&rate_charts) },
    { id => 'latency',    title => 'Latency',              of => 'one',  content => of_groups(sub { latency_chart_of_one(measured(@_)) }) },
    { id => 'latency',    title => 'Latency',              of => 'many', content => \&latency_content },
    { id => 'slowest',    title => 'The slowest operations',  content => of_groups(\&tail_of_groups) },
    { id => 'steady',     title => 'Steady state',            content => of_groups(\&steady_table, \&steady_charts) },
    { id => 'time',       title => 'Over time',               content => of_groups(\&time_charts) },
    { id => 'hosts',      title => 'Hosts',                   content => of_groups(\&host_charts) },
    { id => 'limits',     title => 'What limited each test', of => 'many', content => of_groups(sub { is_of_json(@_) ? (limit_legend(@_), limit_table(@_)) : () }) },
    { id => 'settings',   title => 'Machine and settings',    content => of_groups(\&machine_table, \&settings_table) },
    { id => 'runs',       title => 'Every run',            of => 'many', content => of_groups(\&run_table) },
    { id => 'good-for',   title => 'Is this storage good enough?',           content => of_loads(\&load_verdict_content) },
    { id => 'load-tail',  title => 'What the slowest requests waited for',   content => of_kinds(\&tail_of_kinds) },
    { id => 'load-steps', title => 'Latency at each load',                   content => of_loads(sub { map { (load_step_charts($_), step_table($_)) } grep { $_->steps } @_ }) },
    { id => 'load',       title => 'Requests and latency',                   content => of_loads(sub { my @one = map { $_->single } @_; @one ? (load_table(@one), load_percentile_charts(@one)) : () }) },
    { id => 'load-hosts', title => 'Latency on each host',                   content => of_kinds(\&load_host_charts) },
    { id => 'load-time',  title => 'Load over time',                         content => of_kinds(\&load_time_charts, \&load_heat_charts) },
    { id => 'load-slowest',  title => 'Slowest requests',                    content => of_kinds(\&slow_table) },
    { id => 'load-settings', title => 'Machine and settings of the load',    content => of_loads(\&load_settings_table) },
    cut_sections(),
);

# Each makes the content of a section from the page, of what it has of one kind.
sub of_groups { return part_of(sub { @{ $_[0]{groups} } }, @_) }
sub of_loads  { return part_of(sub { @{ $_[0]{loads} // [] } }, @_) }
sub of_kinds  { return part_of(sub { map { $_->kinds } @{ $_[0]{loads} // [] } }, @_) }

sub part_of ($take, @parts) {
    return sub { my @shown = $take->(@_); return @shown ? map { $_->(@shown) } @parts : () };
}

sub tail_of_kinds {
    my @slowest = map { my $slowest = slowest_operations(hash($_->{figures}{tail})); $slowest ? [ load_label($_), [ undef, $slowest ] ] : () } @_;
    return tail_content(['Load'], [], @slowest);
}

# An HTML document. %page: title, plain text; groups (see Group.pm) and
# comparisons (see Comparison.pm), loads (see Load.pm), cuts (see Cut.pm), array references.
sub html_page (%page) {
    my @groups = @{ $page{groups} };
    my $kind   = !@groups ? 'none' : is_one_run(@groups) ? 'one' : 'many';
    my @shown;
    for my $section (grep { ($_->{of} // $kind) eq $kind } @SECTIONS) {
        my @content = $section->{content}->(\%page);
        push @shown, { %{$section}, content => \@content } if @content;
    }
    return document(
        title    => $page{title} // subject(\%page),
        class    => $kind eq 'many' ? undef : 'one',
        warning  => warning(@groups) // scalar load_machine(1, @{ $page{loads} // [] }),
        headline => scalar top_line(\%page),
        facts    => scope(\%page),
        sections => \@shown,
    );
}

# The result in one sentence, from the first topic of the page.
sub top_line ($page) {
    return headline_of_groups($page) if @{ $page->{groups} };
    return scalar load_headline(@{ $page->{loads} }) if @{ $page->{loads} // [] };
    return scalar cut_headline(@{ $page->{cuts} // [] });
}

# Under a title that somebody gave, the sentence begins with what was measured.
sub headline_of_groups ($page) {
    my $sentence = headline($page) // return;
    return defined $page->{title} ? subject($page) . ': ' . $sentence =~ s/\A(Writes|Reads|Creates|None)\b/\l$1/r : $sentence;
}

# What the page covers, in numbers.
sub scope ($page) {
    my @groups = @{ $page->{groups} };
    my $runs   = is_one_run(@groups) ? 1 : map { @{ $_->records } } @groups;
    my @loads  = @{ $page->{loads} // [] };
    my $labels = @groups && $groups[0]->number_shown ? ' of ' . @groups . ' labels' : q{};
    my @cuts   = @{ $page->{cuts} // [] };
    my @words  = @groups ? (counted($runs, 'run') . "$labels.", facts($page)) : ();
    push @words, 'The number before a label is the same in all tables and charts.' if $labels;
    return join q{ }, @words, @loads ? (counted(scalar @loads, 'load') . q{.}, load_facts(@loads)) : (), @cuts ? cut_facts(@cuts) : ();
}

sub comparison_content ($page) {
    my @comparisons = @{ $page->{comparisons} } or return;
    return (how_to_read_changes(1, @comparisons), map { changes($_) } @comparisons) if @comparisons <= $MOST_IN_FULL;
    return (how_to_read_changes(0, @comparisons), many_changes(@comparisons));
}

sub overview_content ($page) {
    my $rates = rate_table(is_coloured($page), @{ $page->{groups} });
    return ($rates, is_coloured($page) ? legend($rates, latencies($page)) : ());
}

# Made once, because the legend, which comes before, has to know its colours.
sub latencies ($page) {
    return $page->{latencies} //= latency_table(is_coloured($page), @{ $page->{groups} });
}

# With one label, colours have nothing to show. Where labels are compared, the comparison says which
# differences are more than chance; colours do not consider that, and would contradict it.
sub is_coloured ($page) { return @{ $page->{groups} } > 1 && !@{ $page->{comparisons} } }

sub latency_content ($page) {
    my @charts = latency_charts(@{ $page->{groups} });
    return @charts ? (latencies($page), @charts) : ();
}

sub is_of_json { return any { $_->{settings} } map { @{ $_->records } } @_ }

1;
