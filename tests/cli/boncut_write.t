#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# boncut write: slow readers and readers that go away, signals, a full filesystem, other users'
# directories, single methods. However the run ends, its log matches its directory, and nothing
# that the log promises is lost.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Time::HiRes qw(stat);
use BonnieRun  qw(finish program refused_ok run_tool scratch_on_disk start tree wait_until);
use RunProgram qw(quoted slurp spew);

my $dir = scratch_on_disk();
mkdir "$dir/test" or die "$dir/test: $!\n";

sub boncut { return run_tool('boncut', @_) }

# Checks that the log matches the directory: nothing is lost, and no cut was noticed.
sub is_sound {
    my ($log, $name) = @_;
    my $check = boncut({ input => $log }, 'check', "$dir/test");
    is($check->{status}, 3, $name) or diag($check->{out}, $check->{err});
    return;
}

sub clean { return boncut('--cleanup', "$dir/test") }

my @few = qw(write -c2 --units=4);

# ---- the most workers ----------------------------------------------------------------------------

{
    my $run = boncut(qw(write -c256 --units=1 --time=0.2), "$dir/test");
    is($run->{status}, 0, '256 workers') or diag($run->{err});
    is_sound($run->{out}, 'and what they promised is there');
    clean();
}

{
    my $few = boncut({ wrap => [ 'sh', '-c', 'ulimit -n 1024; exec "$@"', 'sh' ] }, qw(write -c256 --units=1 --time=0.2), "$dir/test");
    is($few->{status}, 1, 'more than the hard limit on open files: refused');
    like($few->{err}, qr/\Aboncut: --workers: 256 workers need \d+ open files at a time; the limit is 1024 \(ulimit -Hn\)\n\z/, 'in one line');
    my $soft = boncut({ wrap => [ 'sh', '-c', 'ulimit -Sn 256; exec "$@"', 'sh' ] }, qw(write -c32 --units=1 --time=0.2), "$dir/test");
    is($soft->{status}, 0, 'more than the soft one: raised') or diag($soft->{err});
    clean();
}

# ---- the reader ----------------------------------------------------------------------------------

# Starts boncut with a pipe as its standard output. Returns the pipe and the
# run.
sub into_pipe {
    my (@args) = @_;
    system 'mkfifo', "$dir/pipe";
    my $run = start({ program => 'boncut', wrap => [ 'sh', '-c', "exec \"\$@\" >$dir/pipe", 'sh' ] }, @args);
    open my $pipe, '<', "$dir/pipe" or die "$dir/pipe: $!\n";
    unlink "$dir/pipe";
    return ($pipe, $run);
}

