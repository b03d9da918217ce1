# SPDX-License-Identifier: GPL-2.0-or-later
# A figure of the page: charts of one kind beside each other, with a panel for
# each test.
package Bonnie::Panels;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Chart qw(chart);
use Bonnie::Html  qw(element text);
use Bonnie::Plain qw(shorten);

our @EXPORT_OK = qw(panels panel row_label);

# Long enough for every chart; the browser cuts it to the available width.
my $MAX_LABEL = 60;

# Empty without panels. $caption and @notes are plain text.
sub panels {
    my ($caption, $notes, @panels) = @_;
    return if !@panels;
    my @notes = map { element('span', {}, text($_)) } @{$notes};
    return element('figure', {}, element('figcaption', {}, text($caption), @notes), "\n",
        element('div', { class => 'panels' }, @panels)) . "\n";
}

# %chart as in Chart.pm.
sub panel {
    my ($title, %chart) = @_;
    return element('div', { class => 'panel' }, element('h3', {}, text($title)), chart(%chart)) . "\n";
}

sub row_label {
    my ($group) = @_;
    return join q{ }, $group->number_shown, shorten($group->name, $MAX_LABEL);
}

1;
