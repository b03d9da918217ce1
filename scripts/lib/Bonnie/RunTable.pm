# The table with one row for each run: rate and CPU use of every test.
package Bonnie::RunTable;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Figure    qw(gap_words is_run is_value);
use Bonnie::Html      qw(element);
use Bonnie::HtmlTable qw(row_of row_head cell absent rate_below_title test_heads tests_run scrolling_table);
use Bonnie::Record    qw(figure);

our @EXPORT_OK = qw(run_table);

sub run_table {
    my @groups = @_;
    my @tests  = tests_run(@groups);
    my @rows   = map { run_rows($_, @tests) } @groups;
    return scrolling_table(caption => 'Every run: rate, and CPU time in percent of the elapsed time', class => 'runs',
        head => [ test_heads('rate_title', [ 'Label', 'Run' ], [ 'Rate', 'CPU, %' ], @tests) ], rows => \@rows);
}

# The label stands once beside all of its runs.
sub run_rows {
    my ($group, @tests) = @_;
    my @runs  = @{ $group->records };
    my @heads = (row_head($group, scalar @runs), (q{}) x $#runs);
    return map { row_of($heads[$_], element('th', { scope => 'row' }, $_ + 1), run_cells($runs[$_], @tests)) } 0 .. $#runs;
}

sub run_cells {
    my ($record, @tests) = @_;
    return map { test_cells($_, figure($record, $_, 'rate'), figure($record, $_, 'cpu')) } @tests;
}

sub test_cells {
    my ($test, $rate, $cpu) = @_;
    return (
        is_value($rate) ? cell(rate_below_title($rate->{value}, $test)) : absent(gap_words($rate)),
        is_value($cpu)  ? cell(sprintf '%.0f', $cpu->{value}) : absent(is_run($cpu) ? gap_words($cpu) : "\x{2013}"),
    );
}

1;
