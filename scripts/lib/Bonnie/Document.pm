# SPDX-License-Identifier: GPL-2.0-or-later
# The HTML document around every page: head, header, sections, footer.
package Bonnie::Document;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(maxstr minstr uniq);
use Bonnie::Html  qw(element void_element text);
use Bonnie::Plain qw(shorten);
use Bonnie::Style qw(style_sheet);
use Bonnie::Version;

our @EXPORT_OK = qw(document machine_text measured_text tail_and_figures);

# The page loads nothing and runs nothing, whatever a label contains.
my $POLICY = q{default-src 'none'; style-src 'unsafe-inline'; img-src data:};

# %document: title, plain text; class of the body; warning above the title, headline and facts below
# it, plain text, the first two of which may be undef; sections => [ { id,
# title, content => [ HTML ] } ].
sub document (%document) {
    my @sections = @{ $document{sections} };
    my $main     = element('main', {}, "\n", map { section($_) } @sections);
    my $footer   = element('footer', {}, "Made by bon_csv2html $Bonnie::Version::VERSION.") . "\n";
    my $body     = element('body', { class => $document{class} }, "\n", header(\%document, @sections), $main, $footer);
    return "<!DOCTYPE html>\n" . element('html', { lang => 'en' }, "\n", head($document{title}), $body) . "\n";
}

sub head ($title) {
    return element('head', {}, "\n",
        void_element('meta', { charset => 'utf-8' }), "\n",
        void_element('meta', { 'http-equiv' => 'Content-Security-Policy', content => $POLICY }), "\n",
        void_element('meta', { name => 'viewport', content => 'width=device-width, initial-scale=1' }), "\n",
        void_element('link', { rel => 'icon', href => 'data:,' }), "\n",
        element('title', {}, text($title)), "\n",
        element('style', {}, "\n", style_sheet())) . "\n";
}

sub header ($document, @sections) {
    my ($warning, $headline) = map { my $words = $document->{$_}; defined $words ? element('p', { class => $_ }, text($words)) . "\n" : q{} } qw(warning headline);
    return element('header', {}, "\n", $warning, element('h1', {}, text($document->{title})), "\n", $headline,
        element('p',   { class => 'quiet' }, text($document->{facts})), "\n",
        element('nav', { 'aria-label' => 'Sections' }, element('ul', {}, map { element('li', {}, element('a', { href => "#$_->{id}" }, text($_->{title}))) } @sections))) . "\n";
}

sub section ($section) {
    return element('section', { 'aria-labelledby' => $section->{id} },
        element('h2', { id => $section->{id} }, text($section->{title})), "\n", @{ $section->{content} }) . "\n";
}

# Where and when it was measured, from the names of the hosts and the starts of the runs, which may be
# unknown or alike; nothing if none is known.
sub measured_text ($hosts, $times) {
    my @hosts = uniq(grep {defined} @{$hosts});
    my @times = grep {defined} @{$times};
    my @when  = map { shorten(tr/TZ/ /dr) } @times ? uniq(minstr(@times), maxstr(@times)) : ();
    my $where = @hosts == 1 ? ' on ' . shorten($hosts[0]) : @hosts ? ' on ' . @hosts . ' hosts' : q{};
    return @hosts || @when ? "Measured$where" . (@when ? ', ' . join(' to ', @when) . ' UTC' : q{}) . q{.} : ();
}

# What others did meanwhile: "busy: ..." or "not busy: ...".
sub machine_text { return "The machine was $_[0]." }

# What the slowest operations waited for, { words, unknown in percent }, comes before the figures,
# unless that is mostly unknown. Either may be undef.
sub tail_and_figures ($tail, $figures = undef) {
    my @both = ($tail && $tail->{words}, $figures);
    return grep {defined} $tail && ($tail->{unknown} // 0) > 50 ? reverse @both : @both;
}

1;
