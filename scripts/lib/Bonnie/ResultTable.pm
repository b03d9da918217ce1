# The HTML tables of figures: rates with CPU use, and latencies.
package Bonnie::ResultTable;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Figure    qw(is_value is_run);
use Bonnie::Grade     qw(grade_column);
use Bonnie::Html      qw(element text);
use Bonnie::HtmlTable qw(row_of row_head absent files_amount scrolling_table $MAX_CELL);
use Bonnie::Legend    qw(grade_class grade_sign);
use Bonnie::Plain     qw(shorten);
use Bonnie::Record    qw(figure has_half has_latency setting);
use Bonnie::Tests     qw(groups_in_half tests_in_group tests_in_half);
use Bonnie::Units     qw(rate_parts latency_parts size_text);

our @EXPORT_OK = qw(rate_table latency_table);

my %AMOUNT = (
    io    => { title => 'Size',  show => sub { size_text(setting($_[0], 'file_size'), 'M') } },
    files => { title => 'Files', show => sub { files_amount($_[0]) } },
);

# %table: caption, half, records.
sub rate_table {
    my (%table) = @_;
    my @tests   = tests_in_half($table{half});
    my @grades  = grades('rate', 'higher', \@tests, $table{records});
    my @units   = map { (unit_head(rate_title($_), 'start'), unit_head('CPU')) } @tests;
    my @rows    = rows(%table, columns => 2 * @tests, missing => sub { half_missing($table{half}, @_) },
        cells => sub { my ($record, $row) = @_; rate_cells($record, $grades[$row], @tests) });
    return scrolling_table(%table, head => [ test_heads($table{half}, 3, 2), row_of(@units) ], rows => \@rows);
}

sub latency_table {
    my (%table) = @_;
    my @tests   = tests_in_half($table{half});
    my @grades  = grades('latency', 'lower', \@tests, $table{records});
    my @rows    = rows(%table, columns => scalar @tests, missing => sub { latency_missing($table{half}, @_) },
        cells => sub { my ($record, $row) = @_; latency_cells($record, $grades[$row], @tests) });
    return scrolling_table(%table, head => [ test_heads($table{half}, 2, 1) ], rows => \@rows);
}

# One list of grades, test by test, for each record.
sub grades {
    my ($kind, $better, $tests, $records) = @_;
    my @by_record;
    for my $test (@{$tests}) {
        my @column = grade_column($better, map { figure($_, $test, $kind) } @{$records});
        push @{ $by_record[$_] }, $column[$_] for 0 .. $#column;
    }
    return @by_record;
}

# Both heading rows over the tests; $depth heading rows in all, $span columns
# a test.
sub test_heads {
    my ($half, $depth, $span) = @_;
    my @titles = map { group_head($_, $span) } groups_in_half($half);
    my @tests  = map { test_head($_, $span) } tests_in_half($half);
    my %fixed  = (scope => 'col', rowspan => $depth);
    my $name   = element('th', { %fixed, class => 'name' }, 'Result');
    my $amount = element('th', { %fixed, class => 'amount' }, $AMOUNT{$half}{title});
    return (row_of($name, $amount, @titles), row_of(@tests));
}

sub group_head {
    my ($group, $span) = @_;
    my @tests = tests_in_group($group);
    return element('th', { scope => 'colgroup', colspan => $span * @tests, class => 'start' }, text($group->{title}));
}

sub test_head {
    my ($test, $span) = @_;
    my ($scope, $columns) = $span > 1 ? ('colgroup', $span) : ('col', undef);
    return element('th', { scope => $scope, colspan => $columns, class => 'start' }, text($test->{title}));
}

# Throughput has its unit in each cell, from KiB/s to TiB/s; operations have
# one unit for the whole column.
sub rate_title {
    my ($test) = @_;
    return $test->{unit} eq 'KiB/s' ? 'Rate' : $test->{unit};
}

sub unit_head {
    my ($title, $class) = @_;
    return element('th', { scope => 'col', class => $class }, $title);
}

# %table adds: columns; missing => sub (record), a text if the record has no
# figures here; cells => sub (record, row number).
sub rows {
    my (%table) = @_;
    my $row = 0;
    my @rows;
    for my $record (@{ $table{records} }) {
        my $missing = $table{missing}->($record);
        my @cells = defined $missing ? absent($missing, $table{columns}) : $table{cells}->($record, $row);
        push @rows, row_of(row_head($record, ++$row), amount_cell($record, $table{half}), @cells);
    }
    return @rows;
}

sub half_missing {
    my ($half, $record) = @_;
    return has_half($record, $half) ? undef : 'not run';
}

sub latency_missing {
    my ($half, $record) = @_;
    return 'not run' if !has_half($record, $half);
    return has_latency($record, $half) ? undef : 'not recorded';
}

sub amount_cell {
    my ($record, $half) = @_;
    return absent("\x{2013}") if !has_half($record, $half);
    return element('td', { class => 'amount' }, text(shorten($AMOUNT{$half}{show}->($record), $MAX_CELL)));
}

sub rate_cells {
    my ($record, $grades, @tests) = @_;
    my @cells;
    for my $index (0 .. $#tests) {
        my $rate = figure($record, $tests[$index], 'rate');
        my $cpu  = figure($record, $tests[$index], 'cpu');
        push @cells, is_value($cpu) || is_value($rate)
            ? (figure_cell($rate, $grades->[$index], rate_parts_of($rate, $tests[$index])), cpu_cell($cpu))
            : special_cell($rate, 2);
    }
    return @cells;
}

sub rate_parts_of {
    my ($rate, $test) = @_;
    return if !is_value($rate);
    my ($number, $unit) = rate_parts($rate->{value}, $test->{unit});
    return ($number, $unit eq rate_title($test) ? undef : $unit);
}

sub latency_cells {
    my ($record, $grades, @tests) = @_;
    my @cells;
    for my $index (0 .. $#tests) {
        my $latency = figure($record, $tests[$index], 'latency');
        my $is_run  = is_run(figure($record, $tests[$index], 'rate'));
        push @cells, is_value($latency) ? figure_cell($latency, $grades->[$index], latency_parts($latency->{value}))
            : $is_run && !is_run($latency) ? absent('not recorded')
            :                                special_cell($latency);
    }
    return @cells;
}

# The figure as written stays in the page, for scripts.
sub figure_cell {
    my ($figure, $grade, $number, $unit) = @_;
    return special_cell($figure) if !is_value($figure);
    my $class = join q{ }, 'start', grep { defined } grade_class($grade);
    my $small = defined $unit ? element('small', {}, text("\x{A0}$unit")) : q{};
    return element('td', { class => $class, 'data-value' => $figure->{text} },
        grade_sign($grade), text($number), $small);
}

sub cpu_cell {
    my ($cpu) = @_;
    return absent("\x{2013}") if !is_run($cpu);
    return special_cell($cpu) if !is_value($cpu);
    my $percent = sprintf '%.4g', $cpu->{value};
    return element('td', { class => 'cpu' }, $percent, element('small', {}, "\x{A0}%"));
}

sub special_cell {
    my ($figure, $columns) = @_;
    return absent('not run', $columns)             if $figure->{state} eq 'none';
    return absent('too fast to measure', $columns) if $figure->{state} eq 'fast';
    return absent('unreadable: ' . shorten($figure->{text}, $MAX_CELL), $columns);
}

1;
