# SPDX-License-Identifier: GPL-2.0-or-later
# The tests, in the order in which they run. Every report takes names, titles
# and units from here. The CSV line has the halves "io" and "files", twelve tests in this order;
# only JSON has "mixed", and "rows", those of presets by their identities.
package Bonnie::Tests;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';

our @EXPORT_OK = qw(all_tests test_named test_names tests_in_half tests_in_group all_groups families);

# The tests of a family share a chart.
my @FAMILIES = (
    { name => 'sequential', title => 'Sequential' },
    { name => 'random',     title => 'Random' },
    { name => 'metadata',   title => 'Metadata: many small files' },
);

my @GROUPS = (
    { name => 'seq_output', half => 'io',    family => 'sequential', title => 'Sequential output' },
    { name => 'seq_input',  half => 'io',    family => 'sequential', title => 'Sequential input' },
    { name => 'random',     half => 'io',    family => 'random',     title => 'Random' },
    { name => 'mixed',      half => 'mixed', family => 'random',     title => 'Random mix' },
    { name => 'row_seq',    half => 'rows',  family => 'sequential', title => 'Sequential' },
    { name => 'row_random', half => 'rows',  family => 'random',     title => 'Random' },
    { name => 'row_files',  half => 'rows',  family => 'metadata',   title => 'Files' },
    { name => 'seq_files',  half => 'files', family => 'metadata',   title => 'Files, sorted names' },
    { name => 'ran_files',  half => 'files', family => 'metadata',   title => 'Files, random names' },
);

# `title` is the name within the group, `name_alone` the name without it, and
# `rate_title` the heading of rates, which names the unit if it is the same for
# all of them; `unit` is that of the CSV figure.
my @TESTS = (
    [ 'putc',       'seq_output', 'Per character', 'Write per character',     'KiB/s' ],
    [ 'put_block',  'seq_output', 'In chunks',     'Write in chunks',         'KiB/s' ],
    [ 'rewrite',    'seq_output', 'Rewrite',       'Rewrite',                 'KiB/s' ],
    [ 'getc',       'seq_input',  'Per character', 'Read per character',      'KiB/s' ],
    [ 'get_block',  'seq_input',  'In chunks',     'Read in chunks',          'KiB/s' ],
    [ 'seeks',      'random',     'Seeks',         'Seeks',                   'ops/s' ],
    [ 'iops',       'mixed',      'IOPS',          'Random mix (iops)',       'ops/s' ],
    row('write-1m-q8', 'row_seq', 'Write 1 MiB, 8 in flight', 'KiB/s'),
    row('write-1m-q1', 'row_seq', 'Write 1 MiB, one by one', 'KiB/s'),
    row('read-1m-q8', 'row_seq', 'Read 1 MiB, 8 in flight', 'KiB/s'),
    row('read-1m-q1', 'row_seq', 'Read 1 MiB, one by one', 'KiB/s'),
    row('read-4k-q1', 'row_random', 'Read 4 KiB, one by one', 'ops/s'),
    row('read-4k-q32', 'row_random', 'Read 4 KiB, 32 in flight', 'ops/s'),
    row('write-4k-q1', 'row_random', 'Write 4 KiB, one by one', 'ops/s'),
    row('write-4k-q32', 'row_random', 'Write 4 KiB, 32 in flight', 'ops/s'),
    row('durable-8k', 'row_random', 'Durable 8 KiB, one by one', 'ops/s'),
    row('create', 'row_files', 'Files created', 'ops/s'),
    row('delete', 'row_files', 'Files deleted', 'ops/s'),
    [ 'seq_create', 'seq_files',  'Create',        'Create, sorted names',    'ops/s' ],
    [ 'seq_stat',   'seq_files',  'Read',          'Read, sorted names',      'ops/s' ],
    [ 'seq_del',    'seq_files',  'Delete',        'Delete, sorted names',    'ops/s' ],
    [ 'ran_create', 'ran_files',  'Create',        'Create, random names',    'ops/s' ],
    [ 'ran_stat',   'ran_files',  'Read',          'Read, random names',      'ops/s' ],
    [ 'ran_del',    'ran_files',  'Delete',        'Delete, random names',    'ops/s' ],
);

# Its title is complete, within its group and without it.
sub row ($name, $group, $title, $unit) { return [ $name, $group, $title, $title, $unit ] }

my %GROUP = map { $_->{name} => $_ } @GROUPS;
my %TEST;
for my $test (@TESTS) {
    my %test;
    @test{qw(name group title name_alone unit)} = @{$test};
    @test{qw(half family)} = @{ $GROUP{ $test{group} } }{qw(half family)};
    $test{rate_title} = $test{unit} eq 'ops/s' ? "$test{title}, ops/s" : $test{title};
    $TEST{ $test{name} } = $test = \%test;
}

# "put_block.2" is the second level of a test whose speed fell.
sub test_named ($name) {
    my ($test, $level) = $name =~ /\A(.+)[.](\d)\z/a or return $TEST{$name};
    return { %{ $TEST{$test} }, name => $name, name_alone => "$TEST{$test}{name_alone}, level $level" };
}

# The tests of the CSV line.
sub test_names { return map { $_->{name} } tests_in_half('io'), tests_in_half('files') }

sub all_tests  { return @TESTS }
sub all_groups { return @GROUPS }
sub families   { return @FAMILIES }

sub tests_in_group ($group) { return grep { $_->{group} eq $group->{name} } @TESTS }

sub tests_in_half ($half) { return grep { $_->{half} eq $half } @TESTS }

1;
