#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian 13 beside 12, on which all other tests run: it has other words of Open MPI, another libaio, libcurl and fish, and numbers of
# users. The tests that have met these run in a bare system, which is made in BONNIE_TEST_CHROOT, by default TMPDIR. bare.t, which takes
# long, runs all.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BareDebian   qw(copy_sources debootstrap in_machine new_place why_none);
use PackageBuild qw(give_up);

my $CLI   = 'bonload_http bonload_mpi completions engines faults mpi_faults privilege seed';
my $FAULT = 'calls';

my $why = why_none();
plan skip_all => $why if $why;

my $root = new_place();
my ($made, $status) = debootstrap("$root", 'trixie', qw(ca-certificates git));
plan skip_all => 'no mirror of Debian can be reached' if $status != 0 && $made =~ /Failed getting release file/;
is($status, 0, 'debootstrap') or give_up($made);
copy_sources("$root/srv/bonnie");
my ($text, $rc) = in_machine("$root", <<"END");
cd /srv/bonnie
git init -q; git add .; git -c user.name=test -c user.email=test commit -qm test
./scripts/setup test
TOP=/srv/bonnie; . scripts/lib/build.sh
configure_in test-gcc CC=gcc --enable-werror --with-mpi=mpicc.openmpi
export BONNIE_TEST_AGAIN=1
make_in test-gcc check CLI_TESTS='$CLI' FAULT_TESTS='$FAULT' ATTACK_TESTS= CUT_TESTS= MODULE_TESTS= CHECK_TESTS=
END
my ($passed, $failed) = $text =~ /^(\d+) passed, (\d+) failed/m;
is($failed, 0, 'Debian 13: 0 failed') or give_up(join "\n", $text =~ /^(#? *#   Failed test .*\n(?:#.*\n){0,8})/mg, $text);
is($rc, 0, 'make check') or give_up($text);
cmp_ok($passed // 0, '>', 1000, 'many passed: ' . ($passed // 0));

done_testing();
