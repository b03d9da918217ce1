#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Examines every system call with a path, in whole runs and in --cleanup, in another user's
# directory. Either only root can change what the path leads to; or the path is a single name in an
# open directory, and is not followed if it is a link. `perl tests/attack/paths.t table` prints all
# calls, and who could have changed each path.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(@ALL_TESTS engines finish program scratch_on_disk start tree wait_until wait_until_closed);
use PathCalls  qw(path_calls table_of_paths wrong_paths);
use RunProgram qw(spew);
use Trace      qw(can_trace);

plan skip_all => 'needs root and strace' if !Root::is_root() || !can_trace() || !defined getpwnam 'nobody';

my $prints = (shift // q{}) eq 'table';
my $top    = scratch_on_disk(oct 755);
my $home   = "$top/home";
my $dir    = "$home/dir";
mkdir $_ for $home, $dir;
chown((getpwnam 'nobody')[ 2, 3 ], $home, $dir);
spew("$home/random", 'r' x 4096);

my @all_calls;

# Names for the table.
my %names = ($dir => 'DIR', $home => 'HOME', "$top" => 'TOP', program() => 'PROGRAM');

sub safe_ok {
    my ($name, $how, @args) = @_;
    my ($run, @calls) = path_calls({ dir => '/', %{$how} }, '-d', $dir, @args);
    is($run->{status}, 0, "$name: exit status 0") or diag($run->{err});
    cmp_ok(scalar @calls, '>', 10, 'with calls that take a path');
    # a run first waits for the storage, by statfs(): what it works with is looked up once
    my @looks = ($dir) x ($args[0] eq '--cleanup' ? 1 : 2);
    is((grep { $_->{path} eq $dir } @calls), @looks, 'the directory is looked up once, and awaited by a run');
    is_deeply([ wrong_paths([ program(), @looks ], @calls) ], [], 'all others are safe');
    push @all_calls, @calls;
    return @calls;
}

my @all = ('--tests=' . join(q{,}, @ALL_TESTS), qw(-r0 -q -s1 -f1 --iops-duration=0.01));
my @calls = safe_ok('a run with everything', {}, @all, qw(-n1:100:0:2 -c2 --format), 'json,html', '-Z', "$home/random", "--output=$home/report");
for my $call (qw(mkdirat openat openat2 newfstatat unlinkat renameat2)) {
    ok((grep { $_->{call} eq $call } @calls), "it makes calls of $call");
}
safe_ok('hard links, as nobody', {}, @all, qw(-n1:-1:0:2 -b -u nobody));
safe_ok('symbolic links', {}, qw(-r0 -q -s0 -n1:-2:0:2));
safe_ok("engine $_", {}, @all, qw(-n0), "--engine=$_") for grep { !/sync|null/ } engines();

# The run uses more directories than the limit on descriptors allows.
safe_ok('few descriptors', { wrap => [ 'sh', '-c', 'ulimit -n 200; exec "$@"', 'sh' ] }, '--tests=ran_create,ran_stat,ran_del', qw(-r0 -q -s0 -n1:0:0:1000));

my @of_runs = splice @all_calls;

my $killed = start('-d', $dir, qw(-r0 -q -s1 -n1:100:0:2 -x1000000));
wait_until('files', sub { grep {m{/d00001/}} tree($home) });
kill KILL => $killed->{pid};
finish($killed);
wait_until_closed($home);
safe_ok('--cleanup', {}, '--cleanup');
is_deeply([ tree($home) ], [qw(dir random report)], 'nothing else is left');

print "\nRuns:\n\n", table_of_paths(\%names, @of_runs), "\n--cleanup:\n\n", table_of_paths(\%names, @all_calls), "\n" if $prints;

# Proves that the table recognises an unsafe path.
for my $unsafe (
    { call => 'openat',   directory => undef,  path => "$home/file", args => "AT_FDCWD, \"$home/file\", O_RDONLY" },
    { call => 'openat',   directory => $home,  path => 'file',       args => "8<$home>, \"file\", O_RDONLY" },
    { call => 'openat',   directory => $home,  path => 'd00000/x',   args => "8<$home>, \"d00000/x\", O_RDONLY|O_NOFOLLOW" },
    { call => 'unlinkat', directory => "$home/bonnie.0123456789abcdef", path => 'd00000/x', args => '9<>, "d00000/x", 0' },
    { call => 'statfs',   directory => undef,  path => $dir,         args => "\"$dir\"" },
) {
    is(scalar(wrong_paths([], $unsafe)), 1, "$unsafe->{call} of $unsafe->{path} is not safe");
}

done_testing();
