#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bonwhy: what a program of our own asks of its storage, how long that took by its own clock, and who
# made it wait.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP ();
use Test::More;
use Root ();
BEGIN { Root::private_mounts() }
use BonnieRun  qw(finish have refused_ok run_tool scratch_on_disk source start wait_until);
use JsonSchema qw(schema_errors);
use LoadRun    qw(bonload);
use RunProgram qw(slurp spew);
use SweepSize  qw(sized);
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
refused_ok(bonwhy(qw(--slowest=0 1)),            qr/\Abonwhy: --slowest: '0'/,                             '--slowest');
refused_ok(bonwhy('--profile=/none/p', $$),      qr{\Abonwhy: [^\n]*/none/p: No such file},             '--profile, before it watches');
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
        like($report, qr/\A\S+perl\S*, [\d.]+ m?s: the slowest 10 of 200 fsync calls took [\d.]+ [mu]?s\s+or\s+more[.]\s+In\s+\d/, 'the answer is first');
        my $sync = row_of($report, 'fsync');
        is($sync->{calls}, 200, 'each sync is counted');
        cmp_ok($sync->{in_all}, '<=', 1.01 * $first->{out}, 'it takes no longer than the program found');
        is(row_of($report, 'write')->{calls} // 0, 200 + ($report =~ m{^ +1 +[\d.]+ \w+  \S*out$}m ? 1 : 0), 'each write, and the line that it prints');
        is(row_of($report, 'rename(?:at2?)?')->{calls}, 6, 'each rename');
        like($report, qr/^ +[\d]{3} +[\d.]+ \w+  \Q$dir\E\/data$/m, 'the file');
    };

    subtest 'JSON' => sub {
        my $run  = bonwhy(qw(-q --json --slowest=3 --label=x -o), "$dir/json", '--', $^X, "$dir/known", $dir, 50, 0);
        my $json = JSON::PP::decode_json(slurp("$dir/json"));
        my $rules = JSON::PP::decode_json(slurp(source('share/bonwhy.schema.json')));
        is_deeply([ schema_errors($rules, $json) ], [], 'as its schema says');
        is("$json->{label} $json->{settings}{slowest} $json->{answer}{examined}", 'x 3 3', 'as many are explained as were asked for');
        my ($sync) = grep { $_->{call} eq 'fsync' } @{ $json->{calls} };
        is($sync->{calls}, 50, 'each sync');
        cmp_ok($sync->{in_all_ns}, '<=', 1.01e9 * $run->{out}, 'and its time');
        my $sum = 0;
        $sum += $_ for values %{ $json->{answer}{percent} };
        cmp_ok(abs($sum - 100), '<', .01, 'the causes are all of the time');
        $run = bonwhy(qw(-q --json --), 'true');
        is_deeply([ schema_errors($rules, JSON::PP::decode_json($run->{out})) ], [], 'as its schema says of no call, too') if $run->{status} == 0;
        like(bonwhy(qw(-q --), 'true')->{err}, qr/^bonwhy: in \S+ m?s true made no call that asks anything of storage$/m, 'which is told in any case');
    };

    subtest 'a page' => sub {
        my $run;
        for (1 .. 10) { # a file is known only if it is looked up before the program ends; on a busy machine a write may be slower
            $run = bonwhy('-q', '-o', "$dir/report", "--html=$dir/page", '--', $^X, "$dir/known", $dir, 50, 0);
            last if $run->{status} != 0 || slurp("$dir/page") =~ m{slowest fsync .*\Q$dir\E/data}s;
        }
        is($run->{status}, 0, 'it is drawn') or diag $run->{err};
        my ($page, $said) = map { slurp("$dir/$_") =~ s/\s+/ /gr } qw(page report);
        my ($answer) = $said =~ /\A(.*?(?:[.] Nobody else was seen to be the reason|because of [^.]*)[.])/;
        like($page, qr/<p class="headline">\Q$answer\E<\/p>/, 'the answer comes first');
        like($page, qr/What the slowest fsync waited for/, 'the waits by cause');
        like($page, qr{\Q$dir\E/data}, 'the files');
        bonwhy(qw(-q --json -o), "$dir/json", '--', $^X, "$dir/known", $dir, 50, 0);
        like(run_tool('bon_csv2html', "$dir/json")->{out}, qr/<h2 id="devices">Devices/, 'bon_csv2html draws it from JSON');
        refused_ok(run_tool('bon_csv2html', ("$dir/json") x 2), qr/: each report of bonwhy is on a page of its own$/, 'each on its own');
        is(bonwhy("--html=$dir/none/page", '--', 'true')->{status}, 125, 'no such directory: refused');
    };

    subtest 'a profile' => sub {
        # The programs pause, because the files of one that ends at once cannot be looked at.
        bonwhy(qw(-q -o /dev/null), "--profile=$dir/log.profile", '--', $^X, "$dir/known", $dir, 60, .01);
        my $profile = slurp("$dir/log.profile");
        like($profile, qr/^request: put first next 8192; sync-all first$/m, 'a log that is synced');
        like($profile, qr/^# first is \Q$dir\E\/data$/m, 'its file');
        like($profile, qr/^# not in it: \d+ read$/m,       'what it does not hold');
        # a file that is created, and gets its name when it is complete; now and then a page of another one
        spew("$dir/mover", <<'END');
use strict; use warnings; use IO::Handle;
my ($dir) = @ARGV;
open my $pages, '+>', "$dir/pages" or die;
syswrite $pages, 'p' x 65536;
for my $n (1 .. 40) {
    if ($n % 10 == 0) { sysseek $pages, 4096, 0; syswrite $pages, 'p' x 4096; $pages->sync }
    open my $new, '>', "$dir/new" or die;
    syswrite $new, 'x' x 3000 for 1 .. 2;
    $new->sync;
    close $new;
    rename "$dir/new", "$dir/old";
    select undef, undef, undef, .01;
}
END
        bonwhy(qw(-q -o /dev/null), "--profile=$dir/moves.profile", '--', $^X, "$dir/mover", $dir);
        $profile = slurp("$dir/moves.profile");
        like($profile, qr/^request: create new; put new next 6000; sync-all new; rename new renamed$/m, 'files that are made and renamed');
        like($profile, qr/^every more 1[0-9]: (?:put first next \d+|write first 1); sync-all first$/m, 'and what is done now and then');
        for my $file ("$dir/log.profile", "$dir/moves.profile") {
            mkdir "$file.dir" or die "$file.dir: $!\n";
            my $run = bonload("-good-for=$file", qw(-duration=1s -wt=1 -warmup=0s), "$file.dir");
            like($run->{status}, qr/\A[03]\z/, 'bonload takes it') or diag $run->{err};
        }
        # 200 calls that have no order
        spew("$dir/chaos", <<'END');
use strict; use warnings; use IO::Handle;
my ($dir, @files) = @ARGV;
open $files[$_], '+>', "$dir/chaos$_" or die for 0 .. 2;
my $seed = 7;
for (1 .. 400) {
    $seed = ($seed * 1103515245 + 12345) % 2147483648;
    my $file = $files[ $seed / 65536 % 3 ];
    if ($seed / 1048576 % 2) { syswrite $file, 'x' x 512 } else { $file->sync }
}
END
        my $refused = bonwhy(qw(-q -o /dev/null), "--profile=$dir/chaos.profile", '--', $^X, "$dir/chaos", $dir);
        is($refused->{status}, 125, 'calls without an order: a failure');
        like($refused->{err}, qr/\Abonwhy: --profile: the calls of \S+ do not repeat: of \d+ steps that change files, \d+ % are in cycles that are alike\n\z/, 'in one line');
        ok(!-e "$dir/chaos.profile", 'and there is no profile');
    };

    subtest 'requests without a call of their own' => sub {
        plan skip_all => 'no fio' if !have('fio');
        # io_uring from submission to completion, libaio until the end of each transfer
        my @fio = (qw(fio --name=x --rw=randrw --bs=4k --size=4m --direct=1), "--directory=$dir");
        system(@fio, '--create_only=1', "--output=$dir/fio") == 0 or die "fio failed\n";
        my %row = (io_uring => [ 'io_uring read', 'io_uring write', 'io_uring fsync' ], libaio => ['aio transfer']);
        for my $engine (sort keys %row) {
            my $run = bonwhy(qw(-q --json -o), "$dir/json", '--', @fio, qw(--iodepth=4 --fdatasync=10 --output-format=json), "--ioengine=$engine", "--output=$dir/fio");
            SKIP: {
                skip "fio has no $engine here", 1 if $run->{status} != 0;
                my ($job) = @{ JSON::PP::decode_json(slurp("$dir/fio") =~ s/\A[^{]*//r)->{jobs} };
                my %made = ('io_uring read' => $job->{read}{total_ios}, 'io_uring write' => $job->{write}{total_ios}, 'aio transfer' => $job->{read}{total_ios} + $job->{write}{total_ios});
                my %seen = map { $_->{call} => $_ } @{ JSON::PP::decode_json(slurp("$dir/json"))->{calls} };
                for my $call (@{ $row{$engine} }) {
                    skip "this kernel has no events of io_uring with requests", 1 if $engine eq 'io_uring' && !$seen{$call} && `uname -r` < 6;
                    my $calls = $seen{$call}{calls} // 0;
                    ok($call eq 'aio transfer' ? abs($calls - $made{$call}) <= $made{$call} / 20 : defined $made{$call} ? $calls == $made{$call} : $calls > 0, "each $call, of which the kernel may merge some")
                        or diag slurp("$dir/json");
                }
            }
        }
    };

    subtest 'a filesystem that is seen for the first time' => sub {
        my $other = Root::may_mount() ? Root::filesystem('ext4', 40) : undef;
        plan skip_all => 'no filesystem of our own' if !$other;
        # The program makes all calls while bonwhy is stopped, and goes on until bonwhy has read them.
        spew("$dir/unseen", <<'END');
use strict; use warnings; use IO::Handle;
sub naps { open my $in, '<', '/proc/' . getppid . '/status' or die; return (join q{}, <$in>) =~ /^voluntary_ctxt_switches:\s*(\d+)/m ? $1 : die }
open my $file, '>', "$ARGV[0]/data" or die;
kill STOP => getppid;
for (1 .. 20) { syswrite $file, 'x' x 8192; $file->sync }
kill CONT => getppid;
my $until = naps() + 5;
select undef, undef, undef, .01 while naps() < $until;
END
        my $run = bonwhy(qw(-q --json --), $^X, "$dir/unseen", $other);
        my %of = %{ JSON::PP::decode_json($run->{out})->{answer}{percent} };
        cmp_ok($of{device} + $of{queue} + $of{flush} + $of{journal}, '>', 0, 'what was at its device before is known') or diag $run->{out};
        SKIP: {
            skip 'no fio', 1 if !have('fio');
            my @fio = (qw(fio --name=x --ioengine=libaio --iodepth=1 --rw=randread --bs=4k --size=2m --direct=1 --openfiles=1 --file_service_type=sequential), "--filename=$dir/first:$other/second", "--output=$dir/fio");
            system(@fio, '--create_only=1') == 0 or skip 'fio has no libaio here', 1;
            my $aio;
            for (1 .. 10) { # it is known only if it is looked up before fio ends
                bonwhy(qw(-q --json -o), "$dir/json", '--', @fio, '--thinktime=1ms');
                ($aio) = grep { $_->{call} eq 'aio transfer' } @{ JSON::PP::decode_json(slurp("$dir/json"))->{calls} };
                last if $aio->{calls} == 512;
            }
            is($aio->{calls}, 512, 'transfers of a file on it, which is opened later') or diag slurp("$dir/fio");
        }
    };

    subtest 'odd programs' => sub {
        # one that becomes another, and children that end at once
        spew("$dir/execs", 'use IO::Handle; open my $f, ">>", "$ARGV[0]/x" or die; for (1 .. 10) { syswrite $f, "x"; $f->sync } exec $^X, $0, $ARGV[0], 1 if !$ARGV[1];');
        my $run = bonwhy(qw(-q --), $^X, "$dir/execs", $dir);
        is(row_of($run->{out}, 'fsync')->{calls}, 20, 'exec: the calls of both');
        my $children = sized(500, 2000, 10_000);
        spew("$dir/forks", 'use IO::Handle; for my $n (1 .. $ARGV[1]) { my $p = fork // die; if (!$p) { open my $f, ">>", "$ARGV[0]/x" or die; $f->sync if $n % 10 == 0; exit 0 } waitpid $p, 0 }');
        $run = bonwhy(qw(-q --), $^X, "$dir/forks", $dir, $children);
        is(row_of($run->{out}, 'fsync')->{calls}, $children / 10, "$children children: the calls of all") or diag $run->{out};
        # many threads
        mkdir "$dir/threads" or die "$dir/threads: $!\n";
        my $threads = sized(200, 1000, 5000);
        my $many = bonload({ wrap => [ BonnieRun::program('bonwhy'), qw(-q --json -o), "$dir/json", '--' ] }, "-wt=$threads", qw(-rt=0 -fsync -max-requests=4000 -duration=2s -json -url), "$dir/threads/XXXX");
        my ($sync) = grep { $_->{call} eq 'fsync' } @{ JSON::PP::decode_json(slurp("$dir/json"))->{calls} };
        cmp_ok($sync->{calls}, '>=', JSON::PP::decode_json($many->{out})->{writes}{made}, "$threads threads: the syncs of all"); # and those of directories
        # a name with a newline, and an escape
        symlink $^X, "$dir/two\nlines\e[1m" or die "$dir: $!\n";
        $run = bonwhy(qw(-q --), "$dir/two\nlines\e[1m", "$dir/known", $dir, 20, 0);
        like($run->{out}, qr/two[ ?]lines[?]/, 'a name with a newline: none in the report');
        unlike($run->{out}, qr/\e|two\nlines/, 'nor an escape');
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
        mkdir "$dir/kept" or die "$dir/kept: $!\n";
        for my $n (1 .. sized(5, 40, 200)) { # at any moment
            $run = start({ program => 'bonwhy' }, '-o', "$dir/kept/report", "--profile=$dir/kept/profile", '--', 'sleep', 60 + $$);
            select undef, undef, undef, rand .4;
            kill KILL => $run->{pid};
            finish($run);
            wait_until('the end of its instances', sub { !instances($run) });
        }
        is_deeply([ glob "$dir/kept/* $dir/kept/.??*" ], [], 'at any moment: no file is left');
        my $sleeps = 60 + $$;
        wait_until('the end of the commands', sub { !grep { (eval { slurp($_) } // q{}) eq "sleep\0$sleeps\0" } glob '/proc/[0-9]*/cmdline' });
        pass('and no command');
        is(bonwhy('--cleanup')->{status}, 0, '--cleanup');
    };
}

done_testing();
