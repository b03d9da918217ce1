#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# The attacker puts a pipe in the place of the owner file: to open it for reading would be to
# wait for a writer. The ranks of bonnie-mpi, which look for what killed ranks have left, and
# --cleanup must not wait.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use POSIX qw(mkfifo);
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use Attack     qw(attack attacker_works battlefields clear_field end_of_attack harm strike);
use BonnieRun  qw(finish run_tool scratch tree wait_until);
use Ranks      qw(mpi_missing pid_of start_ranks);

# A directory whose owner file is a pipe.
sub with_pipe {
    my ($dir, $uid, $gid) = @_;
    mkdir $dir, oct 700 or die "$dir: $!\n";
    mkfifo("$dir/owner", oct 600) or die "$dir/owner: $!\n";
    chown $uid, $gid, $dir, "$dir/owner";
    return;
}

# ---- --cleanup ----------------------------------------------------------------------------------

my $dir = scratch();
my $REASON = qr{\A\w+: left \Q$dir\E/\S+: its owner file is not one of ours\n\z};
for my $case ([ 'bonnie', 'bonnie', qw(--cleanup -d) ], [ 'getc_putc', 'getc_putc', qw(--cleanup -d) ], [ 'boncut', 'boncut', '--cleanup' ]) {
    my ($program, $prefix, @args) = @{$case};
    my $left = "$dir/$prefix.00000000000000ff";
    with_pipe($left, $>, (split q{ }, $))[0]);
    my $run = run_tool($program, { wrap => [qw(timeout -s KILL 120)] }, @args, "$dir");
    is($run->{status}, 0, "$program --cleanup does not wait");
    like($run->{err}, $REASON, 'and says why it is left');
    ok(-p "$left/owner", 'as it was');
    unlink "$left/owner";
    rmdir $left;
}

# ---- the ranks of bonnie-mpi ---------------------------------------------------------------------

# Whether the process has a data file below this directory.
sub has_data {
    my ($pid, $parent) = @_;
    return grep { (readlink($_) // q{}) =~ m{\A\Q$parent\E/bonnie[.][^/]+/(?!owner)} } glob "/proc/$pid/fd/*";
}

# Ends both ranks by a signal when the attacker has exchanged both directories. Each rank then looks
# into the other's directory.
sub interrupted {
    my ($field) = @_;
    my ($nobody, $nogroup) = (getpwnam 'nobody')[ 2, 3 ];
    my $run = start_ranks({ ranks => 2, env => { OMPI_MCA_odls_base_sigkill_timeout => 6 } }, '-d', $field->{home}, qw(-r0 -s4m -n0 --min-time=0 --seconds=1000 --tests=put_block));
    my @pids = map { pid_of($run, $_) } 0, 1;
    wait_until('both ranks at work', sub { 2 == grep { has_data($_, $field->{home}) } @pids });
    my @names = grep {/\Abonnie[.][^\/]*\z/} tree($field->{home});
    is(scalar @names, 2, "$field->{name}: a directory for each rank");
    for my $number (0, 1) {
        with_pipe("$field->{home}/bait$number", $nobody, $nogroup);
        my $attack = attack('told', $field->{home}, "name=bait$number");
        ok(strike($attack, $names[$number]), 'is exchanged for one of his');
        end_of_attack($attack);
    }
    kill TERM => @pids;
    local $BonnieRun::HANGS = 120;
    my $have_ended = eval { wait_until('the end of both', sub { !grep { kill 0 => $_ } @pids }) };
    kill KILL => @pids if !$have_ended;
    finish($run);
    return ($have_ended, $run);
}

SKIP: {
    my $why = mpi_missing() // (Root::may_mount() && attacker_works() ? undef : 'needs root, user nobody and mounts of its own');
    skip $why, 1 if defined $why;
    for my $field (battlefields()) {
        my ($have_ended, $run) = interrupted($field);
        ok($have_ended, 'both ranks end');
        is(scalar(() = $run->{err} =~ /^bonnie: .*was moved by somebody/mg), 2, 'and say what happened') or diag($run->{err});
        unlike($run->{err}, qr/was killed and has left/, 'and nothing else');
        is(harm($field), q{}, 'nothing of root\'s has changed');
        clear_field($field);
    }
}

done_testing();
