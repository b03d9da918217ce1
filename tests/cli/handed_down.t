#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What the caller passes on - ignored signals, few descriptors, a seccomp filter, closed streams, a
# process group - changes neither the result nor what is left behind.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(bonnie finish have mark nothing_left_ok scratch start tree wait_until);
use Root;
use RunProgram qw(slurp);

my $dir  = scratch();
my @tiny = ('-d', $dir, qw(-r0 -s1 -n1 -f -mlab --cache=keep));

sub well_ok {
    my ($name, $run) = @_;
    is($run->{status}, 0, "$name: exit status 0");
    like($run->{out}, qr/^1[.]98,/m, "$name: the CSV line is there");
    nothing_left_ok($dir, $name);
    return;
}
mark("$dir");

# Runs the program after these commands of the shell.
sub after {
    my ($commands) = @_;
    return { wrap => [ 'sh', '-c', "$commands; exec \"\$@\"", 'sh' ] };
}

well_ok('SIGCHLD is ignored', bonnie(after("trap '' CHLD"), @tiny));
well_ok('-q and a closed stderr', bonnie({ err => 'closed' }, @tiny, '-q'));
well_ok('-q and a full stderr', bonnie({ err => '/dev/full' }, @tiny, '-q')) if -c '/dev/full';

# A signal that is ignored stays ignored: Ctrl-C does not end a background job of a script.
my $run = start(after("trap '' INT"), @tiny, '-x3');
wait_until('the run begins', sub { slurp($run->{err_file}) =~ /[.]{3}/ });
kill INT => $run->{pid};
well_ok('an ignored SIGINT', finish($run));

# With too few descriptors the run fails somewhere, and leaves the directory as it was. The shell
# closes descriptors that this test's caller has left open: with a limit of 4, one of them would
# take the place of the descriptor that loads the libraries.
my $alone = join q{ }, map {"$_>&-"} 3 .. 9;
my $too_few = 0;
for my $most (4 .. 9) {
    my $few = bonnie(after("exec $alone; ulimit -n $most"), @tiny, '-n1:0:0:6', '-c2');
    next if $few->{status} eq '0';
    $too_few++;
    is($few->{status}, 1, "$most descriptors: exit status 1");
    like($few->{err}, qr/Too many open files$|workers need \d+ open files at a time/m, "$most descriptors: the reason");
    is_deeply([ tree($dir) ], [], "$most descriptors: nothing is left");
}
cmp_ok($too_few, '>', 0, 'some of these are too few');
mark("$dir");

# The reader of stderr goes away while the run has files.
my $gone = finish(start({ wrap => [ 'bash', '-c', '"$@" 2> >(head -c 5 >/dev/null)', 'bash' ] },
    '-d', $dir, qw(-r0 -s0 -n4 --cache=keep)));
wait_until('the clean-up', sub { !tree($dir) });
nothing_left_ok($dir, 'a reader of stderr that is gone');

# Ctrl-C goes to the whole group, including seekers that are being forked at
# that moment.
for my $try (1 .. 10) {
    my $group = start({ wrap => [ 'setsid', '--wait' ] }, '-d', $dir,
        qw(-r0 -s1:8k:100000000:200 -n0 -f --tests=seeks --cache=keep));
    wait_until('the seeks begin', sub { slurp($group->{err_file}) =~ /Seeking/ });
    select undef, undef, undef, $try * .005;
    my ($leader) = grep { /\d/ } split /\s+/, slurp("/proc/$group->{pid}/task/$group->{pid}/children");
    kill INT => -($leader // $group->{pid});
    finish($group);
    isnt($group->{status}, 0, "SIGINT to the group, $try: it ends the run, which would not end by itself");
    nothing_left_ok($dir, "SIGINT to the group, $try");
}

SKIP: {
    skip 'strace is not installed', 4 if !have('strace');
    skip 'needs root: only root has a process that drops caches', 4 if !Root::is_root();
    my $filter = { wrap => [ qw(strace -f -qq --seccomp-bpf -o /dev/null -e trace=socketpair) ] };
    well_ok('under a seccomp filter', bonnie($filter, @tiny, '--cache=evict'));
}

done_testing();
