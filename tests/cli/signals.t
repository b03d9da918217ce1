#!/usr/bin/perl
# A signal in any phase ends the run by that same signal, and nothing is left.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Config;
use POSIX      ();
use Test::More;
use BonnieRun  qw(@ALL_TESTS @TESTS bonnie engines finish scratch scratch_on_disk start takes_direct tree wait_until);
use RunProgram qw(slurp);
use Trace      qw(%TITLE can_trace trace);

my $dir    = scratch();
my %number;
@number{ split q{ }, $Config{sig_name} } = split q{ }, $Config{sig_num};

# Runs without an end. They are in the middle of the one test that they do, or prepare it.
my $SEEKS   = [qw(-s1:256:1000000000:3 -n0 -f)];
my %endless = (
    (map { ($_ => [ qw(-s2:256:2000:3 -n0 -x 1000000 -c2), "--tests=$_" ]) } @TESTS[ 0 .. 4 ]),
    seeks => $SEEKS,
    iops  => [qw(-s2:256k -n0 -c2 --iops-duration=1000000 --tests=iops)],
    (map { ($_ => [ qw(-s0 -n2:100:0:5 -x 1000000 -c2), "--tests=$_" ]) } @TESTS[ 6 .. 11 ]),
);

# Starts a run and waits until the test is under way.
sub begin {
    my ($test, @args) = @_;
    my $run = start('-d', $dir, qw(-r0 --cache=keep), @args ? @args : @{ $endless{$test} });
    wait_until("$test begins", sub { slurp($run->{err_file}) =~ /^\Q$TITLE{$test}\E\.\.\./m });
    select undef, undef, undef, .02;
    return $run;
}

sub ended_ok {
    my ($run, $signal, $name) = @_;
    finish($run);
    is($run->{status}, "signal $number{$signal}", "$name: ended by the same signal");
    is_deeply([ tree($dir) ], [], "$name: nothing is left");
    unlike($run->{out}, qr/[^\n]\z/, "$name: no line is printed in part");
    return;
}

for my $test (@ALL_TESTS) {
    for my $signal (qw(TERM INT)) {
        my $run = begin($test);
        kill $signal => $run->{pid};
        ended_ok($run, $signal, "SIG$signal in $test");
    }
}

for my $signal (qw(ALRM HUP INT PIPE QUIT TERM XCPU XFSZ)) {
    my $run = begin('ran_stat');
    kill $signal => $run->{pid};
    ended_ok($run, $signal, "SIG$signal");
}

# With transfers in flight.
my %usable = map { $_ => 1 } engines();
my $disk   = scratch_on_disk();
my @direct = takes_direct($disk) ? ('-D', '-d', $disk) : ();
for my $engine (grep { $usable{$_} } qw(libaio io_uring null)) {
    for my $test (qw(put_block rewrite seeks iops)) {
        for my $signal (qw(TERM INT)) {
            my $run = begin($test, map { s/\A-s\d:256\b/-s8:4k/r } @{ $endless{$test} }, "--engine=$engine", '--iodepth=64', "--tests=$test", @direct);
            kill $signal => $signal eq 'INT' ? -$run->{pid} : $run->{pid};
            ended_ok($run, $signal, "$engine, $test: SIG$signal");
        }
    }
}
is_deeply([ tree($disk) ], [], 'nothing is left there either');

# While memory is written back, which on slow storage takes long: after a piece, not after all.
SKIP: {
    skip 'strace cannot trace here', 4 if !can_trace();
    for my $test (qw(put_block get_block)) {
        my ($run, @calls) = trace({}, [ '-e', 'trace=sync_file_range,fsync', '-e', 'inject=sync_file_range:signal=TERM:when=6' ],
            '-d', $disk, qw(-q -r0 -s64 -n0 -f), "--tests=$test");
        is($run->{status}, "signal $number{TERM}", "SIGTERM while data is written back for $test: ended by it");
        is(join(q{ }, map { $_->{name} } @calls), join(q{ }, ('sync_file_range') x 6), 'nothing more is written back');
    }
}
is_deeply([ tree($disk) ], [], 'and nothing is left');

# As a terminal does: the whole group gets it, seekers and helper too.
for my $test (qw(put_block seeks seq_create)) {
    my $run = begin($test);
    kill INT => -$run->{pid};
    finish($run);
    is($run->{status}, "signal $number{INT}", "SIGINT to the whole group in $test: ended by it");
    is_deeply([ tree($dir) ], [], 'nothing is left');
}

# Several at once, and one that was to be ignored.
my $run = begin('seeks');
kill $_ => $run->{pid} for qw(TERM TERM INT HUP);
finish($run);
like($run->{status}, qr/\Asignal (?:1|2|15)\z/, 'several signals: ended by one of them');
bonnie('-d', $dir, '--cleanup');
is_deeply([ tree($dir) ], [], 'and --cleanup removes what that left, if anything');

$run = do { local $SIG{HUP} = 'IGNORE'; begin('seeks') };
kill HUP => $run->{pid};
select undef, undef, undef, .3;
is(waitpid($run->{pid}, POSIX::WNOHANG()), 0, 'SIGHUP under nohup is ignored');
kill TERM => $run->{pid};
ended_ok($run, 'TERM', 'SIGTERM under nohup');

# SIGKILL: no data file is left, and no process.
$run = begin('seeks');
my @children;
wait_until('three seekers', sub { @children = children($run->{pid}); @children == 3 });
kill KILL => $run->{pid};
is(finish($run)->{status}, "signal $number{KILL}", 'SIGKILL');
is_deeply([ grep { !m{\Abonnie\.[0-9a-f]{16}(?:/owner)?\z} } tree($dir) ], [], 'leaves no data file');
my $ended = eval { local $BonnieRun::HANGS = 30; wait_until('the end of the seekers', sub { !grep {is_alive($_)} @children }) };
ok($ended, 'and no process') or kill KILL => @children;
is(bonnie('-d', $dir, '--cleanup')->{status}, 0, 'what it leaves');
is_deeply([ tree($dir) ], [], 'is cleaned up');

sub is_alive {
    my ($pid) = @_;
    my $state = eval { slurp("/proc/$pid/stat") } // return 0;
    return $state !~ /[)] [ZX] /;
}

sub children {
    my ($pid) = @_;
    return split q{ }, slurp("/proc/$pid/task/$pid/children");
}

done_testing();
