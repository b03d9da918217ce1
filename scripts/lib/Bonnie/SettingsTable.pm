# The HTML table of what each result was measured with.
package Bonnie::SettingsTable;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Html      qw(element text);
use Bonnie::HtmlTable qw(row_of row_head files_amount scrolling_table $MAX_CELL);
use Bonnie::Plain     qw(shorten);
use Bonnie::Record    qw(setting);
use Bonnie::Units     qw(size_text);

our @EXPORT_OK = qw(settings_table);

my @SETTINGS = (
    { title => 'Program',     show => sub { as_written($_[0]{version}) } },
    { title => 'CSV format',  show => sub { as_written($_[0]{format}) } },
    { title => 'Size',        show => sub { size_setting($_[0]{file_size},  'M', 'skipped') } },
    { title => 'Chunk',       show => sub { size_setting($_[0]{chunk_size}, q{}, 'default') } },
    { title => 'Concurrency', show => sub { as_written($_[0]{concurrency}, 'default') } },
    { title => 'Seeks',       show => sub { as_written($_[0]{seek_count}, 'default') } },
    { title => 'Seekers',     show => sub { as_written($_[0]{seekers}, 'default') } },
    { title => 'Files',       show => sub { setting($_[0], 'num_files') eq q{} ? 'skipped' : files_amount($_[0]) } },
    { title => 'Largest',     show => sub { file_size_setting($_[0], 'max_size') } },
    { title => 'Smallest',    show => sub { file_size_setting($_[0], 'min_size') } },
    { title => 'Directories', show => sub { as_written($_[0]{num_dirs}, 'default') } },
    { title => 'File chunk',  show => sub { size_setting($_[0]{file_chunk_size}, q{}, 'default') } },
    { title => 'Seed',        show => sub { as_written($_[0]{seed}, 'default') } },
    { title => 'Read from',   show => sub { "$_[0]{source}{file}:$_[0]{source}{line}" } },
);

sub as_written {
    my ($text, $default) = @_;
    return 'not recorded' if !defined $text;
    return $text eq q{} ? $default // "\x{2013}" : $text;
}

sub size_setting {
    my ($text, $bare, $default) = @_;
    return as_written($text, $default) if !defined $text || $text eq q{};
    return size_text($text, $bare);
}

# Files without a size are empty; instead of a size there may be the kind of
# link that is made.
sub file_size_setting {
    my ($record, $name) = @_;
    my %links = (link => 'hard links', symlink => 'symbolic links', -1 => 'hard links', -2 => 'symbolic links');
    my $text = $record->{$name} // return 'not recorded';
    return $links{$text} if $links{$text};
    return setting($record, 'num_files') eq q{} ? "\x{2013}" : size_setting($text, q{}, 'empty');
}

# %table: caption, records.
sub settings_table {
    my (%table) = @_;
    my @titles = map { element('th', { scope => 'col' }, text($_->{title})) } @SETTINGS;
    my $row = 0;
    my @rows = map { row_of(row_head($_, ++$row), setting_cells($_)) } @{ $table{records} };
    my $head = row_of(element('th', { scope => 'col', class => 'name' }, 'Result'), @titles);
    return scrolling_table(%table, class => 'settings', head => [$head], rows => \@rows);
}

sub setting_cells {
    my ($record) = @_;
    return map { setting_cell($_->{show}->($record)) } @SETTINGS;
}

sub setting_cell {
    my ($words) = @_;
    my $class = $words =~ /^(?:default|not recorded|skipped|empty|\x{2013})\z/ ? 'none' : undef;
    return element('td', { class => $class }, text(shorten($words, $MAX_CELL)));
}

1;
