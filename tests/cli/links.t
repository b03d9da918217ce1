#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Every program follows a user's ordinary links: /data -> /mnt/x, and a link to a disk as in
# /dev/disk/by-id.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(bonnie finish is_used mark run_tool scratch_on_disk start tree wait_until wait_until_closed);
use LoadRun    qw(bonload);
use RunProgram qw(data_file path_of slurp spew);

my $top = scratch_on_disk();
mkdir "$top/x" or die "$top/x: $!\n";
symlink 'x', "$top/data" or die "$top/data: $!\n";
my $data = "$top/data";

sub works { my ($name, $run) = @_; return is($run->{status}, 0, "$name works through a link") || diag $run->{err} }

# The same, for a program that makes files where the link leads, in $dir.
sub works_in {
    my ($dir, $name, $program, @args) = @_;
    mark($dir);
    works($name, run_tool($program, @args));
    ok(is_used($dir), 'files are made where it leads');
    return;
}

mkdir "$top/x/load" or die "$top/x/load: $!\n";
my $bonnie = BonnieRun::program();
works_in("$top/x", 'bonnie -d', $bonnie, '-d', $data, qw(-r0 -q -s1 -n0), '--tests=putc,put_block');
works_in("$top/x", 'bonnie -d, with a slash', $bonnie, '-d', "$data/", qw(-r0 -q -s1 -n0 --tests=put_block), "--output=$data/report");
works_in("$top/x", 'getc_putc -d', 'getc_putc', '-d', $data, '-s1');
works_in("$top/x", 'generate_randfile', 'generate_randfile', '-f', "$data/random", 1 << 19);
works_in("$top/x", 'zcav', 'zcav', '-q', '-b1', '-l', "$data/log", "$data/random");
works_in("$top/x/load", "bonload $_", 'bonload', '-show-progress=false', "-requests-engine=$_", '-wt=1', "-url=$data/load/$_-XXX", qw(-max-requests=50 -max-errors=100 -body-size=100)) for qw(disk meta);

my $killed = start('-d', $data, qw(-r0 -q -s0 -n1 -x1000000));
wait_until('files', sub { grep {m{/d00000/}} tree("$top/x") });
kill KILL => $killed->{pid};
finish($killed);
wait_until_closed($_) for glob "$top/x/bonnie.*";
works('bonnie --cleanup', bonnie('-d', $data, '--cleanup'));
is_deeply([ glob "$top/x/bonnie.*" ], [], 'what a killed run left is removed');

for my $converter (qw(bon_csv2txt bon_csv2html)) {
    symlink data_file('lab.csv'), "$top/in.csv";
    is(system("'$^X' '@{[ path_of($converter) ]}' -o '$data/$converter' '$top/in.csv'"), 0, "$converter works through links");
}
for my $file (qw(report random log bon_csv2txt bon_csv2html)) {
    ok(-s "$top/x/$file", "$file is where the link leads");
}

SKIP: {
    skip 'needs root and mounts of its own', 3 if !Root::may_mount();
    spew("$top/image", 'x' x (4 << 20));
    my $loop = Root::loop("$top/image");
    mkdir "$top/by-id";
    symlink $loop, "$top/by-id/disk" or die "symlink: $!\n";
    works('zcav of a disk', run_tool('zcav', '-q', '-b1', "$top/by-id/disk"));
    works('zcav -w of a disk', run_tool('zcav', '-q', '-b1', '-w', '--yes', "$top/by-id/disk"));
    isnt(slurp($loop), 'x' x (4 << 20), 'writes where it leads');
    system 'losetup', '-d', $loop;
}

done_testing();
