#!/usr/bin/perl
# Every program follows a user's ordinary links: /data -> /mnt/x, and a link to a disk as in
# /dev/disk/by-id.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(bonnie run_tool scratch scratch_on_disk tree);
use LoadRun    qw(bonload);
use RunProgram qw(data_file path_of spew);

my $top = scratch_on_disk();
mkdir "$top/x" or die "$top/x: $!\n";
symlink 'x', "$top/data" or die "$top/data: $!\n";
my $data = "$top/data";

sub works { my ($name, $run) = @_; return is($run->{status}, 0, "$name works through a link") || diag $run->{err} }

works('bonnie -d', bonnie('-d', $data, qw(-r0 -q -s1 -n0), '--tests=putc,put_block'));
works('bonnie -d, with a slash', bonnie('-d', "$data/", qw(-r0 -q -s1 -n0 --tests=put_block), "--output=$data/report"));
works('bonnie --cleanup', bonnie('-d', $data, '--cleanup'));
works('getc_putc -d', run_tool('getc_putc', '-d', $data, '-s1'));
works('generate_randfile', run_tool('generate_randfile', '-f', "$data/random", 1 << 19));
works('zcav', run_tool('zcav', '-q', '-b1', '-l', "$data/log", "$data/random"));
works("bonload $_", bonload("-requests-engine=$_", '-wt=1', "-url=$data/load/XXX", qw(-max-requests=50 -mkdirs -max-errors=100 -body-size=100))) for qw(disk meta);
for my $converter (qw(bon_csv2txt bon_csv2html)) {
    symlink data_file('lab.csv'), "$top/in.csv";
    is(system("'$^X' '@{[ path_of($converter) ]}' -o '$data/$converter' '$top/in.csv'"), 0, "$converter works through links");
}
for my $file (qw(report random log bon_csv2txt bon_csv2html)) {
    ok(-s "$top/x/$file", "$file is where the link leads");
}

SKIP: {
    skip 'needs root and mounts of its own', 1 if !Root::may_mount();
    spew("$top/image", 'x' x (4 << 20));
    my $loop = Root::loop("$top/image");
    mkdir "$top/by-id";
    symlink $loop, "$top/by-id/disk" or die "symlink: $!\n";
    works('zcav of a disk', run_tool('zcav', '-q', '-b1', "$top/by-id/disk"));
    works('zcav -w of a disk', run_tool('zcav', '-q', '-b1', '-w', '--yes', "$top/by-id/disk"));
    system 'losetup', '-d', $loop;
}

done_testing();
