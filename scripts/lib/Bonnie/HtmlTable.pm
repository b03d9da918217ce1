# What all tables of the page share: rows, their headings, the region in
# which a wide table scrolls.
package Bonnie::HtmlTable;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Html   qw(element text);
use Bonnie::Plain  qw(shorten);
use Bonnie::Record qw(setting);

our @EXPORT_OK = qw(row_of row_head absent label_text files_amount scrolling_table $MAX_CELL);

our $MAX_CELL = 60;

my $MAX_LABEL = 80;

sub row_of {
    return element('tr', {}, @_) . "\n";
}

# The number ties the rows of all tables and charts together, where one label
# stands for many runs.
sub row_head {
    my ($record, $number) = @_;
    my $label = shorten(label_text($record), $MAX_LABEL);
    return element('th', { scope => 'row', class => 'name' }, element('span', { class => 'number' }, $number), q{ },
        element('bdi', {}, text($label)));
}

sub label_text {
    my ($record) = @_;
    return $record->{label} =~ /\S/ ? $record->{label} : '(no label)';
}

sub files_amount {
    my ($record) = @_;
    my $files = setting($record, 'num_files');
    return $files =~ /^\d+\z/a ? "$files\x{A0}\x{D7}\x{A0}1024" : $files;
}

sub absent {
    my ($words, $columns) = @_;
    return element('td', { class => 'start none', colspan => $columns }, text($words));
}

# Wide tables scroll inside their own region (a section with a name is one),
# by keyboard too.
sub scrolling_table {
    my (%table) = @_;
    my $caption = element('caption', {}, element('span', {}, text($table{caption})));
    return element('section', { class => 'scroll', tabindex => 0, 'aria-label' => $table{caption} },
        element('table', { class => $table{class} }, $caption, "\n", element('thead', {}, @{ $table{head} }),
            element('tbody', {}, "\n", @{ $table{rows} }))) . "\n";
}

1;
