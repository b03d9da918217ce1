# The bar charts of one group of tests, as one figure of the page.
package Bonnie::ChartGroup;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(any);
use Bonnie::Chart     qw(bar_chart);
use Bonnie::Figure    qw(is_run is_value);
use Bonnie::Html      qw(element text);
use Bonnie::HtmlTable qw(label_text);
use Bonnie::Plain     qw(shorten);
use Bonnie::Record    qw(figure);
use Bonnie::Tests     qw(tests_in_group);
use Bonnie::Units     qw(rate_parts);

our @EXPORT_OK = qw(chart_group);

# Long enough for every chart, which cuts it to its own width.
my $MAX_LABEL = 60;

my %WORDS = (none => 'not run', fast => 'too fast to measure', bad => 'unreadable');

# Tests that no record has are left out, and the figure if none remains.
sub chart_group {
    my ($group, @records) = @_;
    my @tests = grep { was_run($_, @records) } tests_in_group($group);
    return if !@tests;
    my $caption = element('figcaption', {}, text("$group->{title}, more is better"));
    my @panels  = map { panel($group, $_, @records) } @tests;
    return element('figure', { class => 'panels-' . @panels },
        $caption, "\n", element('div', { class => 'panels' }, @panels)) . "\n";
}

sub was_run {
    my ($test, @records) = @_;
    return any { is_run(figure($_, $test, 'rate')) } @records;
}

sub panel {
    my ($group, $test, @records) = @_;
    my $row     = 0;
    my @entries = map { entry($_, $test, ++$row) } @records;
    my $chart   = bar_chart(title => "$group->{title}: $test->{title}", unit => $test->{unit}, entries => \@entries);
    return element('div', { class => 'panel' }, element('h3', {}, text($test->{title})), $chart) . "\n";
}

sub entry {
    my ($record, $test, $number) = @_;
    my $rate  = figure($record, $test, 'rate');
    my $label = "$number " . shorten(label_text($record), $MAX_LABEL);
    return { label => $label, value => $rate->{value}, shown => shown($rate, $test) };
}

sub shown {
    my ($rate, $test) = @_;
    return $WORDS{ $rate->{state} } if !is_value($rate);
    return join "\x{A0}", rate_parts($rate->{value}, $test->{unit});
}

1;
