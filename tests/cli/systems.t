#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# On systems that lack something, or are larger than most, the run continues and reports what
# it found.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Test::More;
use BonnieRun qw(@ALL_TESTS $LIMIT bonnie engines finish program refused_ok run_tool scratch_on_disk start tree wait_until);
use RunProgram qw(slurp spew);
use Trace     qw(can_trace trace);

plan skip_all => 'strace cannot trace here' if !can_trace();

my $dir   = scratch_on_disk();
my @small = ('-d', "$dir", qw(-q -s4 -n0 -r0 --json));

# strace makes these calls fail with this error, as on a system that lacks them.
sub run_without {
    my ($calls, $how, @words) = @_;
    return bonnie({ wrap => [ qw(strace -f -qq -o /dev/null -e), "trace=$calls", '-e', "inject=$calls:$how", '--' ] }, @words);
}

sub report_of {
    my ($run) = @_;
    is("$run->{status}$run->{err}", '0', 'it succeeds without a word');
    return JSON::PP->new->decode($run->{out});
}

# Such a kernel refuses a set that is too small for all its CPUs, which are 8192 at most.
subtest 'a kernel with more CPUs than a set of the usual size has room for' => sub {
    my $plain = report_of(bonnie(@small, qw(-c auto --tests=put_block)));
    is($plain->{settings}{concurrency}, $plain->{host}{cpus}, 'a worker is made for each CPU');
    for my $program ([ 'bonnie', @small, '--tests=put_block' ], [ 'bonload', qw(-requests-engine=null -rt=64 -max-requests=1000 -show-progress=false) ]) {
        my ($name, @words) = @{$program};
        my ($run, @calls)  = trace({ $name eq 'bonnie' ? () : (program => $name) }, [qw(-e trace=sched_getaffinity)], @words);
        is($run->{status}, '0', $name);
        my @sizes = map { $_->{args} =~ /\A\d+, (\d+),/ } @calls;
        cmp_ok(scalar(grep { $_ == 8192 / 8 } @sizes), '>', 0, "$name asks with room for all CPUs"); # libraries ask, too
    }
};

subtest 'no fadvise' => sub {
    my $test = report_of(run_without('fadvise64', 'error=ENOSYS', @small, '--tests=get_block'))->{runs}[0]{tests}[0];
    is($test->{bytes}, 4 << 20, 'all is read');
    ok(defined $test->{cache}{resident_percent_before}, 'and how much of it was cached is told');
};

subtest 'a filesystem without locks, as Lustre without `flock`' => sub {
    for my $error (qw(ENOSYS ENOLCK EOPNOTSUPP)) {
        my $test = report_of(run_without('flock', "error=$error", @small, '--tests=put_block'))->{runs}[0]{tests}[0];
        is($test->{bytes}, 4 << 20, "$error: all is written");
    }
    my $run = start('-d', "$dir", qw(-q -s0 -n1 -r0 -x1000000 --tests=seq_create));
    wait_until('files', sub { grep {m{/d00000/}} tree($dir) });
    my $left = run_without('flock', 'error=ENOSYS', '-d', "$dir", '--cleanup');
    like($left->{err}, qr/\A(?:bonnie: removed semaphore set [^\n]*\n)*bonnie: left \S+: the filesystem has no locks that would tell whether a run is using it\n\z/,
        '--cleanup leaves what may be in use');
    is("$left->{status}$left->{out}", '0', 'and has removed nothing');
    kill TERM => $run->{pid};
    finish($run);
    is_deeply([ tree($dir) ], [], 'the run itself removes it');
};

subtest 'few open files' => sub {
    my @all = ('-d', "$dir", qw(-q -r0 -c20 -s20:64k:100 -n1:100:0:40 --iops-duration=0.1), '--tests=' . join q{,}, @ALL_TESTS);
    my $with = sub { my ($limit, @more) = @_; return bonnie({ wrap => [ 'sh', '-c', "ulimit -n $limit && exec \"\$\@\"", 'sh' ] }, @all, @more) };
    for my $engine (grep { $_ ne 'null' } engines()) {
        is($with->(80, "--engine=$engine", "--output=$dir/report")->{status}, 0, "$engine: 3 for each of 20 workers and 20 more are enough");
    }
    unlink "$dir/report";
    refused_ok($with->(79), qr/--concurrency: 20 workers need 80 open files at a time; the limit is 79 \(ulimit -Hn\)/, 'one less is told beforehand');
    my $soft = bonnie({ wrap => [ 'sh', '-c', 'ulimit -Sn 40 && exec "$@"', 'sh' ] }, @all);
    is($soft->{status}, 0, 'a soft limit is raised') or diag($soft->{err});
};

