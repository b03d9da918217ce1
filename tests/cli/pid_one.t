#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Every program as process 1 of a container, to which a signal does nothing that is not caught: asked
# to end, it ends with 128 + the signal's number, never as if all were well, and leaves nothing behind.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(%SIGNAL finish is_alive mark is_used scratch_on_disk start tree wait_until);
use RunProgram qw(slurp spew);

my @ONE = qw(unshare --pid --fork --kill-child --mount-proc);
plan skip_all => 'needs root and PID namespaces' if $> != 0 || system("@ONE true 2>/dev/null") != 0;

my $dir = scratch_on_disk();
mkdir "$dir/in" or die "$dir/in: $!\n";
spew("$dir/device", 'x' x (1 << 20));

# Starts a program and returns when it is at work, with its number here.
sub begin {
    my ($is_at_work, $program, @args) = @_;
    mark("$dir/in");
    my $run = start({ program => $program, wrap => [@ONE] }, @args);
    wait_until("$program at work", sub { $is_at_work->($run) || !is_alive($run->{pid}) });
    my ($one) = (eval { slurp("/proc/$run->{pid}/task/$run->{pid}/children") } // q{}) =~ /(\d+)/;
    return ($run, $one);
}

my $uses   = sub { return is_used("$dir/in") };
my $prints = sub { my ($run) = @_; return slurp($run->{out_file}) ne q{} };
my @load   = (qw(-rt=1 -requests-engine=sleep -duration=1000s), "-live-file=$dir/live");
my $lives  = sub { return -s "$dir/live" };
for my $case (
    [ $uses,   'bonnie',  '-d', "$dir/in", qw(-r0 -s1 -n0 -f -x1000000) ],
    [ $uses,   'bonnie',  "$dir/in" ],
    [ $uses,   'bonnie',  '--preset=gobonniego', '-dir', "$dir/in", qw(-size 0.01 -seconds 1000) ],
    [ $prints, 'zcav',    qw(-b1 -c 1000000), "$dir/device" ],
    [ $prints, 'boncut',  'write', "$dir/in" ], # leaves what a check needs
    [ $uses,   'bonload', '-good-for=etcd', "$dir/in" ],
    [ $lives,  'bonload', @load ],
    [ $lives,  'bonload', @load, '--json' ],
) {
    my ($at_work, $program, @args) = @{$case};
    for my $signal (qw(TERM INT)) {
        unlink "$dir/live";
        my ($run, $one) = begin($at_work, $program, @args);
        kill $signal => $one;
        is(finish($run)->{status}, 128 + $SIGNAL{$signal}, "$signal to $program @args") or diag "$run->{out}$run->{err}";
        system 'rm', '-rf', glob "$dir/in/boncut.*" if $program eq 'boncut';
        is_deeply([ tree("$dir/in") ], [], 'nothing is left');
    }
}

# Each request takes seconds: the second signal does not wait for them.
unlink "$dir/live";
my ($run, $one) = begin($lives, 'bonload', @load, '-rt=500');
wait_until('the end', sub { kill INT => $one; !is_alive($one) });
is(finish($run)->{status}, 130, 'the second signal ends it at once');
is($run->{out}, q{}, 'without figures');

done_testing();
