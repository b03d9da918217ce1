# SPDX-License-Identifier: GPL-2.0-or-later
# The HTML tables of where and how each label was measured.
package Bonnie::SettingsTable;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(any uniq);
use Bonnie::Html      qw(element text);
use Bonnie::HtmlTable qw(row_of row_head cell column_head head_cell absent scrolling_table);
use Bonnie::OneRun    qw(is_one_run);
use Bonnie::Plain     qw(shorten);
use Bonnie::Record    qw(has_rows setting);
use Bonnie::Units     qw(grouped size_text);

our @EXPORT_OK = qw(machine_table settings_table differing_settings);

# If there are more different values, all but the first are hidden until the reader asks. Cells
# are narrow if labels are rows.
my $MOST_IN_COLUMN = 12;
my $MOST_IN_ROW    = 2;

my $FEW_LABELS = 6;

my $NOT_RECORDED = 'not recorded';

# Rows that only JSON reports have. They may differ between runs.
my @MACHINE = (
    { title => 'Host',       show => sub { of_host($_[0], 'name') } },
    { title => 'Filesystem', show => sub { of_host($_[0], 'filesystem') } },
    { title => 'Mounted with', show => sub { of_host($_[0], 'mount_options') } },
    { title => 'Device',     show => sub { of_host($_[0], 'device') } },
    { title => 'Disk',       show => sub { of_host($_[0], 'disk_model') } },
    { title => 'Scheduler',  show => sub { of_host($_[0], 'scheduler') } },
    { title => 'In the way', is_of_run => 1, show => sub { of_host($_[0], 'in_the_way') } },
    { title => 'Directory',  is_of_run => 1, show => sub { of_settings($_[0], 'directory') // $NOT_RECORDED } },
    { title => 'CPUs',       show => sub { of_host($_[0], 'cpus') } },
    { title => 'CPU',        show => sub { of_host($_[0], 'cpu_model') } },
    { title => 'RAM',        show => sub { ram_text($_[0]) } },
    { title => 'Kernel',     show => sub { of_host($_[0], 'kernel') } },
    { title => 'C library',  show => sub { of_host($_[0], 'c_library') } },
    { title => 'Measured',   is_of_run => 1, show => sub { ($_[0]{start_time} // $NOT_RECORDED) =~ tr/TZ/ /dr } },
);

# Settings that change the figures, and that comparisons therefore check. Where each row of a preset has its own, the row's title says it.
my @SETTINGS = (
    { title => 'Size',        show => sub { size_setting($_[0]{file_size},  'M', 'skipped') } },
    { title => 'Chunk', is_of_row => 1, show => sub { size_setting($_[0]{chunk_size}, q{}, "8\x{A0}KiB") } },
    { title => 'Concurrency', show => sub { as_written($_[0]{concurrency}, '1') } },
    { title => 'Seeks', is_of_row => 1, show => sub { as_written($_[0]{seek_count}, '8192') } },
    { title => 'Seekers', is_of_row => 1, show => sub { as_written($_[0]{seekers}, '5') } },
    { title => 'Files', is_of_row => 1, show => sub { setting($_[0], 'num_files') eq q{} ? 'skipped' : files_amount($_[0]) } },
    { title => 'Largest file', is_of_row => 1, show => sub { file_size_setting($_[0], 'max_size') } },
    { title => 'Smallest file', is_of_row => 1, show => sub { file_size_setting($_[0], 'min_size') } },
    { title => 'Directories', is_of_row => 1, show => sub { of_files($_[0], as_written($_[0]{num_dirs}, '1')) } },
    { title => 'File chunk', is_of_row => 1, show => sub { of_files($_[0], size_setting($_[0]{file_chunk_size}, q{}, "8\x{A0}KiB")) } },
    { title => 'Direct I/O',  show => sub { yes_or_no(of_settings($_[0], 'direct')) } },
    { title => 'Durable writes', is_of_row => 1, show => sub { yes_or_no(of_settings($_[0], 'sync')) } },
    { title => 'Engine',      show => sub { as_written(of_settings($_[0], 'engine')) } },
    { title => 'I/O depth', is_of_row => 1, show => sub { as_written(of_settings($_[0], 'iodepth')) } },
    { title => 'Contents',    show => sub { as_written(of_settings($_[0], 'data')) } },
    { title => 'Verified',    show => sub { as_written(of_settings($_[0], 'verify')) } },
    { title => 'Cache',       show => sub { as_written(of_settings($_[0], 'cache')) } },
    { title => 'Sequential time', show => sub { seconds_text(of_settings($_[0], 'sequential_test_seconds')) } },
    { title => 'Preset',      show => sub { as_written(of_settings($_[0], 'preset')) } },
    { title => 'Program',     show => sub { as_written($_[0]{version}) } },
);

# Rows that do not change the figures.
my @ORIGIN = (
    { title => 'Format',    show => sub { as_written($_[0]{format}) } },
    { title => 'Seed',      show => sub { as_written($_[0]{seed}) } },
    { title => 'Read from', show => sub { "$_[0]{source}{file}:$_[0]{source}{line}" } },
);

sub as_written ($text, $default = undef) {
    return $NOT_RECORDED if !defined $text;
    return $text eq q{} ? $default // "\x{2013}" : $text;
}

# 0 means once through the data.
sub seconds_text ($seconds) {
    return !defined $seconds ? $NOT_RECORDED : $seconds eq '0.0' || $seconds eq '0' ? "\x{2013}" : $seconds =~ s/([.]\d{3})\d+\z/$1/ar . "\x{A0}s";
}

sub yes_or_no ($flag) { return !defined $flag ? $NOT_RECORDED : $flag ? 'yes' : 'no' }

sub of_host ($record, $name) { return ($record->{host} // {})->{$name} // $NOT_RECORDED }

# A CSV line has no settings, and must not get any by being asked for them.
sub of_settings ($record, $name) { return ($record->{settings} // {})->{$name} }

sub ram_text ($record) {
    my $bytes = of_host($record, 'ram_bytes');
    my $of    = of_host($record, 'ram_from') eq 'control group' ? ' of a control group' : q{};
    return $bytes =~ /^\d{1,18}\z/a ? sprintf("%.3g\x{A0}GiB", $bytes / 2**30) . $of : $bytes;
}

sub size_setting ($text, $bare, $default) {
    return as_written($text, $default) if !defined $text || $text eq q{};
    return size_text($text, $bare);
}

# Empty if there are no files.
sub of_files ($record, $words) {
    return setting($record, 'num_files') eq q{} && $words ne $NOT_RECORDED ? "\x{2013}" : $words;
}

sub files_amount ($record) {
    my $files = setting($record, 'num_files');
    return $files =~ /^\d+\z/a ? grouped($files) . "\x{A0}\x{D7}\x{A0}1024" : $files;
}

# Files without a size are empty; instead of a size there may be the kind of link.
sub file_size_setting ($record, $name) {
    my %links = (link => 'hard links', symlink => 'symbolic links', -1 => 'hard links', -2 => 'symbolic links');
    my $text = $record->{$name} // return $NOT_RECORDED;
    return $links{$text} if $links{$text};
    return setting($record, 'num_files') eq q{} ? "\x{2013}" : size_setting($text, q{}, 'empty');
}

# Empty if no record comes from JSON.
sub machine_table {
    my @groups = grep { $_->distinct(sub { $_[0]{host} ? 1 : () }) } @_;
    return @groups ? label_table('Machine and storage', \@MACHINE, is_one_run(@groups) ? $groups[0] : @groups) : ();
}

sub settings_table (@groups) { return label_table('Settings', [ @SETTINGS, @ORIGIN ], @groups) }

# Leaves out rows that are empty for all labels. Few labels, and the rows of one run, are columns,
# which fit on any screen; many labels are rows.
sub label_table ($caption, $columns, @groups) {
    my @columns = grep { is_told($_, @groups) } @{$columns};
    return if !@columns;
    my ($head, @rows);
    if (@groups <= $FEW_LABELS || is_one_run(@groups)) {
        $head = row_of(head_cell('Setting'), @groups == 1 ? head_cell('Value') : map { column_head($_) } @groups);
        @rows = map { my $column = $_; row_of(element('th', { scope => 'row', class => 'label' }, text($column->{title})), map { setting_cell($MOST_IN_COLUMN, values_of($column, $_)) } @groups) } @columns;
    }
    else {
        $head = row_of(map { head_cell($_) } 'Label', map { $_->{title} } @columns);
        @rows = map { my $group = $_; row_of(row_head($group), map { setting_cell($MOST_IN_ROW, values_of($_, $group)) } @columns) } @groups;
    }
    return scrolling_table(caption => $caption, class => 'settings', head => [$head], rows => \@rows);
}

sub is_told ($column, @groups) {
    return any { $_ ne $NOT_RECORDED && $_ ne "\x{2013}" } map { values_of($column, $_) } @groups;
}

sub values_of ($column, $group) {
    return $group->distinct(sub ($record) { $column->{is_of_row} && has_rows($record) ? "\x{2013}" : $column->{show}($record) });
}

# The runs of one label may differ.
sub setting_cell ($most, @values) {
    my ($words) = @values;
    return absent($words) if @values == 1 && $words =~ /^(?:default|$NOT_RECORDED|skipped|empty|\x{2013})\z/;
    return cell($words) if @values == 1;
    my ($first, @others) = map { text(shorten($_)) } @values;
    return element('td', {}, join q{, }, $first, @others) if @values <= $most;
    return element('td', {}, element('details', {}, element('summary', {}, "$first and " . @others . ' others'), join q{, }, @others));
}

# Settings in which two groups differ, or the runs of one group: "Direct I/O: no
# / yes". Leaves out settings that one of them has not recorded.
sub differing_settings (@groups) {
    my @machine = grep { !$_->{is_of_run} } @MACHINE;
    return map { differing($_, @groups) } @machine, @SETTINGS;
}

sub differing ($column, @groups) {
    my @values = map { join ', ', grep { $_ ne $NOT_RECORDED } values_of($column, $_) } @groups;
    return if uniq(@values) == 1 || grep { $_ eq q{} } @values;
    return "$column->{title}: " . join ' / ', @values;
}

1;
