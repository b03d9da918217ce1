# SPDX-License-Identifier: GPL-2.0-or-later
# Makes records (see Record.pm) of a report of GoBonnieGo, one for each run. It names neither its
# runs nor its host: the label is undef.
package Bonnie::GoBonnieGo;

use strict;
use warnings;
use experimental 'signatures';
use Bonnie::Figure  qw($NOT_RUN no_figure value_figure);
use Bonnie::Json    qw(hash list number text);
use Bonnie::Tests   qw(all_tests);
use Bonnie::Written qw(bytes_text);

# Its three figures, by our tests, and what makes one of ours of its own; MB are 10^6 bytes.
my %FIGURES = (
    put_block => [ write_megabytes_per_second => 1e6 / 1024 ],
    get_block => [ read_megabytes_per_second  => 1e6 / 1024 ],
    iops      => [ iops                       => 1 ],
);

sub is_report ($report) {
    my ($first) = list(hash($report)->{results});
    return defined hash($first)->{iops};
}

# Like report_records() of Json.pm.
sub records ($report) {
    my $gib    = number($report->{disk_space_used_gib});
    my %common = (
        format      => 'JSON of GoBonnieGo',
        version     => text($report->{version}) // q{},
        file_size   => defined $gib ? bytes_text(sprintf '%.0f', $gib * 2**30) : q{},
        concurrency => text($report->{num_readers_and_writers}),
        host        => { map { $_->[0] => text($report->{ $_->[1] }) } [ directory => 'gobonniego_directory' ], [ ram_bytes => 'physical_memory_bytes' ] },
        settings    => { preset => 'gobonniego' },
    );
    my ($run, @records) = (0);
    for my $result (map { hash($_) } list($report->{results})) {
        my %tests = map { $_->{name} => $NOT_RUN } all_tests();
        for my $name (keys %FIGURES) {
            my ($key, $factor) = @{ $FIGURES{$name} };
            my $rate = number($result->{$key}) or next;
            $tests{$name} = { rate => rate($rate * $factor), cpu => no_figure(), latency => no_figure() };
        }
        push @records, { %common, run => ++$run, start_time => text($result->{start_time}), tests => \%tests };
    }
    return (\@records);
}

# With a decimal where it is small, as in CSV.
sub rate ($rate) { return value_figure(sprintf($rate < 9.95 ? '%.1f' : '%.0f', $rate), $rate) }

1;
