# Puts the HTML page together from tables and charts.
package Bonnie::Page;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(any);
use Bonnie::Changes           qw(changes how_to_read_changes);
use Bonnie::Html              qw(element void_element text);
use Bonnie::LatencyCharts     qw(latency_charts);
use Bonnie::Legend            qw(legend);
use Bonnie::Limits            qw(limit_legend limit_table);
use Bonnie::Overview          qw(rate_table latency_table);
use Bonnie::ManyChanges       qw(many_changes);
use Bonnie::RateCharts        qw(rate_charts);
use Bonnie::RunTable          qw(run_table);
use Bonnie::SettingsTable     qw(machine_table settings_table);
use Bonnie::Style             qw(style_sheet);
use Bonnie::TimeCharts        qw(time_charts);
use Bonnie::Version;

our @EXPORT_OK = qw(html_page);

# Nothing is fetched and nothing runs, whatever a label holds.
my $POLICY = q{default-src 'none'; style-src 'unsafe-inline'; img-src data:};

# More comparisons are one table: in full each is as long as a screen and adds
# some 10 KB to the page.
my $MOST_IN_FULL = 6;

# In this order; one without content is left out.
my @SECTIONS = (
    { id => 'comparison', title => 'Comparison',           content => \&comparison_content },
    { id => 'overview',   title => 'Overview',             content => \&overview_content },
    { id => 'rates',      title => 'Rates',                content => sub { rate_charts(groups_of(@_)) } },
    { id => 'latency',    title => 'Latency',              content => \&latency_content },
    { id => 'time',       title => 'Over time',            content => sub { time_charts(groups_of(@_)) } },
    { id => 'limits',     title => 'What limited them',    content => \&limit_content },
    { id => 'settings',   title => 'Machine and settings', content => \&settings_content },
    { id => 'runs',       title => 'Every run',            content => sub { run_table(groups_of(@_)) } },
);

# An HTML document. %page: title, plain text; groups (see Group.pm) and
# comparisons (see Comparison.pm), array references.
sub html_page {
    my (%page) = @_;
    my @shown;
    for my $section (@SECTIONS) {
        my @content = $section->{content}->(\%page);
        push @shown, { %{$section}, content => \@content } if @content;
    }
    my $main = element('main', {}, "\n", map { section($_) } @shown);
    my $body = element('body', {}, "\n", page_header(\%page, @shown), $main, page_footer());
    return "<!DOCTYPE html>\n" . element('html', { lang => 'en' }, "\n", head($page{title}), $body) . "\n";
}

sub groups_of {
    my ($page) = @_;
    return @{ $page->{groups} };
}

sub head {
    my ($title) = @_;
    return element('head', {}, "\n",
        void_element('meta', { charset => 'utf-8' }), "\n",
        void_element('meta', { 'http-equiv' => 'Content-Security-Policy', content => $POLICY }), "\n",
        void_element('meta', { name => 'viewport', content => 'width=device-width, initial-scale=1' }), "\n",
        void_element('link', { rel => 'icon', href => 'data:,' }), "\n",
        element('title', {}, text($title)), "\n",
        element('style', {}, "\n", style_sheet())) . "\n";
}

sub page_header {
    my ($page, @sections) = @_;
    my @groups = groups_of($page);
    my $runs   = map { @{ $_->records } } @groups;
    my $words  = counted($runs, 'run') . ' of ' . counted(scalar @groups, 'label') . q{.};
    return element('header', {}, "\n", element('h1', {}, text($page->{title})), "\n",
        element('p',   { class => 'quiet' }, text($words)), "\n",
        element('nav', { 'aria-label' => 'Sections' }, element('ul', {}, map { link_to($_) } @sections))) . "\n";
}

sub counted {
    my ($count, $noun) = @_;
    return "$count $noun" . ($count == 1 ? q{} : 's');
}

sub link_to {
    my ($section) = @_;
    return element('li', {}, element('a', { href => "#$section->{id}" }, text($section->{title})));
}

sub section {
    my ($section) = @_;
    return element('section', { 'aria-labelledby' => $section->{id} },
        element('h2', { id => $section->{id} }, text($section->{title})), "\n", @{ $section->{content} }) . "\n";
}

sub comparison_content {
    my ($page) = @_;
    my @comparisons = @{ $page->{comparisons} } or return;
    return (how_to_read_changes(1), map { changes($_) } @comparisons) if @comparisons <= $MOST_IN_FULL;
    return (how_to_read_changes(0), many_changes(@comparisons));
}

# With one label there is nothing that a colour could say.
sub overview_content {
    my @groups = groups_of(@_);
    return (rate_table(@groups), @groups > 1 ? legend() : ());
}

sub latency_content {
    my @groups = groups_of(@_);
    my @charts = latency_charts(@groups);
    return @charts ? (latency_table(@groups), @charts) : ();
}

sub limit_content {
    my @groups = groups_of(@_);
    return if !any { $_->{settings} } map { @{ $_->records } } @groups;
    return (limit_legend(), limit_table(@groups));
}

sub settings_content {
    my @groups = groups_of(@_);
    return (machine_table(@groups), settings_table(@groups));
}

sub page_footer {
    return element('footer', {}, "Made by bon_csv2html $Bonnie::Version::VERSION.") . "\n";
}

1;