{
    my ($pipe, $run) = into_pipe(@few, "$dir/test");
    readline $pipe for 1 .. 20;
    close $pipe;
    finish($run);
    is($run->{status}, 1, 'a closed pipe ends the run');
    is_deeply([ grep { !/left out/ } split /\n/, $run->{err} ], ['boncut: write the log to standard output: Broken pipe'], 'with one line');
    clean();
}
{
    my ($pipe, $run) = into_pipe(@few, '--methods=rwf_dsync,truncate', '--units=32', "$dir/test");
    my $log = readline $pipe;
    # When the pipe and then the rings are full, a thread waits in a write to the pipe, and the methods
    # that promise stop writing: half a second without a change.
    my ($is_full, $before, $looks) = (sub { grep {/\A\d+ 0x1 /} map { eval { slurp($_) } // q{} } glob "/proc/$run->{pid}/task/*/syscall" }, q{}, 0);
    wait_until('nothing moves', sub {
        my $now = join q{ }, map { (stat $_)[9] // q{} } glob "$dir/test/*/rwf_dsync.*";
        $looks  = $is_full->() && $now eq $before ? $looks + 1 : 0;
        $before = $now;
        return $looks == 25;
    });
    kill TERM => $run->{pid};
    { local $/ = undef; $log .= readline $pipe; }
    is(finish($run)->{status}, 'signal 15', 'a pipe that is full: the run waits, and ends by a signal');
    my %last;
    my $gaps = 0;
    for my $line (grep {/\A(?:rwf_dsync|truncate) /} split /\n/, $log) {
        my ($method, $unit, $version) = split q{ }, $line;
        $gaps++ if $version != ($last{"$method $unit"} // 0) + 1;
        $last{"$method $unit"} = $version;
    }
    is($gaps, 0, 'no promise is missing');
    is_sound($log, 'and what was promised is there');
    clean();
}
refused_ok(boncut({ out => '/dev/full' }, @few, '--methods=fsync', '--time=1', "$dir/test"), qr/No space left on device/, 'a log that cannot be written');
is_deeply([ tree("$dir/test") ], [], 'and nothing is left, for nothing was promised') or clean();

# ---- signals -------------------------------------------------------------------------------------

my %NUMBER = (INT => 2, TERM => 15, HUP => 1, QUIT => 3, KILL => 9);
for my $signal (sort keys %NUMBER) {
    my $run = start({ program => 'boncut' }, @few, "$dir/test");
    wait_until('promises', sub { -s $run->{out_file} > 2000 });
    kill $signal => $run->{pid};
    finish($run);
    is($run->{status}, "signal $NUMBER{$signal}", "$signal ends the run");
    is_sound($run->{out}, 'and its log matches its directory');
    like(clean()->{out}, qr/\Aremoved /, 'which --cleanup removes');
}
{
    my $run = start({ program => 'boncut' }, @few, "$dir/test");
    wait_until('promises', sub { -s $run->{out_file} > 2000 });
    like(clean()->{err}, qr/left .*: a run is using it/, 'while it runs, --cleanup leaves its directory');
    kill INT => $run->{pid};
    finish($run);
    my ($private) = glob "$dir/test/boncut.*";
    spew("$private/precious", 'x');
    my $left = clean();
    is($left->{status}, 1, 'a directory with a foreign file: exit status 1');
    like($left->{err}, qr/contains something that no run makes/, 'and the reason');
    is(slurp("$private/precious"), 'x', 'the file is untouched');
    unlink "$private/precious";
    clean();
}
is_deeply([ tree("$dir/test") ], [], 'nothing is left');

# ---- each method alone ---------------------------------------------------------------------------

my $all = boncut(@few, '--time=0.1', "$dir/test")->{out};
my ($methods) = $all =~ / methods=cached,drive,(\S+,\S+) / or die "no methods: $all\n";
clean();
for my $method (grep { $_ ne 'new_name' } split /,/, $methods) {
    my $run = boncut(@few, '--time=0.2', '--block=8k', "--methods=$method", "$dir/test");
    is($run->{status}, 0, "$method alone") or diag($run->{err});
    is_deeply([ grep { !/\A(?:boncut-log|cached|drive|$method) / } split /\n/, $run->{out} ], [], 'promises nothing else');
    is_sound($run->{out}, 'and keeps it');
    clean();
}

# ---- places --------------------------------------------------------------------------------------

SKIP: {
    skip 'needs root and mounts of its own', 9 if $> != 0 || system('unshare -m true 2>/dev/null') != 0;
    my $program = quoted(program('boncut'));
    my $on = sub {
        my ($options, $script) = @_;
        return qx(unshare -m sh -c ${\ quoted("mount -t tmpfs $options boncut $dir/test && cd $dir/test && $script")} 2>&1);
    };
    my $full = $on->('-o size=1m', "$program write . >/dev/null; echo \$?; ls");
    like($full, qr/^boncut: \w+ in [.]\/boncut[.]\w+, for the method \w+: No space left on device\n1\n\z/m, 'no room: one line, and nothing is left') or diag($full);
    my $read_only = $on->('-o ro', "$program write . >/dev/null; echo \$?");
    like($read_only, qr/\Aboncut: make a directory in [.]: Read-only file system\n1\n\z/, 'a filesystem that is read-only');
    my $tmpfs = $on->('-o size=64m', "$program write --time=0.3 . 2>/dev/null >/dev/shm/boncut-test-$$; $program check . </dev/shm/boncut-test-$$; echo \$?");
    unlink "/dev/shm/boncut-test-$$";
    like($tmpfs, qr/^NOT KNOWN.*^boncut: NOT KNOWN[^\n]*\n3\n\z/ms, 'tmpfs: what works there is kept');

    # The name of our directory is taken by another user's directory, or by one
    # that others may write to.
    my $log = boncut(@few, '--time=0.2', "$dir/test")->{out};
    my ($private) = glob "$dir/test/boncut.*";
    chown 65_534, 65_534, $private;
    refused_ok(boncut({ input => $log }, 'check', "$dir/test"), qr/is not a directory that this user's run has made/, 'a directory of somebody else');
    like(clean()->{err}, qr/not a private directory of this user/, '--cleanup leaves it');
    chown 0, 0, $private;
    rename $private, "$dir/aside";
    symlink "$dir/aside", $private;
    refused_ok(boncut({ input => $log }, 'check', "$dir/test"), qr/Not a directory|symbolic links/, 'a symbolic link');
    like(clean()->{err}, qr/left .*(?:Not a directory|symbolic links)/, '--cleanup leaves it');
    unlink $private;
    rename "$dir/aside", $private;
    my ($file) = glob "$private/fsync.0";
    rename $file, "$dir/aside";
    system 'mkfifo', $file;
    my $fifo = boncut({ input => $log }, 'check', "$dir/test");
    is($fifo->{status}, 2, 'a pipe in the place of a file does not hold the check up: lost');
    unlink $file;
    rename "$dir/aside", $file;
    is_sound($log, 'all is there again');
    clean();
}
is_deeply([ tree("$dir/test") ], [], 'nothing is left');

done_testing();
