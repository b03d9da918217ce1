#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bonnie-mpi while a test is running: a rank is killed, runs out of room, loses its directory, or is
# stopped until the others name it, or the launcher is interrupted. All ranks end, or continue; the cause is
# named; nothing is left behind except what a killed rank cannot remove. Three of the tests, or all
# with BONNIE_TEST_LONG.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use POSIX         ();
use Sys::Hostname qw(hostname);
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(@ALL_TESTS bonnie finish scratch scratch_on_disk tree wait_until wait_until_working);
use Ranks      qw(gives_time is_open_mpi lines_of mpi_missing pid_of start_ranks);
use RunProgram qw(slurp);
use SweepSize  qw(is_long);

my $WHY = mpi_missing();
plan skip_all => $WHY if defined $WHY;

my @TESTED = is_long() ? @ALL_TESTS : qw(put_block seeks ran_create);
my $RANKS  = 3;
my $HOST   = hostname();

# In seconds: the others wait this long before they name a missing rank. A rank is stopped until
# they have, and the run then continues for some seconds.
my $PATIENCE = 30;
my $NAMED    = qr/bonnie: [^:\n]*: (rank \d+ on \S+) has not arrived after $PATIENCE seconds/;

my @ENDLESS = qw(--seconds=1000);

# ---- a case: a run that repeats one test, and a fault that it meets ------------------------------

# A case of some kind. place() says where the ranks work and for how long; strike() causes the
# fault; check() checks the end, or lets the run continue to it. A fault hits each rank in turn;
# every second run has --shift=1 if possible.
sub begin {
    my ($kind, $number) = @_;
    my %case = (kind => $kind, test => $TESTED[$number], rank => ($number + $kind->{turn}) % $RANKS, how => {});
    my @args = $kind->{place}->(\%case);
    $case{is_shifted} = $kind->{may_shift} && $number % 2;
    push @args, '--shift=1' if $case{is_shifted};
    $case{run} = start_ranks({ ranks => $RANKS, %{ $case{how} } },
        qw(-r0 -s12m -n1:0:0:4 --iops-duration=0.2 --min-time=0), "--tests=$case{test}", @args);
    return \%case;
}

sub strike {
    my @cases = @_;
    for my $case (@cases) {
        wait_until("$case->{test} under way", sub { slurp($case->{run}{err_file}) =~ /[.]{3}/ });
    }
    for my $case (@cases) {
        wait_until_working(pid_of($case->{run}, $_)) for 0 .. $RANKS - 1;
    }
    $_->{kind}{strike}->($_) for @cases;
    return;
}

sub end_ok {
    my ($case) = @_;
    my $what = $case->{kind}{title} =~ s/RANK/rank $case->{rank}/r . ($case->{is_shifted} ? ', --shift=1' : q{});
    subtest "$case->{test}: $what" => sub { $case->{kind}{check}->($case) };
    return;
}

# One directory for all ranks.
sub in_one_place {
    my ($case) = @_;
    $case->{dir} = scratch();
    return ('-d', "$case->{dir}");
}

# The same for runs that the launcher ends, because it is interrupted or a rank has been killed. Open
# MPI kills the ranks after a second, which may be too soon for the clean-up on a busy machine.
sub in_one_place_without_haste {
    my ($case) = @_;
    $case->{how}{env} = { OMPI_MCA_odls_base_sigkill_timeout => 6 };
    return (in_one_place($case), @ENDLESS);
}

