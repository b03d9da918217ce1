# SPDX-License-Identifier: GPL-2.0-or-later
# Rows that compare the tests of Bonnie++ with Bonnie++ itself, and the per-character tests
# with bare loops.
package Bench::Classic;

use strict;
use warnings;
use Exporter 'import';
use Bench::Bonnie qw(as_user beside_bonnie bonnie_fields);
use Bench::Run    qw(compiled output_of scratch_in);

our @EXPORT_OK = qw(classic_groups);

# The tests and their fields in the CSV line, counted from 0.
my @TESTS = (
    [ put_block  => 11 ], [ rewrite  => 13 ], [ get_block => 17 ], [ seeks => 19 ],
    [ seq_create => 26 ], [ seq_stat => 28 ], [ seq_del   => 30 ],
    [ ran_create => 32 ], [ ran_stat => 34 ], [ ran_del   => 36 ],
);
my ($PUTC, $GETC) = (9, 15);

sub classic_groups {
    my ($setup) = @_;
    return (
        {
            title => "Bonnie++'s tests, @{ $setup->{bonniexx} }, caches kept: KiB/s and operations per second",
            peer  => 'bonnie++', needs => ['bonnie++'], experiments => [ bonniexx($setup) ],
        },
        {
            title => "Per character, $setup->{perchar} MiB: KiB/s",
            peer  => 'bare loop', needs => ['cc'], experiments => [ bare_loops($setup) ],
        },
        {
            title => "The ways of getc_putc, $setup->{bytes} MiB: KiB/s",
            peer  => 'bare loop', needs => ['cc'], experiments => [ bytes($setup) ],
        },
    );
}

# With -q Bonnie++ prints its table to standard error.
sub bonniexx_fields {
    my @options = @_;
    my @silently = ('sh', '-c', 'exec "$@" 2>/dev/null', 'sh');
    my $text = output_of(@silently, qw(bonnie++ -q -r 0), as_user(), @options);
    chomp(my $line = (split /^/, $text)[-1]);
    return split /,/, $line, -1;
}

sub bonniexx {
    my ($setup) = @_;
    my @fields = map { $_->[1] } @TESTS;
    my @options = ('-d', $setup->{directory}, '-f', @{ $setup->{bonniexx} });
    return {
        rows => [ map { $_->[0] } @TESTS ],
        ours => sub { (bonnie_fields('--cache=keep', @options))[@fields] },
        peer => sub { (bonniexx_fields(@options))[@fields] },
    };
}

sub bare_loops {
    my ($setup) = @_;
    my $mib = $setup->{perchar};
    my @options = ('-d', $setup->{directory}, qw(--cache=keep --tests), 'putc,getc', "-f$mib", '-s', $mib);
    return {
        rows => [qw(putc getc)],
        ours => sub { (bonnie_fields(@options))[ $PUTC, $GETC ] },
        peer => sub {
            split q{ }, output_of(compiled('perchar'), scratch_in($setup->{directory}) . '/file', $mib);
        },
    };
}

# The table is on standard error.
sub bytes {
    my ($setup) = @_;
    my $kib = 1024 * $setup->{bytes};
    return {
        rows => [qw(write read putcNT getcNT putc getc putcU getcU)],
        ours => sub {
            my @silently = ('sh', '-c', 'exec "$@" 2>/dev/null', 'sh');
            my $line = output_of(@silently, beside_bonnie('getc_putc'), '-q', as_user(), '-d', $setup->{tmpfs}, '-s', $kib, '-m', 'bench');
            chomp $line;
            my (undef, @figures) = split /,/, $line;
            return @figures;
        },
        peer => sub { split q{ }, output_of(compiled('bytes'), scratch_in($setup->{tmpfs}) . '/file', $kib) },
    };
}

1;
