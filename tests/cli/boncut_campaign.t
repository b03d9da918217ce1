#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# boncut campaign, audit and fs-shutdown, with this machine as the victim: a cut that does nothing,
# and one of a single filesystem; campaigns that are interrupted and continued; commands that hang,
# and victims that do not come back.

use strict;
use warnings;
use Cwd            qw(abs_path);
use File::Basename qw(dirname);
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP       ();
use Test::More;
use BonnieRun  qw(have program refused_ok run_tool scratch_on_disk source tree wait_until);
use JsonSchema qw(schema_errors);
use RunProgram qw(quoted slurp spew);
use Trace      qw(can_trace);

my $dir = scratch_on_disk();
mkdir "$dir/test" or die "$dir/test: $!\n";
my $schema = JSON::PP::decode_json(slurp(source('share/boncut.schema.json')));
my $bin    = abs_path(dirname(program('boncut')));
my $victim = 'env ' . quoted("PATH=$bin:$ENV{PATH}");

sub boncut { return run_tool('boncut', @_) }

sub campaign {
    my ($logs, @more) = @_;
    return ('campaign', "--victim=$victim", '--after=10ms..50ms', '--write-options=-c1 --units=2 --methods=fsync', "--logs=$dir/$logs", @more, "$dir/test");
}

# ---- wrong use -----------------------------------------------------------------------------------

