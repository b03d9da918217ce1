# SPDX-License-Identifier: GPL-2.0-or-later
# The table with one row for each run: rate and CPU use of every test.
package Bonnie::RunTable;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Figure    qw(gap_words is_run is_value);
use Bonnie::Html      qw(element text);
use Bonnie::HtmlTable qw(row_of row_head cell absent rate_below_title test_heads tests_run typical_rate scrolling_table);
use Bonnie::Record    qw(figure);

our @EXPORT_OK = qw(run_table);

sub run_table {
    my @groups = @_;
    my @tests   = tests_run(@groups);
    my @typical = map { typical_rate($_, @groups) } @tests;
    my @rows    = map { run_rows($_, \@tests, \@typical) } @groups;
    return scrolling_table(caption => 'Every run: rate, and below it the CPU time in percent of the elapsed time', class => 'runs',
        head => [ test_heads('rate_title', [ 'Label', 'Run' ], [], @tests) ], rows => \@rows);
}

# The label appears once beside all of its runs.
sub run_rows {
    my ($group, $tests, $typical) = @_;
    my @runs  = @{ $group->records };
    my @heads = (row_head($group, scalar @runs), (q{}) x $#runs);
    return map { row_of($heads[$_], element('th', { scope => 'row' }, $_ + 1), run_cells($runs[$_], $tests, $typical)) } 0 .. $#runs;
}

sub run_cells {
    my ($record, $tests, $typical) = @_;
    return map { test_cell($record, $tests->[$_], $typical->[$_]) } 0 .. $#{$tests};
}

sub test_cell {
    my ($record, $test, $typical) = @_;
    my ($rate, $cpu) = map { figure($record, $test, $_) } qw(rate cpu);
    return absent(gap_words($rate)) if !is_value($rate);
    my $share = is_value($cpu) ? sprintf('%.0f', $cpu->{value}) : is_run($cpu) ? gap_words($cpu) : q{};
    return element('td', {}, text(rate_below_title($rate->{value}, $test, $typical)), $share eq q{} ? q{} : element('small', {}, text($share)));
}

1;
