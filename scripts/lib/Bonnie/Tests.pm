# The twelve tests, in the order in which they run and stand in the CSV line.
# Every report takes names, titles and units from here.
package Bonnie::Tests;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(test_names tests_in_half groups_in_half tests_in_group);

my @GROUPS = (
    { name => 'seq_output', half => 'io',    title => 'Sequential output' },
    { name => 'seq_input',  half => 'io',    title => 'Sequential input' },
    { name => 'random',     half => 'io',    title => 'Random seeks' },
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
    { name => 'seq_create', group => 'seq_files',  title => 'Create',        unit => 'ops/s' },
    { name => 'seq_stat',   group => 'seq_files',  title => 'Read',          unit => 'ops/s' },
    { name => 'seq_del',    group => 'seq_files',  title => 'Delete',        unit => 'ops/s' },
    { name => 'ran_create', group => 'ran_files',  title => 'Create',        unit => 'ops/s' },
    { name => 'ran_stat',   group => 'ran_files',  title => 'Read',          unit => 'ops/s' },
    { name => 'ran_del',    group => 'ran_files',  title => 'Delete',        unit => 'ops/s' },
);

sub test_names {
    return map { $_->{name} } @TESTS;
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
