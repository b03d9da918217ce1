#!/usr/bin/perl
# bonnie-mpi, while a test is running: a rank is killed, has no room left, loses its directory, or is stopped for
# 40 seconds, or the launcher is interrupted. All end, or go on; who it was is named; nothing is left but what a
# killed rank cannot remove. Three tests, or with BONNIE_TEST_LONG all.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Sys::Hostname qw(hostname);
use Test::More;
use Time::HiRes qw(sleep time);
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(@ALL_TESTS bonnie finish scratch scratch_on_disk tree wait_until);
use Ranks      qw(is_open_mpi lines_of mpi_missing pid_of start_ranks);
use RunProgram qw(slurp);

my $WHY = mpi_missing();
plan skip_all => $WHY if defined $WHY;

my @TESTED = $ENV{BONNIE_TEST_LONG} ? @ALL_TESTS : qw(put_block seeks ran_create);
my $RANKS  = 3;
my $HOST   = hostname();

# How long others wait before they name who has not come; a rank is stopped for ten seconds more.
my $PATIENCE = 30;

# Which rank a fault meets: each in turn.
my $turn = 0;
sub next_rank { return $turn++ % $RANKS }

# Begins a run that does this test again and again, and waits until it is running.
sub testing {
    my ($test, $how, @args) = @_;
    my @sizes = qw(-r0 -s12m -n1:0:0:4 --iops-duration=0.2);
    my $run = start_ranks({ ranks => $RANKS, %{$how} }, @sizes, "--tests=$test", @args);
    wait_until("$test under way", sub { slurp($run->{err_file}) =~ /[.]{3}/ });
    sleep .3;
    return $run;
}

