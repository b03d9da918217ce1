#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# SIGKILL at random moments, every program of the suite. Its processes end by themselves, and one
# --cleanup, of whichever program, removes what is left: directories, trace instances, semaphores.

use strict;
use warnings;
use Cwd            qw(abs_path);
use File::Basename qw(dirname);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Time::HiRes qw(sleep);
use Root ();
BEGIN { Root::private_mounts() }
use BonnieRun  qw(bonnie finish program run_tool scratch_on_disk start wait_until);
use Ranks      qw(mpi_missing start_ranks);
use RunProgram qw(path_of quoted slurp spew);
use SweepSize  qw(sized);
use TailRun    qw($TRACING);

my $KILLS = sized(3, 5, 100);

# The programs to kill: those that the environment names, or all.
my $CHOICE = $ENV{BONNIE_TEST_SCENES} // q{};
my $base  = scratch_on_disk();
my $dir   = "$base/test";
mkdir $dir or die "$dir: $!\n";
system "mount -t tracefs tracefs $TRACING 2>/dev/null" if Root::may_mount() && !-d "$TRACING/instances";
my $bin     = abs_path(dirname(program()));
my $explain = -w "$TRACING/instances" && Root::is_root();
spew("$base/device", 'x' x 1_000_000);

# What Open MPI leaves when its launcher is killed is its own.
mkdir "$base/mpi" or die "$base/mpi: $!\n";
my %OF_MPI = (TMPDIR => "$base/mpi", OMPI_MCA_btl_vader_backing_directory => "$base/mpi", OMPI_MCA_odls_base_sigkill_timeout => 6);

# What bon_ab runs.
my $FILES = join q{ }, quoted(program()), '-d', $dir, qw(-r0 -q -s0 -n2:100:0:3 -x10 --cache=keep);

# Programs and their arguments; those with `makes` have a directory to leave. Of those with `ranks`
# the launcher or one of the ranks is killed.
my @runs = (
    { program => 'bonnie', makes => 1, args => [ '-d', $dir, qw(-r0 -q -s0 -n2:100:0:3 -x1000000 --cache=keep) ] },
    { program => 'bonnie', args => [ '-d', $dir, qw(-r0 -q -s1:16k:40:3 -n1 -f -x1000000), $explain ? '--explain-tail' : () ] },
    { program => 'bonnie', makes => 1, semaphores => 1, args => [ '-d', $dir, qw(-r0 -q -y -s0 -n1:100:0:3 -x1000000 --cache=keep) ] },
    { program => 'bonload', makes => 1, args => [ '-good-for=maildir', '-duration', '9s', $dir ] },
    { program => 'bonload', args => [ '-wt', 2, '-body-size', '4KiB', '-duration', '9s', '-mkdirs', $explain ? '-explain-tail' : (), "$dir/load/NNN" ] },
    { program => 'bonload', args => [ qw(-rt 2 -duration 9s -requests-engine null) ] },
    { program => 'boncut', makes => 1, args => [ qw(write -c2 --units=4), $dir ] },
    { program => 'boncut', makes => 1, args => [ 'audit', $dir ] },
    { program => 'boncut', makes => 1,
        args => [ 'campaign', '--victim=env ' . quoted("PATH=$bin:$ENV{PATH}"), qw(--cut=true --same-boot --cuts=1000 --after=10ms..20ms), '--write-options=-c1 --units=2 --methods=fsync', "--logs=$base/logs", $dir ] },
    { program => 'getc_putc', makes => 1, args => [ '-d', $dir, qw(-q -s 100g) ] },
    { program => 'zcav', args => [ qw(-c 100000 -b 1), "$base/device" ] },
    { program => 'generate_randfile', args => [ '--file', "$dir/random", 100_000_000 ] },
    { program => $^X, name => 'bon_ab', args => [ path_of('bon_ab'), '--a', $FILES, '--b', $FILES, '--beside-b', 'sleep 1000', '--keep', "$base/kept" ] },
    (   mpi_missing() ? () : (
            { program => 'bonnie-mpi', ranks => 2, makes => 1, args => [ '-d', $dir, qw(-r0 -q -s0 -n2:100:0:3 -x1000000 --cache=keep) ] },
            { program => 'bonload-mpi', ranks => 2, args => [ qw(-wt 4 -body-size 4KiB -duration 9s -mkdirs), "$dir/load/NNN" ] },
        )
    ),
);

