#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A bare Debian 12, and a bare 13, with git, and nothing else: README's two commands do there what README says, quickstart a second time,
# too; and make check passes with what a build needs, which is less than what the tests can use.
#
# It needs root and a mirror of Debian, and takes an hour: BONNIE_TEST_LONG=1. The system is made in
# BONNIE_TEST_CHROOT, by default TMPDIR; BONNIE_TEST_RELEASES names other releases.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BareDebian   qw(copy_sources debootstrap in_machine new_place why_none);
use PackageBuild qw(give_up);
use SweepSize    qw(is_long);

plan skip_all => 'both commands on a bare Debian take long' if !is_long();
my $why = why_none();
plan skip_all => $why if $why;

my $root;

# Runs a command in the directory of the sources. Returns what it printed,
# without colours.
sub succeeds {
    my ($command, $name) = @_;
    my ($text, $rc) = in_machine("$root", "cd /srv/bonnie\n$command");
    is($rc, 0, $name) or give_up($text);
    return $text;
}

# Runs a test command, which says at its end that all checks passed, and that they were many.
sub all_pass {
    my ($command, $least, $name) = @_;
    my ($text,   $rc)     = in_machine("$root", "cd /srv/bonnie\n$command");
    my ($passed, $failed) = $text =~ /^(\d+) passed, (\d+) failed(?:, \d+ skipped)?$(?!.*^\d+ passed)/ms;
    is("$failed failed, status $rc", '0 failed, status 0', $name) or diag(join "\n", $text =~ /^(#? *#   Failed test .*\n(?:#.*\n){0,8})/mg, substr $text, -8000);
    cmp_ok($passed, '>', $least, "many passed: $passed");
    return;
}

for my $release (split q{ }, $ENV{BONNIE_TEST_RELEASES} // 'bookworm trixie') {
    $root = new_place();
    my ($made, $status) = debootstrap("$root", $release, qw(ca-certificates git));
    plan skip_all => 'no mirror of Debian can be reached' if $status != 0 && !Test::More->builder->current_test && $made =~ /Failed getting release file/;
    is($status, 0, "debootstrap $release") or give_up($made);

    copy_sources("$root/srv/bonnie");
    succeeds('git init -q; git add .; git -c user.name=test -c user.email=test commit -qm test', 'a clone');
    succeeds("! command -v $_", "there is no $_") for qw(autoreconf gcc make strace);

    # ---- how fast is this directory? ----

    my $first = succeeds('./scripts/quickstart', 'scripts/quickstart');
    is(() = $first =~ /^scripts\/setup: installing: .* \(.*log: .*\)$/mg, 1, 'one line about packages');
    my $answers = qr/^Building in .*^\/srv\/bonnie: .*^Write .*^Read .*^Durable .*^Files .*^The same rows, longer: +bonnie --time=\S+ -s \S+ \/srv\/bonnie\n.*^The same as a page: (\S+bonnie\.html)\n.*^To install it: /ms;
    like($first, $answers, 'the table, what limited it, and what to run');

    my $second = succeeds('./scripts/quickstart', 'and once more');
    unlike($second, qr/installing/, 'nothing is installed');
    like($second, $answers, 'with the same answers');

    # ---- does it work here? ----

    succeeds("! command -v $_", "there still is no $_") for qw(mkfs.xfs strace);
    all_pass('make -C build/quickstart check', 500, 'make check with what a build needs');
    all_pass('./scripts/test', 5000, 'scripts/test');
    is(succeeds('git status --porcelain', 'git status'), q{}, 'nothing is left among the sources');
}

done_testing();
