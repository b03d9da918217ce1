#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The per-character tests: how many characters they move with -f and with the
# preset, and which functions they call.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(bonnie csv_of have scratch);
use RunProgram qw(slurp spew);

my $dir = scratch();
my $cc = $ENV{BONNIE_CC} // 'cc';
plan skip_all => 'no C compiler for a library that counts calls' if !have($cc =~ /(\S+)\z/);

# A library that is loaded before the C library and counts the program's calls.
spew("$dir/count.c", <<'END');
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static unsigned long puts_, gets_;
int putc(int c, FILE *f) { __atomic_add_fetch(&puts_, 1, 5); return fputc(c, f); }
int getc(FILE *f) { __atomic_add_fetch(&gets_, 1, 5); return fgetc(f); }
__attribute__((destructor)) static void tell(void)
{
    FILE *f = fopen(getenv("COUNTED"), "a");
    if (f && puts_ + gets_)
        fprintf(f, "%lu %lu\n", puts_, gets_);
    if (f)
        fclose(f);
}
END
is(system("$cc -shared -fPIC -o $dir/count.so $dir/count.c -ldl 2>$dir/log"), 0, 'the library is made') or diag(slurp("$dir/log"));

my $env = {
    LD_PRELOAD => "$dir/count.so",
    COUNTED    => "$dir/counted",
    ASAN_OPTIONS => join q{:}, grep {defined} $ENV{ASAN_OPTIONS}, 'verify_asan_link_order=0',
};

sub counted {
    spew("$dir/counted", q{});
    my $run = bonnie({ env => $env }, '-d', $dir, qw(-r0 -n0 -q --cache=keep), @_);
    my $csv = csv_of($run);
    ok($run->{status} eq "0" && $csv->{putc_latency} && $csv->{getc_latency}, "@_");
    return slurp("$dir/counted");
}

my $mib = 1 << 20;
my @both = ('--tests', 'putc,getc');
is(counted('-s3', @both),           3 * $mib . q{ } . 3 * $mib . "\n",   'putc and getc on every byte');
is(counted('-s30', @both),          20 * $mib . q{ } . 20 * $mib . "\n", 'of 20 MiB at most');
is(counted('-s30', '-f2', @both),   2 * $mib . q{ } . 2 * $mib . "\n",   '-f2: of 2 MiB');
is(counted('-s30', '-f100k', @both), 102400 . q{ } . 102400 . "\n",      '-f100k: of 100 KiB');
is(counted('-s30', '--fast=1m', @both), $mib . q{ } . $mib . "\n",       '--fast=1m');
is(counted('-s2', '-f9', @both),    2 * $mib . q{ } . 2 * $mib . "\n",   'never more than there is');
is(counted('-s4', '-c3', @both),    4 * $mib . q{ } . 4 * $mib . "\n",   'shared out among workers');
is(counted('-s25', '--preset=bonnie', '--format=csv', @both), 25 * $mib . q{ } . 25 * $mib . "\n", 'preset bonnie: the whole file');

done_testing();
