# Puts the HTML page together from tables and charts.
package Bonnie::Page;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(any);
use Bonnie::ChartGroup    qw(chart_group);
use Bonnie::Html          qw(element void_element text);
use Bonnie::Legend        qw(legend);
use Bonnie::Record        qw(has_half has_latency);
use Bonnie::ResultTable   qw(rate_table latency_table);
use Bonnie::SettingsTable qw(settings_table);
use Bonnie::Style         qw(style_sheet);
use Bonnie::Tests         qw(groups_in_half);
use Bonnie::Version;

our @EXPORT_OK = qw(html_page);

# Nothing is fetched and nothing runs, whatever a label holds.
my $POLICY = q{default-src 'none'; style-src 'unsafe-inline'; img-src data:};

my %HALF_TITLE = (io => 'Sequential and random I/O', files => 'File operations');

# An HTML document; $title is plain text.
sub html_page {
    my ($title, @records) = @_;
    my @halves   = grep { was_run($_, @records) } qw(io files);
    my @sections = map { half_section($_, @records) } @halves;
    unshift @sections, legend_section() if @records > 1;    # else there is nothing to compare
    push @sections, settings_section(@records);

    my $header = page_header($title, scalar @records, @halves);
    my $body   = element('body', {}, "\n", $header, element('main', {}, "\n", @sections), page_footer());
    return "<!DOCTYPE html>\n" . element('html', { lang => 'en' }, "\n", head($title), $body) . "\n";
}

sub was_run {
    my ($half, @records) = @_;
    return any { has_half($_, $half) } @records;
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
    my ($title, $count, @halves) = @_;
    my $words = $count == 1 ? 'One result.' : "$count results, in the order given.";
    my @links = ((map { link_to($_, $HALF_TITLE{$_}) } @halves), link_to('settings', 'Settings'));
    return element('header', {}, "\n", element('h1', {}, text($title)), "\n",
        element('p',   { class => 'quiet' }, $words), "\n",
        element('nav', { 'aria-label' => 'Sections' }, element('ul', {}, @links))) . "\n";
}

sub link_to {
    my ($id, $title) = @_;
    return element('li', {}, element('a', { href => "#$id" }, text($title)));
}

sub section {
    my ($id, $title, @content) = @_;
    return element('section', { 'aria-labelledby' => $id },
        element('h2', { id => $id }, text($title)), "\n", @content) . "\n";
}

sub legend_section {
    return section('legend', 'How to read the colours', legend());
}

sub half_section {
    my ($half, @records) = @_;
    my $title   = $HALF_TITLE{$half};
    my %common  = (half => $half, records => \@records);
    my @content = rate_table(%common, caption => "$title: rate and CPU use");
    my @charts  = map { chart_group($_, @records) } groups_in_half($half);
    push @content, element('div', { class => 'charts' }, @charts);
    push @content, latency_table(%common, caption => "$title: longest single operation (latency)")
        if any { has_latency($_, $half) } @records;
    return section($half, $title, @content);
}

sub settings_section {
    my @records = @_;
    return section('settings', 'Settings',
        settings_table(caption => 'What each result was measured with', records => \@records));
}

sub page_footer {
    return element('footer', {}, "Made by bon_csv2html $Bonnie::Version::VERSION.") . "\n";
}

1;
