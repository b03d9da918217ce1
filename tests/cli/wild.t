#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Public scripts have these command lines for Bonnie++. The program accepts each of them as
# it is, and each works with small sizes.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(bonnie is_used mark scratch);
use RunProgram qw(data_file);
use Turn       qw(wait_for_turn);

plan skip_all => 'this root may not make users that are there for a moment' if Root::is_root() && !Root::may_mount();
wait_for_turn('/proc/sys/kernel/sem'); # the key of the semaphores depends only on the user
my $root = Root::is_root();
my $dir  = scratch(oct 777);
if (Root::may_mount()) {
    Root::make_users(xmail => 7001, antonio => 7002, me => 7003, pi => 7004, testsuite => 7005);
    $dir = Root::tmpfs('size=200m');
}

open my $list, '<', data_file('wild_commands.txt') or die "wild_commands.txt: $!\n";
chomp(my @lines = readline $list);
is(scalar @lines, 61, 'all the lines are there');

# Values for placeholders, by the option before them.
my %placeholder = (
    '-d' => "$dir", '-s' => '4', '-n' => '1', '-m' => 'lab', '-r' => '2', '-x' => '1', '-u' => $root ? 'nobody' : $>,
);

sub words {
    my ($line) = @_;
    my @words = split q{ }, $line;
    for my $i (0 .. $#words) {
        $words[$i] = $placeholder{ $words[ $i - 1 ] } if $words[$i] =~ /\A[A-Z]{1,2}\z/;
        $words[$i] = "-d$dir" if $words[$i] eq '-dD';
    }
    return @words;
}

# The same words with smaller numbers of files, sizes and numbers of runs; the fields stay.
sub small {
    my (@words) = @_;
    my $joined = join "\n", @words, q{};
    $joined =~ s{^-s\n?(:?)(\w+)}{ $2 eq '0' ? $& : "-s\n${1}4" }me;
    $joined =~ s{^-n\n?(\d+)((?::\d\w*)*)}{ $1 ? "-n\n1" . small_fields($2) : $& }me;
    $joined =~ s{^-x\n?\d+}{-x\n2}m;
    $joined =~ s{^-d\n?\S+}{-d\n$dir}m;
    if (!$root) { # others cannot change to another user
        $joined =~ s{^-u\n?\S+}{-u\n$>}m;
    }
    return split /\n/, $joined;
}

# Reduces ":MAX:MIN:DIRS" to at most 16 KiB and 50 directories.
sub small_fields {
    my ($fields) = @_;
    my (undef, $max, $min, $dirs) = split /:/, $fields;
    my $cut = sub { my ($value, $most) = @_; return defined $value ? $value =~ /\A\d+\z/ && $value <= $most ? $value : $most : () };
    return join q{}, map {":$_"} $cut->($max, 16384), $cut->($min, 16384), $cut->($dirs, 50);
}

for my $line (@lines) {
    my @words = words($line);
    my $as_written = bonnie(@words, '-V');
    is("$as_written->{status}$as_written->{err}", '0', "understood: $line");
    isnt($as_written->{out}, q{}, 'and answered');
SKIP: {
        skip 'only root can become another group', 1 if !$root && $line =~ /-g/;
        my @add = $line =~ /-p/ ? () : ($line =~ /-s/ ? () : '-s4', $line =~ /-n/ ? () : '-n1', "-d$dir");
        mark("$dir");
        my $run = bonnie({ dir => "$dir" }, small(@words), @add);
        is($run->{status}, 0, "runs: $line") or diag($run->{err});
        ok(is_used($dir), 'makes its files') if $line !~ /-p/;
        like($run->{out}, qr/^1[.]98,/m, 'with a result') if $line !~ /-p/;
        # Without this, a later line with -y would wait for other processes.
        bonnie('-p', '-1', $line =~ /-u nobody/ && $root ? qw(-u nobody) : ()) if $line =~ /-p/;
    }
}

opendir my $left, "$dir" or die "$dir: $!\n";
is_deeply([ grep { !/\A[.]{1,2}\z/ } readdir $left ], [], 'nothing is left in the directory');
done_testing();
