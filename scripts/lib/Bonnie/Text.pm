# SPDX-License-Identifier: GPL-2.0-or-later
# The 80-column table of Bonnie++, for one record or for many.
package Bonnie::Text;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(any max uniq);
use Bonnie::Figure  qw(is_run);
use Bonnie::Plain   qw(ascii_units);
use Bonnie::Record  qw(figure has_half has_latency setting);
use Bonnie::Tests   qw(tests_in_half);
use Bonnie::Units   qw(figure_text);
use Bonnie::Written qw(bytes_text latency_text);

our @EXPORT_OK = qw(text_tables terminal_text rate_text cpu_text);

my $PREFIX    = 19;    # columns left of the figures
my $LINE      = 79;
my $PAIR      = 8;     # columns of a rate and its CPU time
my $MIN_LABEL = 4;     # a label cut shorter than this identifies nothing

my %HEADS = (
    io => [
        '------Sequential Output------ --Sequential Input- --Random-',
        '-Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--',
    ],
    mixed => [
        '-Random Reads and Writes- ------------Latency------------',
        'block writes     /sec %CP     p50     p99   p99.9     max',
    ],
    files => [
        '------Sequential Create------ --------Random Create--------',
        '-Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--',
    ],
);
my $UNITS = '  /sec %CP' x 6;

# Replacements for an unreadable figure, by width.
my %UNREADABLE = (5 => '?????', 3 => '???', 9 => q{?});

