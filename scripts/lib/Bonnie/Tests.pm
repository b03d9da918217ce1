# The tests, in the order in which they run. Every report takes names, titles
# and units from here. The CSV line has the halves "io" and "files", twelve
# tests in this order; of "mixed" only JSON tells.
package Bonnie::Tests;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(all_tests test_named test_names tests_in_half groups_in_half tests_in_group);

my @GROUPS = (
    { name => 'seq_output', half => 'io',    title => 'Sequential output' },
    { name => 'seq_input',  half => 'io',    title => 'Sequential input' },
    { name => 'random',     half => 'io',    title => 'Random seeks' },
    { name => 'mixed',      half => 'mixed', title => 'Random reads and writes' },
    { name => 'seq_files',  half => 'files', title => 'Sequential create' },
    { name => 'ran_files',  half => 'files', title => 'Random create' },
);

# `unit` is that of the CSV figure.
my @TESTS = (
    { name => 'putc',       group => 'seq_output', title => 'Per character', unit => 'KiB/s' },
    { name => 'put_block',  group => 'seq_output', title => 'Block',         unit => 'KiB/s' },
    { name => 'rewrite',    group => 'seq_output', title => 'Rewrite',       unit => 'KiB/s' },
    { name => 'getc',       group => 'seq_input',  title => 'Per character', unit => 'KiB/s' },
    { name => 'get_block',  group => 'seq_input',  title => 'Block',         unit => 'KiB/s' },
    { name => 'seeks',      group => 'random',     title => 'Seeks',         unit => 'ops/s' },
    { name => 'iops',       group => 'mixed',      title => 'IOPS',          unit => 'ops/s' },
    { name => 'seq_create', group => 'seq_files',  title => 'Create',        unit => 'ops/s' },
    { name => 'seq_stat',   group => 'seq_files',  title => 'Read',          unit => 'ops/s' },
    { name => 'seq_del',    group => 'seq_files',  title => 'Delete',        unit => 'ops/s' },
    { name => 'ran_create', group => 'ran_files',  title => 'Create',        unit => 'ops/s' },
    { name => 'ran_stat',   group => 'ran_files',  title => 'Read',          unit => 'ops/s' },
    { name => 'ran_del',    group => 'ran_files',  title => 'Delete',        unit => 'ops/s' },
);

my %NAMED = map { $_->{name} => $_ } @TESTS;
$_->{half} = half_of($_) for @TESTS;

sub half_of {
    my ($test) = @_;
    my ($group) = grep { $_->{name} eq $test->{group} } @GROUPS;
    return $group->{half};
}

sub all_tests {
    return @TESTS;
}

sub test_named {
    my ($name) = @_;
    return $NAMED{$name};
}

# Those of the CSV line.
sub test_names {
    return map { $_->{name} } tests_in_half('io'), tests_in_half('files');
}

sub groups_in_half {
    my ($half) = @_;
    return grep { $_->{half} eq $half } @GROUPS;
}

sub tests_in_group {
    my ($group) = @_;
    return grep { $_->{group} eq $group->{name} } @TESTS;
}

sub tests_in_half {
    my ($half) = @_;
    return map { tests_in_group($_) } groups_in_half($half);
}

1;
