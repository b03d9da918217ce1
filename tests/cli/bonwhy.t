#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bonwhy: what a program of our own asks of its storage, how long that took by its own clock, and who
# made it wait.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root ();
BEGIN { Root::private_mounts() }
use BonnieRun  qw(finish have refused_ok run_tool scratch_on_disk start wait_until);
use RunProgram qw(slurp spew);
use TailRun    qw($TRACING instances);

my $dir = scratch_on_disk(oct 777);

sub bonwhy { return run_tool('bonwhy', @_) }

# ---- the command line ----------------------------------------------------------------------------------

refused_ok(bonwhy(),                       qr/\Abonwhy: TARGET is missing/,                            'no target');
refused_ok(bonwhy(qw(1 2)),                qr/\Abonwhy: unexpected argument '2'; only one TARGET/,      'two targets');
refused_ok(bonwhy(qw(4194999)),            qr/\Abonwhy: there is no process 4194999$/,                 'no process');
refused_ok(bonwhy(qw(no-such.service)),    qr/\Abonwhy: no-such[.]service is no pid, and no unit or/,  'no unit');
refused_ok(bonwhy(qw(/no/such/group)),     qr/\Abonwhy: there is no control group /,                   'no control group');
refused_ok(bonwhy(qw(--user=nobody 1)),    qr/\Abonwhy: --user: only a command/,                       '--user is for commands');
refused_ok(bonwhy(qw(-g nogroup 1)),       qr/\Abonwhy: --group: only a command/,                      'and so is --group');
refused_ok(bonwhy(qw(--by=colour 1)),      qr/\Abonwhy: --by: 'colour'/,                               '--by');
is(bonwhy('--output=/dev/null', qw(1 -- true))->{status}, 125, 'both a target and a command: 125');
like(bonwhy('-h')->{out}, qr/\AUsage: bonwhy .*\n +bonwhy .*-- COMMAND/, '-h');
like(bonwhy($_)->{out}, qr/\Abonwhy \d/, $_) for qw(-V --version);
like(bonwhy('--help')->{out}, qr/--time TIME/, '--help');

my $blind = bonwhy(have('setpriv') && Root::is_root() ? { wrap => [qw(setpriv --reuid=65534 --regid=65534 --clear-groups)] } : {}, $$);
if (!Root::is_root() || have('setpriv')) {
    is($blind->{status}, 1, 'without root: a failure');
    like($blind->{err}, qr/\Abonwhy: (?:only root can look at the kernel's events|in a PID namespace[^\n]*|tracefs is[^\n]*)\n\z/, 'in one line');
}

# ---- a program with known calls ------------------------------------------------------------------------

# It prints how long its syncs took, in seconds.
my $program = <<'END';
use strict; use warnings; use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC sleep); use IO::Handle;
my ($dir, $syncs, $pause) = @ARGV;
open my $file, '+>', "$dir/data" or die;
my $all = 0;
for (1 .. $syncs) {
    syswrite $file, 'x' x 8192;
    my $from = clock_gettime(CLOCK_MONOTONIC);
    $file->sync;
    $all += clock_gettime(CLOCK_MONOTONIC) - $from;
    sleep $pause if $pause;
}
for (1 .. 3) { rename "$dir/data", "$dir/other"; rename "$dir/other", "$dir/data" }
print "$all\n";
unlink "$dir/data";
END
spew("$dir/known", $program);

# The row of a call: { calls, in_all }, in seconds.
my %UNIT = (ns => 1e-9, us => 1e-6, ms => 1e-3, s => 1);
sub row_of {
    my ($out, $call) = @_;
    my ($calls, $number, $unit) = $out =~ /^$call +(\d+) .* ([\d.]+) (ns|us|ms|s)$/m or return {};
    return { calls => $calls, in_all => $number * $UNIT{$unit} };
}

my $first = bonwhy('--by=file', '--quiet', '-o', "$dir/report", '--', $^X, "$dir/known", $dir, 200, 0);
SKIP: {
    skip "cannot trace here: $first->{err}", 1 if $first->{status} == 125;
    my $report = slurp("$dir/report");

    subtest 'calls and times' => sub {
        is($first->{status}, 0, 'the status of the command') or diag $first->{err};
        like($report, qr/\A\S+perl\S*, [\d.]+ m?s: the slowest 10 of 200 fsync took [\d.]+ [mu]?s or more[.]\nOf that time: \d/, 'the answer is first');
        my $sync = row_of($report, 'fsync');
        is($sync->{calls}, 200, 'each sync is counted');
        cmp_ok($sync->{in_all}, '<=', 1.01 * $first->{out}, 'it takes no longer than the program found');
        is(row_of($report, 'write')->{calls} // 0, 200 + ($report =~ m{^ +1 +[\d.]+ \w+  \S*out$}m ? 1 : 0), 'each write, and the line that it prints');
        is(row_of($report, 'rename(?:at2?)?')->{calls}, 6, 'each rename');
        like($report, qr/^ +[\d]{3} +[\d.]+ \w+  \Q$dir\E\/data$/m, 'the file');
    };

    # what was seen until now was seen in the program's own tracefs, if there is no other
    system "mount -t tracefs tracefs $TRACING 2>/dev/null" if !-d "$TRACING/instances" && Root::may_mount();

    subtest 'the status of a command' => sub {
        is(bonwhy('--', 'sh', '-c', 'exit 7')->{status},              7,        'its own');
        is(bonwhy('--', 'sh', '-c', 'kill -TERM $$')->{status},       128 + 15, 'by a signal');
        is(bonwhy('--', "$dir/none")->{status},                       127,      'there is none');
        like(bonwhy('--user=65534', '--group=65534', '--trust-directory', '--', 'sh', '-c', 'id -u >&2')->{err}, qr/^65534$/m, 'as a user');
    };

    subtest 'a process' => sub {
        plan skip_all => 'tracefs is not to be seen' if !-d "$TRACING/instances";
        my $idle = start({ program => 'bonwhy' }, '--', 'sleep', 60);
        wait_until('its trace instances', sub { instances($idle) == 2 });
        my $run = bonwhy('--time=100ms', $idle->{pid} + 0);
        like($run->{err}, qr/\Abonwhy: in [\d.]+ m?s \d+ made no call that asks anything of storage$/, 'it makes no such call') if $run->{status} == 3;
        kill TERM => $idle->{pid};
        finish($idle);
        is_deeply([ instances($idle) ], [], 'ended by a signal: nothing is left');
    };

    subtest 'killed' => sub {
        plan skip_all => 'tracefs is not to be seen' if !-d "$TRACING/instances";
        # when the command begins, both instances have the process that removes them
        my $run = start({ program => 'bonwhy' }, '--', 'sh', '-c', "touch '$dir/begun' && exec sleep 60");
        wait_until('the command', sub { -e "$dir/begun" });
        is(scalar(() = instances($run)), 2, 'its trace instances');
        kill KILL => $run->{pid};
        finish($run);
        wait_until('the end of its instances', sub { !instances($run) });
        pass('nothing is left');
        is(bonwhy('--cleanup')->{status}, 0, '--cleanup');
    };
}

done_testing();