# Prints one record as bonnie does. For many records, prints all I/O rows and then all file rows,
# each below one heading, as Bonnie++ does: scripts cut the table in two there.
sub text_tables (@records) {
    my @io      = grep { shows_io($_) } @records;
    my @mixed   = grep { ran_any($_, 'mixed') } @records;
    my @files   = grep { has_half($_, 'files') } @records;
    my @rows    = grep { ran_any($_, 'rows') } @records;
    my @nothing = grep { !shows_io($_) && !ran_any($_, 'mixed') && !ran_any($_, 'rows') && !has_half($_, 'files') } @records;
    my @lines   = (
        @io    ? io_half(@io)       : (),
        @mixed ? mixed_half(@mixed) : (),
        @files ? files_half(@records > 1, @files) : (),
        (map { rows_half($_) } @rows),
        map { nothing_run($_) } @nothing,
    );
    return terminal_text(join q{}, map { s/ +\z//r . "\n" } @lines);
}

sub shows_io ($record) {
    return ran_any($record, 'mixed') || ran_any($record, 'rows') ? ran_any($record, 'io') : has_half($record, 'io');
}

# Not every terminal has Plain.pm's replacement character.
sub terminal_text ($text) { return $text =~ tr/\x{FFFD}/?/r }

sub io_half (@records) {
    my ($head, $subhead) = @{ $HEADS{io} };
    return (
        left_of($head,    version_text(@records)),
        left_of($subhead, q{}),
        sprintf("%-${PREFIX}s", 'Name:Size etc') . $UNITS,
        map { (io_row($_), latency_line($_, 'io')) } @records,
    );
}

sub ran_any ($record, $half) {
    return any { is_run(figure($record, $_, 'rate')) } tests_in_half($half);
}

# Not really a half: it is the test iops, which only JSON has.
sub mixed_half (@records) {
    my ($head, $subhead) = @{ $HEADS{mixed} };
    return (left_of($head, version_text(@records)), left_of($subhead, q{}), map { mixed_row($_) } @records);
}

sub mixed_row ($record) {
    my ($test)   = tests_in_half('mixed');
    my ($settings, $percentiles) = ($record->{settings}, $record->{tests}{ $test->{name} }{percentiles});
    my @cells = (
        lc bytes_text($settings->{iops_block_bytes}),
        defined $settings->{iops_writes_percent} ? "$settings->{iops_writes_percent}%" : q{},
        rate_text(figure($record, $test, 'rate'), $test->{unit}),
        cpu_text(figure($record, $test, 'cpu')),
        (map { defined $_ ? latency_text($_) : q{} } @{$percentiles}{qw(p50 p99 p99_9)}),
        latency_cell(figure($record, $test, 'latency')),
    );
    return left_of(sprintf('%5s %6s %8s %3s %7s %7s %7s %7s', @cells), $record->{label});
}

# The rows of a look, which only JSON has: a line for each, in the form of bonnie's own.
sub rows_half ($record) {
    my $line  = '%-26s %10s %3s %8s %8s %8s %8s';
    my @lines = sprintf $line, cut($record->{label}, 26), 'per second', qw(%CP p50 p99 p99.9 max);
    for my $test (grep { is_run(figure($record, $_, 'rate')) } tests_in_half('rows')) {
        my $percentiles = $record->{tests}{ $test->{name} }{percentiles};
        my ($rate, $latency) = map { figure($record, $test, $_) } qw(rate latency);
        push @lines, sprintf $line, $test->{title}, special_text($rate, 5) // plain_figure($rate->{value}, $test->{unit}), cpu_text(figure($record, $test, 'cpu')),
            (map { defined ? plain_figure($_, 'ns') : q{-} } @{$percentiles}{qw(p50 p99 p99_9)}), special_text($latency, 5) // plain_figure($latency->{value}, 'ns');
    }
    return (version_text($record), @lines);
}

sub plain_figure ($value, $unit) { return ascii_units(figure_text($value, $unit) =~ s{\x{A0}?/s\z}{}r) }

# The label is in the heading if all rows have the same one, and otherwise in each row.
sub files_half ($many, @records) {
    my ($head, $subhead) = @{ $HEADS{files} };
    my $title = (any { setting($_, 'max_size') ne q{} } @records) ? 'files:max:min' : 'files';
    return (
        left_of($head,    version_text(@records)),
        left_of($subhead, $many ? q{} : $records[0]{label}),
        sprintf("%${PREFIX}s", $title) . $UNITS,
        map { (files_row($_, $many ? $_->{label} : q{}), latency_line($_, 'files')) } @records,
    );
}

sub files_row ($record, $label) {
    my $files = files_text($record);
    return row_lines($label eq q{} ? $files : labelled($label, $files), pairs($record, 'files'));
}

sub nothing_run ($record) {
    my $note = '  (no test was run)';
    return (version_text($record), cut($record->{label}, $LINE - length $note) . $note);
}

sub version_text {
    my @versions = uniq(map { $_->{version} } @_);
    return @versions == 1 ? cut("Version $versions[0]", $PREFIX) : 'Version various';
}

sub left_of ($heading, $text) { return sprintf "%-${PREFIX}.${PREFIX}s %s", $text, $heading }

# Cuts the label to make room for the settings, as Bonnie++ does, until too
# little of it is left; then both get a line of their own.
sub io_row ($record) {
    return row_lines(labelled($record->{label}, size_text($record)), pairs($record, 'io'));
}

sub labelled ($label, $settings) {
    my $room = $PREFIX - 1 - length $settings;
    my $fits = $room >= $MIN_LABEL || length $label <= $room;
    my $name = $fits ? sprintf('%-*.*s', $room, $room, $label) : cut($label, $LINE - 1 - length $settings);
    return "$name $settings";
}

sub cut ($text, $width) { return $width > 0 ? substr $text, 0, $width : q{} }

# A text that is wider than its column goes on the line before the figures.
sub row_lines ($name, $figures) {
    return ($name, q{ } x $PREFIX . $figures) if length $name > $PREFIX;
    return sprintf("%${PREFIX}s", $name) . $figures;
}

# size:chunk:concurrency:seeks:seekers, without trailing defaults.
sub size_text ($record) {
    my %default  = (chunk_size => qr/8192|8k/i, concurrency => qr/1/, seek_count => qr/8192/, seekers => qr/5/);
    my @parts    = setting($record, 'file_size');
    for my $name (qw(chunk_size concurrency seek_count seekers)) {
        my $value = setting($record, $name);
        push @parts, $value =~ /^$default{$name}\z/ ? q{} : $value;
    }
    return join(q{:}, @parts) =~ s/:+\z//r;
}

# files:max:min/dirs:chunk without what was not given.
sub files_text ($record) {
    my ($files, $max, $min, $dirs, $chunk)
        = map { setting($record, $_) } qw(num_files max_size min_size num_dirs file_chunk_size);
    my $text = join(q{:}, $files, $max, $min) =~ s/:+\z//r;
    $dirs = 1 if $dirs eq q{} && $chunk ne q{};
    $text .= "/$dirs"  if $dirs ne q{};
    $text .= ":$chunk" if $chunk ne q{};
    return $text;
}

sub pairs ($record, $half) {
    my $line = q{};
    for my $test (tests_in_half($half)) {
        my $cpu  = cpu_text(figure($record, $test, 'cpu'));
        my $room = $PAIR - max(3, length $cpu);
        $line .= sprintf " %${room}s %3s", table_rate(figure($record, $test, 'rate'), $test->{unit}, $room), $cpu;
    }
    return $line;
}

# Shortens a rate that is too wide for its column, rather than exceed the width of a terminal.
sub table_rate ($figure, $unit, $room) {
    my $text = rate_text($figure, $unit);
    return $text if length $text <= $room || defined special_text($figure, 5);
    return $unit eq 'KiB/s' ? short_speed($figure->{text}) : short_count($figure->{value});
}

sub short_count ($number) {
    return $number < 999.5e3 ? short_text($number / 1e3, 'k') : short_text($number / 1e6, 'm');
}

sub short_speed ($number) {
    my @units = qw(k m g t);
    while ($number >= 999.5 && @units > 1) {
        $number /= 1024;
        shift @units;
    }
    return short_text($number, $units[0]);
}

sub short_text ($number, $unit) {
    return sprintf $number < 9.95 ? '%.1f%s' : '%.0f%s', $number, $unit;
}

sub latency_line ($record, $half) {
    return if !has_latency($record, $half);
    my @texts = map { latency_cell(figure($record, $_, 'latency')) } tests_in_half($half);
    return sprintf('%-17s', 'Latency') . join q{}, map { sprintf ' %9s', $_ } @texts;
}

sub latency_cell ($figure) { return special_text($figure, 9) // $figure->{text} }

# Uses the figure of the CSV line, as bonnie's own table does.
sub rate_text ($figure, $unit) {
    my $special = special_text($figure, 5);
    return $special if defined $special;
    return $unit eq 'KiB/s' ? scaled_text($figure->{text}) : number_text($figure, 5);
}

sub cpu_text ($figure) { return special_text($figure, 3) // number_text($figure, 3) }

# undef if there is a number to print.
sub special_text ($figure, $width) {
    my %text = (none => q{}, fast => q{+} x ($width == 9 ? 5 : $width), bad => $UNREADABLE{$width});
    return $text{ $figure->{state} };
}

# At each limit the rounded text would be six columns wide.
sub scaled_text ($kib) {
    my ($mib, $gib) = ($kib / 1024, $kib / 1024**2);
    return sprintf '%.1fk', $kib if $kib < 10 && $kib != int $kib;
    return sprintf '%.0fk', $kib if $kib < 9999.5;
    return sprintf '%.1fm', $mib if $mib < 99.95;
    return sprintf '%.0fm', $mib if $mib < 1023.5;
    return sprintf '%.1fg', $gib if $gib < 99.95;
    return sprintf '%.0fg', $gib;
}

# As written, if that fits, and otherwise without its fraction; never scaled.
sub number_text ($figure, $width) {
    return length $figure->{text} <= $width ? $figure->{text} : sprintf '%.0f', $figure->{value};
}

1;