# A directory for each rank.
sub in_places {
    my ($case, $dir, %other) = @_;
    my %place = map { $_ => $other{$_} // "$dir/$_" } 0 .. $RANKS - 1;
    mkdir $_ for values %place;
    @{$case}{qw(dir place)} = ($dir, \%place);
    $case->{how} = { before => { map { $_ => "cd $place{$_}" } keys %place } };
    return qw(-d .);
}

# The program's messages about failures, without advice and what the test will cost.
sub failures { my ($run) = @_; return grep { !/\Arunning as root|; about \d/ } lines_of($run) }

sub all_gone_ok {
    my ($run) = @_;
    ok(wait_until('the end of all', sub { !grep { kill 0 => pid_of($run, $_) } 0 .. $RANKS - 1 }), 'nobody is there any more');
    return;
}

sub nothing_left_ok {
    my ($dir) = @_;
    is(join(q{ }, grep {/bonnie[.]/} tree($dir)), q{}, 'nothing is left');
    return;
}

# Checks that all ranks have ended, and that one line says which rank failed and
# why.
sub failed_ok {
    my ($case, $reason) = @_;
    my $run   = finish($case->{run});
    my @lines = failures($run);
    isnt($run->{status}, 0, 'exit status not 0');
    is(scalar @lines, 1, 'one line') or diag($run->{err});
    like($lines[0] // q{}, qr/\Arank $case->{rank} on \Q$HOST\E: .*$reason/, 'which names rank, host and reason');
    nothing_left_ok($_) for "$case->{dir}", values %{ $case->{place} };
    all_gone_ok($run);
    return;
}

# ---- stopped until it is named -------------------------------------------------------------------

# Another process continues the rank, so that this one is free meanwhile.
sub stop_rank {
    my ($case) = @_;
    my $pid = pid_of($case->{run}, $case->{rank});
    kill STOP => $pid;
    $case->{waker} = fork // die "fork: $!\n";
    return if $case->{waker} != 0;
    eval { wait_until('its name', sub { slurp($case->{run}{err_file}) =~ $NAMED }) } or warn $@;
    kill CONT => $pid;
    POSIX::_exit(0);
}

sub goes_on_ok {
    my ($case) = @_;
    my ($run, $rank) = @{$case}{qw(run rank)};
    finish($run);
    waitpid $case->{waker}, 0;
    is($run->{status}, 0, 'the run goes on to its end') or diag($run->{err});
    my @named = $run->{err} =~ /$NAMED/g;
    is("@named", "rank $rank on $HOST", "rank $rank is named, once, and nobody else") or diag($run->{err});
    unlike($run->{err}, qr/ranks in all/, 'and they are not counted, because all are named');
    nothing_left_ok($case->{dir});
    all_gone_ok($run);
    return;
}

# ---- killed -------------------------------------------------------------------------------------

# A killed rank leaves its directory, and files without data in it; MPICH's launcher kills the other
# ranks, too. Data files have names only where ranks read what others wrote.
my $LEFT = qr{\Abonnie[.][0-9a-f]+(?:/owner|/[do]\d+(?:/\w+)?|/data\d+)?\z};

sub holds_data { my ($path) = @_; return -s $path && -f _ && $path !~ m{/owner\z} }

sub killed_ok {
    my ($case) = @_;
    my ($run, $rank, $dir, $is_shifted) = @{$case}{qw(run rank dir is_shifted)};
    finish($run);
    my @left  = tree($dir);
    isnt($run->{status}, 0, 'exit status not 0');
    if (is_open_mpi()) {
        like($run->{err}, qr/rank $rank with PID \d+ on node \Q$HOST\E exited\s+on\s+signal 9/, 'the launcher names rank and host');
    }
    else {
        like($run->{out}, qr/RUNNING AT \Q$HOST\E/, 'the launcher names the host');
    }
    like($run->{err}, qr/^bonnie: rank $rank on \Q$HOST\E was killed and has left/m, 'and the rank before it what it has left') if is_open_mpi() && gives_time() && !$is_shifted;
    is(join(q{ }, grep { !/$LEFT/ || !$is_shifted && holds_data("$dir/$_") } @left), q{}, 'no data is left');
    all_gone_ok($run);
    is(bonnie('--cleanup', '-d', "$dir")->{status}, 0, '--cleanup');
    is(join(q{ }, tree($dir)), q{}, 'removes what is left');
    return;
}

# ---- no room ------------------------------------------------------------------------------------

# Fills the filesystem: blocks, then inodes.
sub take_room {
    my ($dir) = @_;
    my $count = 0;
    open my $file, '>>', "$dir/all" or return;
    1 while syswrite $file, "\0" x 65536;
    close $file or return;
    while (open my $empty, '>', "$dir/empty" . ++$count) { close $empty or return }
    return;
}

sub in_a_small_place {
    my ($case) = @_;
    $case->{room} = Root::tmpfs('size=16m,nr_inodes=4k');
    return (in_places($case, scratch(), $case->{rank} => "$case->{room}"), @ENDLESS);
}

# Fills it again and again; otherwise the next run would use what one run has freed.
sub fill_place {
    my ($case) = @_;
    wait_until('a failure', sub { take_room("$case->{room}"); slurp($case->{run}{err_file}) =~ /^bonnie: rank/m });
    return;
}

# ---- its directory is removed -------------------------------------------------------------------

sub remove_directory {
    my ($case) = @_;
    wait_until('the directory gone', sub { system("rm -rf $case->{place}{$case->{rank}}/bonnie.* 2>/dev/null") == 0 });
    return;
}

# ---- interrupted --------------------------------------------------------------------------------

# MPICH's launcher may end with 0, although all ranks have ended by the signal. Where it gives them no time, --cleanup removes what
# they have left.
sub interrupted_ok {
    my ($case) = @_;
    my $run = finish($case->{run});
    isnt($run->{status}, 0, 'exit status not 0') if is_open_mpi();
    is(join(q{ }, failures($run)), q{}, 'no failure is told');
    all_gone_ok($run);
    is(bonnie('--cleanup', '-d', "$case->{dir}")->{status}, 0, '--cleanup') if !gives_time();
    is(join(q{ }, tree($case->{dir})), q{}, 'nothing is left');
    return;
}

# ---- all of them --------------------------------------------------------------------------------

my $STOP = {
    title  => 'RANK was stopped until it was named',
    turn   => 0,
    place  => sub { (in_one_place(@_), '--seconds=' . ($PATIENCE + 5)) },
    strike => \&stop_rank,
    check  => \&goes_on_ok,
};
my $NO_ROOM = {
    title  => 'RANK has no room left',
    turn   => 1,
    place  => \&in_a_small_place,
    strike => \&fill_place,
    check  => sub { failed_ok(@_, 'No space left on device') },
};
my @OTHERS = (
    {
        title     => 'RANK is killed',
        turn      => 2,
        may_shift => 1,
        place     => \&in_one_place_without_haste,
        strike    => sub { kill KILL => pid_of($_[0]{run}, $_[0]{rank}) },
        check     => \&killed_ok,
    },
    {
        title     => 'the launcher is interrupted',
        turn      => 0,
        may_shift => 1,
        place     => \&in_one_place_without_haste,
        strike    => sub { kill INT => $_[0]{run}{pid} },
        check     => \&interrupted_ok,
    },
    {
        title  => 'the directory of RANK is removed',
        turn   => 1,
        place  => sub { (in_places(@_, scratch_on_disk()), @ENDLESS) }, # tmpfs makes files without names even when it is full
        strike => \&remove_directory,
        check  => sub { failed_ok(@_, '[.](?: |/bonnie[.])') },
    },
);

SKIP: {
    skip 'mounts take root', 1 if !Root::may_mount();
    push @OTHERS, $NO_ROOM;
}

# The runs with other faults proceed while the ranks of these are stopped.
my @stopped = map { begin($STOP, $_) } 0 .. $#TESTED;
strike(@stopped);
for my $number (0 .. $#TESTED) {
    my @cases = map { begin($_, $number) } @OTHERS;
    strike(@cases);
    end_ok($_) for @cases;
}
end_ok($_) for @stopped;

done_testing();
