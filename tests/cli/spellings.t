#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Every spelling of options that scripts for Bonnie and Bonnie++ use.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(@ALL_TESTS bonnie csv_of scratch tree);

my $dir = scratch();

# Runs with these arguments, which follow a few common ones, and returns the named
# fields, joined.
sub fields_of {
    my ($names, @words) = @_;
    my $run = bonnie('-d', $dir, qw(-r0 -s1 -n0 -mlab --cache=keep -q), @words);
    my $csv = csv_of($run);
    return $run->{status} ? "$run->{status}: $run->{err}" : join q{,}, map { $csv->{$_} // 'none' } @{$names};
}

my @size = qw(file_size chunk_size num_seeks seek_proc_count);
my %spelling = (
    'separate'                  => [ \@size, '2M,,8192,5', '-s', '2' ],
    'attached'                  => [ \@size, '2M,,8192,5', '-s2' ],
    'long, separate'            => [ \@size, '2M,,8192,5', '--size', '2' ],
    'long, attached'            => [ \@size, '2M,,8192,5', '--size=2' ],
    'long, cut short'           => [ \@size, '2M,,8192,5', '--siz=2' ],
    'the last one counts'       => [ \@size, '2M,,8192,5', '-s7', '-s2' ],
    'every field'               => [ \@size, '2M,4k,50,2', '-s2:4k:50:2' ],
    'fields left out'           => [ \@size, '2M,,50,5', '-s2::50' ],
    'suffix k'                  => [ \@size, '3M,,8192,5', '-s', '3072k' ],
    'suffix M'                  => [ \@size, '3M,,8192,5', '-s', '3M' ],
    'suffix MiB'                => [ \@size, '3M,,8192,5', '-s', '3MiB' ],
    'suffix MB'                 => [ \@size, '3M,,8192,5', '-s', '3mb' ],
    'chunk in bytes'            => [ \@size, '1M,512,8192,5', '-s', '1:512' ],
    'leading colon, attached'   => [ \@size, '3M,64k,8192,5', '-s:3:64k' ],
    'leading colon, separate'   => [ \@size, '4M,,8192,5', '-s', ':4' ],
    'bundle of flags'           => [ [qw(putc getc)], q{,}, '-qfb' ],
    'bundle that ends in value' => [ [ 'putc', 'file_size' ], ',2M', '-qfb', '-bqs2', '--tests=put_block' ],
    'classic -l is ignored'     => [ \@size, '2M,,8192,5', '-l', 'file', '-s2', '-lfile' ],
    'RAM with a suffix'         => [ \@size, '1M,,8192,5', '-r', '16G' ],
    '-- ends the options'       => [ \@size, '1M,,8192,5', '--' ],
    'label'                     => [ ['name'], 'other', '-m', 'other' ],
    '--label'                   => [ ['name'], 'other', '--label=other' ],
    '--threads'                 => [ ['concurrency'], '2', '--threads=2' ],
    '--concurrency'             => [ ['concurrency'], '2', '--concurrency', '2' ],
    '--seed'                    => [ ['seed'], '7', '--seed=7' ],
    '--runs --ram --quiet'      => [ ['name'], 'lab', '--runs=1', '--ram=0', '--quiet' ],
    '--fast'                    => [ [qw(putc getc)], q{,}, '--fast' ],
    '--sync --direct'           => [ ['rewrite'], q{}, '--sync', '--fast', '--tests=put_block' ],
);
for my $name (sort keys %spelling) {
    my ($names, $expected, @words) = @{ $spelling{$name} };
    is(fields_of($names, @words), $expected, $name);
}

# Each word of an option's list is accepted, as the line says that refuses another; tests are run one by
# one in halves.t, engines in engines.t, presets in preset.t.
sub words_of {
    my ($option) = @_;
    my ($list) = bonnie("$option=?")->{err} =~ /expected (?:a comma-separated list of )?([^;\n]*)/;
    return $list =~ s/, each once//r =~ /([a-z_]+(?:\+\+)?)(?:, | or |\z)/g;
}

is("@{[ words_of('--tests') ]}", "@ALL_TESTS", 'the tests of the program are those that are tested');
for my $option (qw(--format --data --cache --verify)) {
    my @words = words_of($option);
    cmp_ok(scalar @words, '>=', 2, "$option has words");
    is(bonnie('-d', $dir, '-r0', '-s1', '-n0', '--tests=put_block,get_block', '-q', "$option=$_")->{status}, '0', "$option=$_") for @words;
}

subtest 'the number of files' => sub {
    my @names = qw(num_files max_size min_size num_dirs file_chunk_size);
    my @io_off = ('-s0', '--tests=seq_create');
    is(fields_of(\@names, @io_off, '-n1'),             '1,,,,',            'files');
    is(fields_of(\@names, @io_off, '--files=1'),       '1,,,,',            '--files');
    is(fields_of(\@names, @io_off, '-n', '1:0:0'),     '1,,,,',            'empty ones');
    is(fields_of(\@names, @io_off, '-n1:8k:1:3:512'),  '1,8192,1,3,512',   'every field');
    is(fields_of(\@names, @io_off, '-n1:64:0:2'),      '1,64,,2,',         'a minimum of 0');
    is(fields_of(\@names, @io_off, '-n1:-1'),          '1,link,,,',        'hard links');
    is(fields_of(\@names, @io_off, '-n1:-2::2'),       '1,symlink,,2,',    'symbolic links');
    is(fields_of(\@names, '-n', '0:0:0:0'),            q{,,,,},            'none, with as many directories');
};

subtest 'the directory' => sub {
    for my $words ([ '-d', $dir ], ["-d$dir"], [ '--directory', $dir ], ["--directory=$dir"]) {
        is(bonnie(@{$words}, qw(-r0 -s1 -n0 -q --tests=put_block))->{status}, 0, "@{$words}" =~ s/\Q$dir\E/DIR/r);
    }
    is(bonnie({ dir => "$dir" }, qw(-r0 -s1 -n0 -q --tests=put_block))->{status}, 0, 'none given: where it stands');
};

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