refused_ok(boncut('campaign', @{$_}[ 1 .. $#{$_} ]), $_->[0], "refused: @{$_}[1 .. $#{$_}]") for (
    [qr/--victim is missing/, "$dir/test"],
    [qr/--cut is missing/,    '--victim=true', "$dir/test"],
    [qr/--logs is missing/,   '--victim=true', '--cut=true', "$dir/test"],
    [qr/a shell would not leave/, '--victim=true', '--cut=true', "--logs=$dir/l", "$dir/a b"],
    [qr/MIN[.][.]MAX/,        '--after=9s..1s', '--victim=true', '--cut=true', "--logs=$dir/l", "$dir/test"],
    [qr/from 1 to 9999/,      '--cuts=0', "$dir/test"],
);

# ---- a cut that does nothing ---------------------------------------------------------------------

my $none = boncut(campaign('none', '--cut=true', '--same-boot', '--cuts=2', '--json'));
is($none->{status}, 3, 'nothing is cut: inconclusive') or diag($none->{err});
my $report = JSON::PP::decode_json($none->{out});
is_deeply([ schema_errors($schema, $report) ], [], 'the JSON is as its schema says');
is_deeply([ $report->{verdict}, @{ $report->{sum} }{qw(cuts conclusive)} ], [ 'not_known', 2, 0 ], 'and says so');
is_deeply([ tree("$dir/none") ], [ map { ("000$_.json", "000$_.promises", "000$_.said") } 1, 2 ], 'everything of both cuts is kept');
my $before = slurp("$dir/none/0002.promises");
is(boncut(campaign('none', '--cut=true', '--same-boot', '--cuts=3'))->{status}, 3, 'with one cut more');
is(slurp("$dir/none/0002.promises"), $before, 'the others are not made again');
ok(-s "$dir/none/0003.json", 'and that one is');

my $unmounted = boncut(campaign('lost', '--cut=true', '--same-boot', '--cuts=1', "--before-check=rm -r $dir/test/boncut.*; exit 7"));
is($unmounted->{status}, 2, 'what cannot be mounted is lost') or diag($unmounted->{err});
like($unmounted->{out}, qr/^LOST: lost in 1 of 1 cuts [(]95 % interval: 2[.]5 to\s100 %[)]/m, 'with its bounds');
my $lost = JSON::PP::decode_json(slurp("$dir/lost/0001.json"));
is_deeply([ schema_errors($schema, $lost) ], [], 'its report is as any other');
like($lost->{reason}, qr/is on a filesystem that does not mount, with all of [1-9]\d* promises/, 'and says so');

# What the command says when it did not run says nothing of the filesystem: the cut is made once more.
my $ssh = boncut(campaign('ssh', "--cut=echo cut >>$dir/cuts", '--same-boot', '--cuts=1', '--before-check=exit 255'));
is($ssh->{status}, 1, 'a --before-check with the status of ssh: status 1');
like($ssh->{err}, qr/\Aboncut: cut 1: --before-check ended with status 255; [^\n]*; nothing could be judged, in two attempts\n\z/, 'and why');
is(slurp("$dir/cuts"), "cut\ncut\n", 'after a second cut');
unlink "$dir/cuts";
my $recovers = boncut(campaign('recovers', '--cut=true', '--same-boot', '--cuts=1', "--before-check=test -e $dir/tried || { touch $dir/tried; exit 255; }"));
is($recovers->{status}, 3, 'once is no failure') or diag($recovers->{err});
unlink "$dir/tried";

# ---- failures ------------------------------------------------------------------------------------

sub fails {
    my ($name, $reason, @how) = @_;
    my $run = boncut(@how);
    is($run->{status}, 1, "$name: status 1");
    like($run->{err}, qr/\Aboncut: cut 1: [^\n]*\n\z/, 'one line');
    like($run->{err}, $reason, 'which says why');
    return;
}
fails('the boot id stays', qr/did not come up again, with a new boot id/, campaign('boot', '--cut=true', '--timeout=0.5', '--cuts=1'));
fails('a victim that cannot write', qr/boncut --cleanup ended with status 127/, 'campaign', "--victim=$dir/nobody", '--cut=true', "--logs=$dir/no", "$dir/test");

# A command that does not hang may take this many seconds, on this machine just now.
my ($patience, $hangs) = (1);
while (1) {
    $hangs = boncut(campaign("hang$patience", '--cut=true', '--same-boot', "--patience=$patience", '--before-check=sleep 1000', '--cuts=1'));
    last if $hangs->{err} =~ /--before-check/ || $patience > 100;
    $patience *= 3;
}
is($hangs->{status}, 1, 'a command that hangs: status 1');
like($hangs->{err}, qr/\Aboncut: cut 1: --before-check did not end in time[^\n]*\n\z/, 'one line, which says why');
my $endless;
do {
    $endless = boncut(campaign("cut$patience", '--cut=sleep 1000', '--same-boot', "--patience=$patience", '--cuts=1'));
    $patience *= 3;
} while $endless->{status} eq '1' && $endless->{err} =~ /did not end in time/ && $patience < 100;
is($endless->{status}, 3, 'a cut that hangs is ended') or diag($endless->{err});

# ---- interrupted, and continued ------------------------------------------------------------------

# The cut command that follows cut number $cut sends a signal to the campaign, which is the parent
# of its parent.
sub ended_after {
    my ($signal, $cut) = @_;
    my $sends = "{ read -r _ _ _ campaign _ </proc/\$PPID/stat; kill -$signal \$campaign; sleep 1000; }";
    return boncut(campaign('again', "--cut=test ! -e $dir/again/$cut.json || $sends", '--same-boot', '--cuts=4'))->{status};
}
is(ended_after(INT => '0001'), 'signal 2', 'INT ends it');
my $first = slurp("$dir/again/0001.promises");
is(ended_after(KILL => '0002'), 'signal 9', 'KILL, too');
ok(eval { wait_until('the end', sub { !grep { (eval { slurp($_) } // q{}) =~ /write\0.*\Q$dir\E/s } glob '/proc/[0-9]*/cmdline' }) }, 'and the writer');
is(boncut(campaign('again', '--cut=true', '--same-boot', '--cuts=4'))->{status}, 3, 'the same command goes on');
is(slurp("$dir/again/0001.promises"), $first, 'after what was done');
is(scalar(grep {/json\z/} tree("$dir/again")), 4, 'to the end');

# ---- reports of others ---------------------------------------------------------------------------

# Puts a report into a directory of logs, where a campaign of one cut finds it.
sub found_report {
    my ($logs, $text, $size) = @_;
    my $report = { verdict => 'lost', layer_cut => 'drive', reason => $text, sum => { promises => 1, units => 1 } };
    mkdir "$dir/$logs" or die "$dir/$logs: $!\n";
    spew("$dir/$logs/0001.json", JSON::PP::encode_json($report) . q{ } x $size);
    return campaign($logs, '--cut=true', '--same-boot', '--cuts=1');
}

my $wild = boncut(found_report('wild', "\e[2J\x{9b}31m\nKEPT", 0));
is($wild->{status}, 2, 'a report that is there counts');
like($wild->{out}, qr/\ALOST: lost in 1 of 1 cuts[^\e]*\n\ncut 1: LOST: [?]\[2J[?]31m KEPT\n\z/, 'and nothing in it controls the terminal');
refused_ok(boncut(found_report('huge', 'LOST', 30_000_000)), qr{huge/0001[.]json: it is larger than 16 MiB; remove this file}, 'one of 30 MB');
my @large = found_report('large', 'LOST', 8_000_000);
is(boncut(@large)->{status}, 2, 'one of 8 MB');
SKIP: {
    skip 'strace cannot trace here', 1 if !can_trace();
    boncut({ wrap => [ qw(strace -qq -e trace=read -o), "$dir/reads", '--' ] }, @large);
    cmp_ok(slurp("$dir/reads") =~ tr/\n//, '<', 20_000, 'is read in pieces');
}
SKIP: {
    skip 'needs root', 1 if $> != 0;
    my @forged = found_report('forged', 'LOST', 0);
    chown 65534, 65534, "$dir/forged/0001.json";
    refused_ok(boncut(@forged), qr{forged/0001[.]json: it belongs to uid 65534, so another user may have made it up; remove}, 'one of another user');
}

# ---- shutting down a filesystem alone ------------------------------------------------------------

SKIP: {
    skip 'needs root, losetup, mkfs.ext4 and mounts of its own', 11
        if $> != 0 || !have(qw(losetup mkfs.ext4 unshare)) || system('unshare -m true 2>/dev/null') != 0;
    refused_ok(boncut('fs-shutdown', '--yes', '/'), qr/root filesystem/, 'never the root filesystem');
    spew("$dir/image", q{});
    truncate "$dir/image", 64 << 20;
    mkdir "$dir/mnt" or die "$dir/mnt: $!\n";
    chomp(my $loop = qx(mkfs.ext4 -q -F '$dir/image' && losetup -f --show '$dir/image'));
    skip 'there is no loop device', 10 if $loop !~ m{\A/dev/};
    my $program = quoted(program('boncut'));
    my $by      = quoted("--victim=$victim");
    my $cut     = quoted("--cut=$program fs-shutdown --yes $dir/mnt");
    spew("$dir/script", <<~"END");
        mount -o barrier=0 $loop $dir/mnt && $program audit $dir/mnt; echo \$? && umount $dir/mnt
        mount $loop $dir/mnt && $program audit $dir/mnt; echo \$?
        $program campaign $by $cut --before-check='for i in \$(seq 100); do umount $dir/mnt && break; sleep .1; done; mount $loop $dir/mnt' \\
            --write-options=--methods=fsync,create --same-boot --after=1s..2s --cuts=2 --logs=$dir/shut --html=$dir/page.html $dir/mnt; echo \$?
        $program write --methods=fsync $dir/mnt >$dir/promises & until [ -s $dir/promises ]; do sleep .05; done
        $program fs-shutdown --yes $dir/mnt; wait \$!; echo "writer: \$?"
        for i in \$(seq 100); do umount $dir/mnt && break; sleep .1; done
        mount $loop $dir/mnt; echo
        $program campaign $by '--cut=umount -l $dir/mnt' --write-options=--methods=fsync --same-boot --after=10ms..50ms --cuts=1 --logs=$dir/lazy $dir/mnt; echo "unmounted: \$?"
        END
    # The method syncfs is left out, because for a moment after each syncfs
    # nothing is at stake.
    my $said = qx(unshare -m sh '$dir/script' 2>&1);
    system "losetup -d $loop";
    my ($lying, $honest, $cuts) = $said =~ /\A(.*?^\d$)\n(.*?^\d$)\n(.*)/ms;
    like($lying, qr/\ANot durable: nobarrier: the filesystem sends no flush.*\bno\s+(?:flush|write)\s+reaches\s+it\n.*\n2\z/ms, 'audit: barrier=0');
    like($honest, qr/^Durability is not ruled out: flushes reach \w+ \(.*\n0\z/ms, 'audit: and without it') or diag($said);
    my @kept = ($cuts // q{}) =~ /^cut \d: KEPT as far as the kernel: \d+ promises of \d+ units, none\s+lost[.]\s+The\s+drive\s+was\s+not\s+tested:/mg;
    is(scalar @kept, 2, 'fs-shutdown: nothing is lost, and the drive was not tested') or diag($said);
    like($cuts, qr/^KEPT: 0 of \d+ promises lost in 2 cuts, so\s+fewer\s+than\s+77[.]6\s+%\s+of\s+cuts\s+lose\s.*;\s+no\s+cut\s+reached\s+the\s+drive's\s+cache/ms, 'which the verdict says');
    like($cuts, qr/^0\n/m, 'with status 0');
    like($cuts, qr/^writer: 137\n/m, 'the writer is killed, and cannot report what is not durable');
    like($cuts, qr/^cut 1 of 2: KEPT as far as the kernel\ncut 2 of 2: KEPT as far as the kernel$/m, 'told when they are made');
    like($cuts, qr/^boncut: cut 1: \Q$dir\E\/mnt is on the filesystem with the UUID [^\n]*: is that one mounted\?\nunmounted: 1\n/m, 'an unmounted filesystem is not a lost one') or diag($said);
    ok(!-e "$dir/lazy/0001.json", 'and has no verdict');
    is_deeply([ tree("$dir/mnt") ], [], 'nor files on the one below');
    like(-e "$dir/page.html" ? slurp("$dir/page.html") : q{}, qr/0 of \d+ promises lost in 2 cuts/, 'and its page');
}
like(boncut('audit', '/dev/shm')->{out}, qr/\ANot durable: tmpfs: everything is in memory: nothing written here survives a\s+crash\.$/m, 'audit: tmpfs') if -w '/dev/shm' && qx(stat -f -c %T /dev/shm) eq "tmpfs\n";

done_testing();