subtest 'a directory whose listing ends too early' => sub {
    for my $test (qw(seq_stat seq_del)) {
        my @files = ('-d', "$dir", split q{ }, "-q -s0 -n1 -r0 --json --tests=$test");
        my (undef, @calls) = trace({}, [qw(-y -e trace=getdents64)], @files);
        my ($first) = grep { $calls[$_]{args} =~ m{/d00000>} } 0 .. $#calls; # the directory has more entries than one call returns
        my $run  = run_without('getdents64', 'retval=0:when=' . ($first + 2), @files);
        my $done = report_of($run)->{runs}[0]{tests}[0];
        is($done->{ops}, 1024, "$test: every file once");
    }
    is_deeply([ tree($dir) ], [], 'nothing is left');
};

subtest 'memory that may not be locked' => sub {
    plan skip_all => 'no io_uring here' if !grep { $_ eq 'io_uring' } engines();
    my @queued = ('-d', "$dir", split q{ }, '-q -s4 -n0 -r0 --format=text --engine=io_uring -c2 --iops-duration=0.1 --tests=put_block,seeks,iops');
    my $told = qr/buffers could not be registered with io_uring [(]ulimit -l[)]:/;
    my $run  = run_without('io_uring_register', 'error=ENOMEM', @queued);
    is($run->{status}, 0, 'it goes on');
    my $text = $run->{out} =~ s/\s+/ /gr;
    like($text, qr/\b$_\b[\w ]*: $told/, "$_: the report says so") for qw(put_block seeks iops);
    unlike(bonnie(@queued)->{out}, qr/registered/, 'and does not otherwise');
};

subtest 'without /proc' => sub {
    plan skip_all => 'mounting takes root' if $> != 0;
    plan skip_all => 'a sanitizer cannot do without it' if slurp(BonnieRun::program()) =~ /__asan_init|__tsan_init/;
    my @without = (wrap => [ qw(unshare -m sh -c), 'umount -l /proc && exec "$@"', 'sh' ]);
    for my $row ([ bonnie => @small, '--verify=full' ], [ bonnie => @small, '-D', '--tests=put_block,get_block' ], [ 'getc_putc', '-d', "$dir", '-s1k' ]) {
        my ($program, @args) = @{$row};
        my $usual = run_tool($program eq 'bonnie' ? BonnieRun::program() : $program, @args);
        my $run   = run_tool($program eq 'bonnie' ? BonnieRun::program() : $program, {@without}, @args);
        is($run->{status}, $usual->{status}, "@{$row}: it works as ever") or diag($run->{err});
        is_deeply([ tree($dir) ], [], 'and nothing is left');
    }
    my $look = bonnie({@without}, qw(-q -s48 --time=2), "$dir");
    is("$look->{status}$look->{err}", '0', 'the short look');
    is(scalar(() = $look->{out} =~ /^(?:Write|Read|Durable|Files) .*(?: {3}(?:$LIMIT)| too quick)$/mg), 9, 'has all its rows') or diag($look->{out});
    unlike($look->{out}, qr/others used|without a name/, 'and claims nothing of others, whom it cannot see');
    my $load = JSON::PP->new->decode(run_tool('bonload', {@without}, qw(-wps=20 -duration=500ms -mkdirs -remove --json), "$dir/XXXX")->{out});
    is($load->{machine}{words}, 'not known: others used a share of the CPUs that /proc/stat does not tell', 'nor does a load');
    like(run_tool('boncut', {@without}, 'audit', "$dir")->{out}, qr/\A(?:Not known|Durability is |Not ruled out)/, 'an audit answers');
    my $profile = run_tool('bonload', {@without}, '-good-for=etcd', "$dir");
    refused_ok($profile, qr{\Abonload: \Q$dir\E: /proc is not mounted, through which files are opened again\n\z}, 'a profile says what is missing');
    is_deeply([ tree($dir) ], [], 'and makes nothing');
    spew("$dir/disk", q{0} x 2**20);
    my $read = run_tool('zcav', {@without}, '-b1', "$dir/disk");
    refused_ok($read, qr{\Azcav: open \S+: /proc is not mounted: No such file or directory\n\z}, 'and by zcav');
    unlink "$dir/disk";
};

subtest 'a chroot whose root is no mount point, as packages are built in' => sub {
    plan skip_all => 'mounting takes root' if $> != 0;
    my $plain = report_of(bonnie(@small, '--tests=put_block'));
    my $root  = "$dir/root";
    mkdir $_ for $root, map {"$root/$_"} qw(proc tmp program);
    my @bound = grep { -d "/$_" } qw(usr bin lib lib64);
    my ($file) = program() =~ m{([^/]+)\z};
    my $script = join ' && ', 'mount --make-rprivate /', 'cp "$0" "$1/program/"',
        (map {"mkdir -p '$root/$_' && mount --bind '/$_' '$root/$_'"} @bound, qw(dev proc)),
        "exec chroot '$root' '/program/$file' -d /tmp -q -s4 -n0 -r0 --json --tests=put_block";
    my $json = qx(unshare -m sh -c \Q$script\E \Q${\ program()}\E \Q$root\E);
    is(eval { JSON::PP->new->decode($json) }->{storage}{filesystem}, $plain->{storage}{filesystem}, 'statfs names the filesystem');
};

done_testing();
