# SPDX-License-Identifier: GPL-2.0-or-later
# What all tables of the page share: rows, their headings, and the region in
# which a wide table scrolls.
package Bonnie::HtmlTable;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(any);
use Bonnie::Html  qw(element text);
use Bonnie::Plain qw(shorten);
use Bonnie::Statistics qw(median);
use Bonnie::Tests qw(all_groups all_tests tests_in_group);
use Bonnie::Units qw(figure_text);

our @EXPORT_OK = qw(row_of row_title head_cell column_head row_head cell two_lines absent rate_below_title typical_rate test_table tests_run plain_table scrolling_table);

my $MAX_LABEL = 80;

sub row_of { return element('tr', {}, @_) . "\n" }

sub head_cell ($title) { return element('th', { scope => 'col' }, text($title)) }

# The heading of a label's rows. Its number connects the label's rows in all
# tables and charts. $rows: how many rows it spans.
sub row_head ($group, $rows = undef) {
    my %scope = defined $rows && $rows > 1 ? (scope => 'rowgroup', rowspan => $rows) : (scope => 'row');
    return element('th', { %scope, class => 'label' }, numbered($group));
}

# The same for the column of a label.
sub column_head ($group) { return element('th', { scope => 'col' }, numbered($group)) }

sub numbered ($group) {
    return ((map { element('i', {}, $_) . q{ } } $group->number_shown), element('bdi', {}, text(shorten($group->name, $MAX_LABEL))));
}

# The first cell of a row, which says what the row is about.
sub row_title ($words) {
    return element('th', { scope => 'row', class => 'label' }, element('bdi', {}, text($words)));
}

sub cell ($words) { return element('td', {}, text(shorten($words))) }

# A cell with something small below the words, unless that is empty.
sub two_lines ($class, $words, $small) {
    return element('td', { class => $class }, text($words), $small eq q{} ? q{} : element('small', {}, text($small)));
}

sub absent ($words, $columns = undef) {
    return element('td', { class => 'none', colspan => $columns }, text(shorten($words)));
}

# The tests that any of these groups ran.
sub tests_run (@groups) {
    return grep {
        my $name = $_->{name};
        any { $_->ran($name) } @groups
    } all_tests();
}

# A rate below a rate_title (see Tests.pm), in the unit that suits $like.
sub rate_below_title ($value, $test, $like) {
    return figure_text($value, $test->{unit}, $like) =~ s/\x{A0}ops\/s//r;
}

# The median of these groups' rates, whose unit all of them get; undef: they have none.
sub typical_rate ($test, @groups) {
    my @medians = map { $_->{median} } grep { defined } map { $_->spread_of($test->{name}, 'rate') } @groups;
    return @medians ? median(@medians) : undef;
}

# A table with a column for each of @$tests, below the names of their groups. $table: caption, class;
# before => titles of the columns before them; title => which kind of title tests get (see Tests.pm).
sub test_table ($table, $tests, @rows) {
    my %shown  = map { $_->{name} => 1 } @{$tests};
    my @before = map { element('th', { scope => 'col', rowspan => 2 }, text($_)) } @{ $table->{before} };
    my @groups = map { group_head($_, scalar grep { $shown{ $_->{name} } } tests_in_group($_)) } all_groups();
    my @titles = map { head_cell($_->{ $table->{title} }) } @{$tests};
    return scrolling_table(caption => $table->{caption}, class => $table->{class}, head => [ row_of(@before, @groups), row_of(@titles) ], rows => \@rows);
}

sub group_head ($group, $tests) {
    return $tests > 1 ? element('th', { scope => 'colgroup', colspan => $tests }, text($group->{title})) : $tests ? head_cell($group->{title}) : q{};
}

# A table of rows of words: the first is the row's title, [ class, words ] a cell of that class, and
# \ HTML a cell that is made already. A column in which no row has anything is left out. $table:
# caption, class, id, titles.
sub plain_table ($table, @rows) {
    my @kept = grep { my $column = $_; any { words_of($_->[$column]) ne q{} } @rows } 0 .. $#{ $table->{titles} };
    return if !@kept;
    my @shown = map { my ($title, @cells) = @{$_}[@kept]; row_of(ref $title ? ${$title} : row_title($title), map { ref eq 'SCALAR' ? ${$_} : plain_cell($_) } @cells) } @rows;
    return scrolling_table(%{$table}, head => [ row_of(map { head_cell($_) } @{ $table->{titles} }[@kept]) ], rows => \@shown);
}

sub words_of ($cell) {
    return ((ref $cell eq 'ARRAY' ? $cell->[1] : $cell) // q{}) =~ s/\A\x{2013}\z//r;
}

sub plain_cell ($cell) {
    my $words = shorten(words_of($cell));
    return $words eq q{} ? absent("\x{2013}") : element('td', { class => ref $cell ? $cell->[0] : undef }, text($words));
}

# Wide tables scroll in a region of their own, also by keyboard. %table:
# caption, head, rows, class; id: without it, the caption is an attribute.
sub scrolling_table (%table) {
    my $caption = element('caption', { id => $table{id} }, element('span', {}, text($table{caption})));
    my %name    = defined $table{id} ? ('aria-labelledby' => $table{id}) : ('aria-label' => $table{caption});
    return element('div', { class => 'scroll', role => 'region', tabindex => 0, %name },
        element('table', { class => $table{class} }, $caption, "\n", element('thead', {}, @{ $table{head} }),
            element('tbody', {}, "\n", @{ $table{rows} }))) . "\n";
}

1;
