# SPDX-License-Identifier: GPL-2.0-or-later
# The table of what limited each figure, according to the kernel's counters
# during the measurement; the CSV line does not have it.
package Bonnie::Limits;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use Bonnie::Html      qw(element text);
use Bonnie::HtmlTable qw(row_of row_head absent test_table tests_run);

our @EXPORT_OK = qw(limit_table limit_legend limit_cell);

# For each value of limited_by in JSON: the class with an icon in the style sheet, the words, and
# what they mean.
my %LIMIT = (
    'device'     => [ 'device',  'device',     'most of the time was spent waiting for it' ],
    'page cache' => [ 'memory',  'page cache', 'more than a tenth of the data did not come from the storage or did not reach it' ],
    'server'     => [ 'device',  'server',     'the data came or went over a network, and no CPU was wanted' ],
    'cpu'        => [ 'cpu',     'CPU',        'most of the time was spent computing, or waiting for a CPU' ],
    'others'     => [ 'cpu',     'others',     'others used the CPUs or the device meanwhile' ],
    'limit'      => [ 'cpu',     'limit',      'a control group limits the use of the CPUs or the device' ],
    'link'       => [ 'device',  'link',       'the link to the drive, which both ends could exceed, was full' ],
    'unknown'    => [ 'unknown', 'not known',  'the counters of the kernel do not show it' ],
);
my @ORDER = ('device', 'page cache', 'server', 'cpu', 'others', 'limit', 'link', 'unknown');

sub limit_table (@groups) {
    my @tests  = tests_run(@groups);
    my @rows   = map { my $group = $_; row_of(row_head($group), map { limit_cell($group, $_) } @tests) } @groups;
    return test_table({ caption => 'What limited each test', class => 'limits', title => 'title', before => ['Label'] }, \@tests, @rows);
}

# Runs may have different limits.
sub limit_cell ($group, $test) {
    my $runs   = $group->details($test->{name});
    my @limits = @{ $group->limits($test->{name}) };
    return absent($group->ran($test->{name}) ? 'not recorded' : 'not run') if !@limits;
    my @parts;
    for my $limit (@limits) {
        my ($class, $words) = looks($limit->{by});
        my $share = $limit->{runs} == $runs ? q{} : " in $limit->{runs} of $runs runs";
        push @parts, element('span', { class => $class }, text("$words$share"));
    }
    return element('td', {}, @parts);
}

sub looks { return @{ $LIMIT{ $_[0] } // $LIMIT{unknown} } }

# Of those that occur.
sub limit_legend (@groups) {
    my %occurs = map { ($LIMIT{ $_->{by} } ? $_->{by} : 'unknown') => 1 } map { my $group = $_; map { @{ $group->limits($_->{name}) } } tests_run($group) } @groups;
    my @items;
    for my $by (grep { $occurs{$_} } @ORDER) {
        my ($class, $words, $meaning) = looks($by);
        push @items, element('li', {}, element('span', { class => $class }, text("$words: $meaning")));
    }
    return @items ? element('ul', { class => 'legend' }, @items) . "\n" : ();
}

1;