# A place for each rank, and what makes the rank go there.
sub places {
    my ($dir, %other) = @_;
    my %place = map { $_ => $other{$_} // "$dir/$_" } 0 .. $RANKS - 1;
    mkdir $_ for values %place;
    return (\%place, { before => { map { $_ => "cd $place{$_}" } keys %place } });
}

# What the program has said of failures, without advice.
sub failures { my ($run) = @_; return grep { !/\Arunning as root/ } lines_of($run) }

sub all_gone_ok {
    my ($run) = @_;
    ok(wait_until('the end of all', sub { !grep { kill 0 => pid_of($run, $_) } 0 .. $RANKS - 1 }), 'nobody is there any more');
    return;
}

# All have ended, one line says which rank failed and why, and nothing is left.
sub failed_ok {
    my ($run, $rank, $reason, $dir) = @_;
    my @lines = failures($run);
    isnt($run->{status}, 0, 'exit status not 0');
    is(scalar @lines, 1, 'one line') or diag($run->{err});
    like($lines[0] // q{}, qr/\Arank $rank on \Q$HOST\E: .*$reason/, 'which names rank, host and reason');
    is(join(q{ }, grep {m{/bonnie[.]}} tree($dir)), q{}, 'nothing is left');
    all_gone_ok($run);
    return;
}

# ---- stopped for 40 seconds ----------------------------------------------------------------------

sub stop_rank {
    my ($test) = @_;
    my $dir    = scratch();
    my $rank   = next_rank();
    my $run    = testing($test, {}, '-d', "$dir", qw(-x40 --min-time=0));
    my $pid    = pid_of($run, $rank);
    kill STOP => $pid;
    return { test => $test, run => $run, dir => $dir, rank => $rank, pid => $pid, until => time + $PATIENCE + 10 };
}

sub goes_on_ok {
    my ($stopped) = @_;
    my ($run, $rank) = @{$stopped}{qw(run rank)};
    sleep $stopped->{until} - time if time < $stopped->{until};
    kill CONT => $stopped->{pid};
    finish($run);
    is($run->{status}, 0, 'the run goes on to its end') or diag($run->{err});
    my @named = $run->{err} =~ /bonnie: [^:\n]*: (rank \d+ on \S+) has not come after $PATIENCE seconds/g;
    is("@named", "rank $rank on $HOST", "rank $rank is named, once, and nobody else") or diag($run->{err});
    is(join(q{ }, tree($stopped->{dir})), q{}, 'nothing is left');
    all_gone_ok($run);
    return;
}

# All at the same time.
my @stopped = map { stop_rank($_) } @TESTED;
for my $one (@stopped) {
    subtest "$one->{test}: rank $one->{rank} was stopped for 40 seconds" => sub { goes_on_ok($one) };
}

# ---- killed -------------------------------------------------------------------------------------

# A killed rank leaves its directory, and files without data in it; MPICH's launcher kills the others, too.
my $EMPTY = qr{\Abonnie[.][0-9a-f]+(?:/owner|/[do]\d+(?:/\w+)?)?\z};

sub holds_data { my ($path) = @_; return -s $path && -f _ && $path !~ m{/owner\z} }

sub killed_ok {
    my ($test, $rank) = @_;
    my $dir = scratch();
    my $run = testing($test, {}, '-d', "$dir", qw(-x1000 --min-time=0));
    kill KILL => pid_of($run, $rank);
    finish($run);
    my @left  = tree($dir);
    my $named = is_open_mpi() ? qr/rank $rank with PID \d+ on node \Q$HOST\E exited on signal 9/ : qr/RUNNING AT \Q$HOST\E/;
    isnt($run->{status}, 0, 'exit status not 0');
    like($run->{err}, $named, 'the launcher names rank and host');
    like($run->{err}, qr/^bonnie: rank $rank on \Q$HOST\E was killed and has left/m, 'and the rank before it what it has left') if is_open_mpi();
    is(join(q{ }, grep { !/$EMPTY/ || holds_data("$dir/$_") } @left), q{}, 'no data is left');
    all_gone_ok($run);
    is(bonnie('--cleanup', '-d', "$dir")->{status}, 0, '--cleanup');
    is(join(q{ }, tree($dir)), q{}, 'removes what is left');
    return;
}

for my $test (@TESTED) {
    my $rank = next_rank();
    subtest "$test: rank $rank is killed" => sub { killed_ok($test, $rank) };
}

# ---- no room ------------------------------------------------------------------------------------

# Takes what is free: blocks, then inodes.
sub take_room {
    my ($dir) = @_;
    my $count = 0;
    open my $file, '>>', "$dir/all" or return;
    1 while syswrite $file, "\0" x 65536;
    close $file or return;
    while (open my $empty, '>', "$dir/empty" . ++$count) { close $empty or return }
    return;
}

sub no_room_ok {
    my ($test, $rank) = @_;
    my $dir  = scratch();
    my $room = Root::tmpfs('size=16m,nr_inodes=4k');
    my (undef, $how) = places($dir, $rank => "$room");
    my $run = testing($test, $how, qw(-d . -x1000 --min-time=0));
    # What one run has freed the next would take again.
    wait_until('a failure', sub { take_room("$room"); slurp($run->{err_file}) =~ /^bonnie: rank/m });
    finish($run);
    failed_ok($run, $rank, 'No space left on device', $dir);
    is(join(q{ }, grep {/bonnie/} tree("$room")), q{}, 'nor where there is no room');
    return;
}

SKIP: {
    skip 'mounts take root', 1 if !Root::may_mount();
    for my $test (@TESTED) {
        my $rank = next_rank();
        subtest "$test: rank $rank has no room left" => sub { no_room_ok($test, $rank) };
    }
}

# ---- its directory is removed -------------------------------------------------------------------

# On a disk: tmpfs goes on making files without names in a directory that is no more.
sub removed_ok {
    my ($test, $rank) = @_;
    my $dir = scratch_on_disk();
    my ($place, $how) = places($dir);
    my $run = testing($test, $how, qw(-d . -x1000 --min-time=0));
    wait_until('the directory gone', sub { system("rm -rf $place->{$rank}/bonnie.* 2>/dev/null") == 0 });
    finish($run);
    failed_ok($run, $rank, '[.](?: |/bonnie[.])', $dir);
    return;
}

for my $test (@TESTED) {
    my $rank = next_rank();
    subtest "$test: the directory of rank $rank is removed" => sub { removed_ok($test, $rank) };
}

# ---- interrupted --------------------------------------------------------------------------------

for my $test (@TESTED) {
    subtest "$test: the launcher is interrupted" => sub {
        my $dir = scratch();
        my $run = testing($test, {}, '-d', "$dir", qw(-x1000 --min-time=0));
        kill INT => $run->{pid};
        finish($run);
        isnt($run->{status}, 0, 'exit status not 0');
        is(join(q{ }, failures($run)), q{}, 'no failure is told');
        is(join(q{ }, tree($dir)), q{}, 'nothing is left');
        all_gone_ok($run);
    };
}

done_testing();