# One way to clean up for each run, in turn. Only bonnie makes semaphores, and removes them.
my @cleanups = (
    [ 'bonnie', '-d', $dir, '--cleanup' ],
    [ 'boncut', '--cleanup', $dir ],
    [ 'bonload', "-cleanup", "$dir" ],
    [ 'getc_putc', '--cleanup', '-d', $dir ],
);

# Processes that one of our runs has started, however they have left its group and session.
sub processes {
    my ($mark) = @_;
    return grep { (eval { slurp("$_/environ") } // q{}) =~ /(?:\A|\0)BONNIE_TEST_REMAINS=$mark(?:\0|\z)/ } glob '/proc/[0-9]*';
}

sub directories { return map {m{/([a-z_]+[.][0-9a-f]{16})\z}} glob "$dir/*.????????????????" }

sub instances {
    my ($pids) = @_;
    return grep { m{/(?:explain-tail-|boncut[.])(\d+)(?:-[^/]*)?\z} && $pids->{$1} } glob "$TRACING/instances/*";
}

sub semaphores { return slurp('/proc/sysvipc/sem') =~ /^\s*(\d+ +\d+ )/mg }

sub started {
    my ($case, $mark) = @_;
    my %how = (program => $case->{program}, env => { BONNIE_TEST_REMAINS => $mark, $case->{ranks} ? %OF_MPI : () });
    return $case->{ranks} ? start_ranks({ %how, ranks => $case->{ranks} }, @{ $case->{args} }) : start(\%how, @{ $case->{args} });
}

# The launcher of ranks, or one of them if it has begun; or the process of any other run.
sub victim {
    my ($run) = @_;
    my @ranks = $run->{notes} ? map { slurp($_) + 0 } glob "$run->{notes}/pid.[01]" : ();
    return ($run->{pid}, @ranks)[ rand(1 + @ranks) ];
}

srand(my $seed = $ENV{BONNIE_TEST_SEED} // time);
note("BONNIE_TEST_SEED=$seed");
my $number = 0;
for my $case (@runs) {
    my $name = $case->{name} // join q{ }, $case->{program}, $case->{args}[0] =~ /\A-d/ ? $number : $case->{args}[0];
    next if $name !~ /$CHOICE/;
    my (%pids, $left);
    for my $kill (1 .. $KILLS) {
        bonnie('-p1') if $case->{semaphores};
        my $mark = "$$-" . ++$number;
        my %before = map { $_ => 1 } directories();
        my $run  = started($case, $mark);
        $pids{ $run->{pid} } = 1;
        if ($kill == 1 && ($case->{makes} || $case->{name})) { # one at least has something to leave
            my $looks = 0;
            sleep .001 while $looks++ < 10_000 && !grep { !$before{$_} } directories();
        }
        else {
            sleep rand($case->{ranks} || $case->{name} ? 1.5 : .4); # launchers and Perl take their time
        }
        kill KILL => victim($run);
        finish($run);
        wait_until("$name: the end of its processes", sub { !processes($mark) });
        $left ||= grep { !$before{$_} } directories();
    }
    ok($left, "$name: something is left") if $case->{makes} && $case->{args}[0] ne 'audit'; # audit may be faster
    my @how = @{ $cleanups[ $case->{semaphores} ? 0 : $number / $KILLS % @cleanups ] };
    my $done = run_tool(shift @how, @how);
    is($done->{status}, 0, "$name: --cleanup works") or diag($done->{err});
    is_deeply([ directories() ], [], "$name: no directory is left");
    is_deeply([ instances(\%pids) ], [], "$name: no trace instance");
    is_deeply([ semaphores() ], [], "$name: no semaphore") if Root::may_mount(); # then they are ours
}

done_testing();
