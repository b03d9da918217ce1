#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# --engine: every engine that works here does every block test, as the options say; one that does
# not work says why.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(@BLOCK_TESTS bonnie csv_of engines is_used mark refused_ok scratch scratch_on_disk source takes_direct tree table_of);
use RunProgram qw(slurp);
use Trace      qw(can_trace phases trace);

my $dir    = scratch();
my $disk   = scratch_on_disk();
my $direct = takes_direct($disk);
my $traces = can_trace();
my %usable = map { $_ => 1 } engines();
my @TESTS  = ('--tests=' . join q{,}, @BLOCK_TESTS);
my @SMALL  = (qw(-r0 -n0 -mlab -s1:8k:100:2 --cache=keep --iops-duration=0.05), @TESTS);

my $help = bonnie('--engine=help');
is("$help->{status}$help->{err}", '0', '--engine=help: exit status 0 and nothing on stderr');
is_deeply([ $help->{out} =~ /^(\w+) +\S/mg ], [qw(sync libaio io_uring null)], 'every engine in a line');
ok($usable{$_}, "$_ can be used everywhere") for qw(sync null);

# A new engine is wherever all are listed.
my %lists = (
    'man/bonnie.1'             => '^[.]It Cm %s$',
    'man/zcav.8'               => '^[.]Cm %s\\b',
    'share/bonnie.schema.json' => '"engine": [{] "enum": \\[[^\\]]*"%s"',
);
for my $list (sort keys %lists) {
    my $text = slurp(source($list));
    like($text, qr/@{[ sprintf $lists{$list}, $_ ]}/m, "$list has $_") for $help->{out} =~ /^(\w+) +\S/mg;
}

# The engines of this list that work here.
sub usable { return grep { $usable{$_} } @_ }

# Checks that a run measured all block tests, found no damage, and left nothing
# behind.
sub measured_ok {
    my ($where, @options) = @_;
    return subtest "@options" => sub {
        my $run = bonnie('-d', $where, @SMALL, '-q', @options);
        my $csv = csv_of($run);
        is($run->{status}, 0, 'exit status 0');
        is($run->{out} =~ tr/,//, 49, 'fifty fields');
        is((grep { length($csv->{$_} // q{}) } @BLOCK_TESTS[ 0 .. 3 ]), 4, 'figures in the CSV line');
        like($run->{err}, qr/^Version .*Random Reads and Writes.*\n.*\nlab +4k +10% +[\d.]+ +\d+(?: +(?:\d+[um]?s|-)){4}$/m, 'figures of iops in a table');
        unlike($run->{err}, qr/^bonnie:|damaged/m, 'no damage, no complaint');
        is_deeply([ tree($where) ], [], 'nothing is left');
    };
}

for my $engine (usable(qw(sync libaio io_uring null))) {
    my @depths = $engine eq 'sync' ? ('--iodepth=1') : ([], '--iodepth=64');
    for my $depth (map { ref() ? $_ : [$_] } @depths) {
        for my $workers (qw(-c1 -c2)) {
            my @options = ("--engine=$engine", $workers, '--verify=full', @{$depth});
            measured_ok($dir, @options);
        SKIP: {
                skip 'no O_DIRECT here', 1 if !$direct;
                measured_ok($disk, @options, '-D');
            }
        }
    }
    measured_ok($dir, "--engine=$engine", qw(--verify=stamp -b));
}

# Sizes that do not divide each other, and a depth larger than the number of
# operations.
for my $engine (usable(qw(libaio io_uring null))) {
    mark("$dir");
    my $run = bonnie('-d', $dir, @SMALL, '-q', "--engine=$engine", qw(--iodepth=1024 -s200k:1000:50:2 --verify=full -c3),
        '--tests=put_block,rewrite,get_block,seeks');
    is("$run->{status}" . ($run->{err} =~ /^(bonnie:.*)$/m ? $1 : q{}), '0', "$engine: odd chunks, more in flight than there are");
    ok(is_used($dir), 'in files');
}

# Runs the tests under strace. Returns the calls of each test, and the run. Uses -D if possible,
# because some engines queue only with it.
my $CALLS = join q{,}, qw(pread64 pwrite64 openat ftruncate write), map {"?$_"}
    qw(preadv pwritev preadv2 pwritev2 io_setup io_submit io_getevents io_uring_setup io_uring_enter io_uring_register);

sub calls_of {
    my ($engine, @options) = @_;
    my ($run, @calls) = trace({}, [ '-e', "trace=$CALLS" ], '-d', $direct ? $disk : $dir, @SMALL, ($direct ? '-D' : ()), "--engine=$engine", @options);
    is($run->{status}, 0, "$engine @options: exit status 0") or diag($run->{err});
    return @calls;
}

my %MOVES = (sync => qr/\Ap(?:read|write)64\z/, libaio => qr/\Aio_submit\z/, io_uring => qr/\Aio_uring_enter\z/);

# The number of transfers in each submitting call of an engine. io_uring has one call for
# submitting and waiting.
sub handed_over {
    my ($engine, @calls) = @_;
    return map { $_->{args} =~ /\A\w+, (\d+)/ } grep { $_->{name} =~ $MOVES{$engine} } @calls;
}

SKIP: {
    skip 'strace cannot trace here', 1 if !$traces;
    for my $engine (usable(sort keys %MOVES)) {
        my $phase = phases(calls_of($engine));
        for my $test (@BLOCK_TESTS) {
            my @names = map { $_->{name} } @{ $phase->{$test} };
            ok((grep {/$MOVES{$engine}/} @names), "$engine moves the data of $test");
            my @others = grep { $_ ne $engine } keys %MOVES;
            is_deeply([ grep { my $name = $_; grep { $name =~ $MOVES{$_} } @others } @names ], [], 'and no other engine does');
        }
    }

    subtest 'null moves nothing' => sub {
        my @calls = calls_of('null', '--iodepth=8');
        my $phase = phases(@calls);
        my @data = grep { $_->{name} ne 'write' && $_->{args} !~ m{"/proc/} } map { @{ $phase->{$_} // [] } } @BLOCK_TESTS;
        is_deeply([ map { $_->{name} } @data ], [], 'not one call for data');
        is((grep { $_->{args} =~ /O_TMPFILE|data\d{5}/ || $_->{name} eq 'ftruncate' } @calls), 0, 'no data file is made');
    };

    for my $engine (usable(qw(libaio io_uring))) {
        subtest "$engine: many at once" => sub {
            my $phase = phases(calls_of($engine, qw(--iodepth=32 -s1:4k:100:1)));
            for my $test (qw(put_block get_block)) {
                my @handed = grep { $_ > 0 } handed_over($engine, @{ $phase->{$test} });
                cmp_ok(scalar @handed, '<', 256, "$test: fewer calls than operations");
                is($handed[0], 32, 'the first hands over as many as there may be in flight');
            }
        };
        subtest "$engine: a depth of one" => sub {
            my $phase = phases(calls_of($engine, qw(--iodepth=1 -s1:8k:100:1)));
            is((grep { $_ > 1 } handed_over($engine, @{ $phase->{put_block} })), 0, 'never two at once');
        };
    }
    for my $engine (usable('libaio')) {
        my ($setup) = grep { $_->{name} eq 'io_setup' && $_->{args} !~ /\A1,/ } calls_of($engine, '--iodepth=77');
        like($setup->{args}, qr/\A77,/, '--iodepth is what libaio asks the kernel for');
    }

    for my $engine (usable('io_uring')) {
        my @calls = calls_of($engine);
        for my $what (qw(FILES BUFFERS)) {
            ok((grep { $_->{name} eq 'io_uring_register' && $_->{args} =~ /REGISTER_$what/ } @calls), 'io_uring registers its ' . lc $what);
        }
        # The run continues without a feature that the system refuses.
        for my $fault ('io_uring_register:error=ENOMEM', 'io_uring_setup:error=EINVAL:when=2', 'io_uring_setup:error=EINVAL:when=2..3', 'io_uring_setup:error=ENOMEM:when=1..4') {
            my ($run, @calls) = trace({}, [ '-e', 'trace=io_uring_register,io_uring_setup', '-e', "inject=$fault" ],
                '-d', $dir, @SMALL, qw(-q --engine=io_uring --verify=full));
            is("$run->{status}" . ($run->{err} =~ /^(bonnie:.*)$/m ? $1 : q{}), '0', "$fault is no failure");
            cmp_ok(scalar(grep { $_->{result} =~ /INJECTED/ } @calls), '>', 0, 'which was met');
        }
    }

    # [engine, call, error, what the message says]
    my @refusals = (
        [ 'io_uring', 'io_uring_setup', 'EPERM',  qr/io_uring is not allowed here .*: Operation not permitted/ ],
        [ 'io_uring', 'io_uring_setup', 'ENOSYS', qr/the kernel has no io_uring: Function not implemented/ ],
        [ 'io_uring', 'io_uring_setup', 'ENOMEM', qr/the limit on locked memory is too low \(ulimit -l\): Cannot allocate memory/ ],
        [ 'libaio',   'io_setup',       'EAGAIN', qr/no more requests are allowed: see the sysctl fs\.aio-max-nr/ ],
        [ 'libaio',   'io_setup',       'ENOSYS', qr/the kernel refuses io_setup: Function not implemented/ ],
    );
    for my $refusal (@refusals) {
        my ($engine, $call, $error, $says) = @{$refusal};
        next if !$usable{$engine};
        subtest "$call: $error" => sub {
            my @inject = ([ '-e', "trace=$call", '-e', "inject=$call:error=$error" ], '-d', $dir, @SMALL, '-q');
            refused_ok((trace({}, @inject, "--engine=$engine"))[0], qr/\Abonnie: --engine=$engine: $says/, 'refused, with the reason');
            is_deeply([ tree($dir) ], [], 'nothing is left');
            for my $other (grep { $_ ne $engine } sort keys %usable) {
                is((trace({}, @inject, "--engine=$other"))[0]{status}, 0, "$other works");
            }
            my ($told) = trace({}, $inject[0], '--engine=help');
            is($told->{status}, 0, '--engine=help: exit status 0');
            like($told->{out}, qr/^$engine .*\n +cannot be used here: $says/m, 'and it says why');
            is(scalar(() = $told->{out} =~ /cannot be used/g), 4 - keys(%usable) + 1, 'of that one alone');
        };
    }

    # The kernel accepts one request, but not the whole number.
    for my $engine (usable('libaio')) {
        my ($run) = trace({}, [ '-e', 'trace=io_setup', '-e', 'inject=io_setup:error=EAGAIN:when=2+' ], '-d', $dir, @SMALL, '-q', "--engine=$engine");
        refused_ok($run, qr/\Abonnie: libaio: set up 32 requests \(sysctl fs\.aio-max-nr\): /, 'too many requests for libaio');
        is_deeply([ tree($dir) ], [], 'nothing is left');
    }
}

# The system refuses at once.
refused_ok(bonnie('-d', $dir, @SMALL, qw(--iodepth=2 --engine=sync)), qr/\Abonnie: --iodepth: the engine sync keeps one operation in flight/, '--iodepth=2 --engine=sync');
refused_ok(bonnie('-d', $dir, @SMALL, qw(--iodepth=2)), qr/\Abonnie: --iodepth: the engine sync/, '--iodepth=2 with the default engine');
refused_ok(bonnie('-d', $dir, @SMALL, qw(--engine=posixaio)), qr/\Abonnie: --engine: 'posixaio' is not accepted; expected sync, libaio, io_uring or null/, 'an unknown engine');

subtest 'libaio is asynchronous under -D only' => sub {
    plan skip_all => 'libaio cannot be used here' if !$usable{libaio};
    my $says = qr/^bonnie: libaio without --direct is synchronous/m;
    my @once = bonnie('-d', $dir, @SMALL, qw(--engine=libaio -c2 -x2))->{err} =~ /$says/g;
    is(scalar @once, 1, 'it says so once');
    unlike(bonnie('-d', $dir, @SMALL, qw(-q --engine=libaio))->{err}, $says, 'not under -q');
    unlike(bonnie('-d', $dir, @SMALL, qw(--engine=io_uring))->{err},  $says, 'not of io_uring') if $usable{io_uring};
    unlike(bonnie('-d', $dir, qw(-r0 -s0 -n1 --tests=seq_create --engine=libaio))->{err}, $says, 'not when there is no data to move');
SKIP: {
        skip 'no O_DIRECT here', 1 if !$direct;
        unlike(bonnie('-d', $disk, @SMALL, qw(--engine=libaio -D))->{err}, $says, 'not under -D');
    }
};

# Some systems lack these features of io_uring: each feature works, or one line names
# it.
sub works_or_says_why {
    my ($where, $way, @options) = @_;
    mark("$where");
    my $run = bonnie('-d', $where, @SMALL, qw(-q --engine=io_uring --verify=full), $way, @options);
    my $name = "$way @options";
    if ($run->{status} eq '0') {
        ok(is_used($where), "$name: files were made");
        unlike($run->{err}, qr/^bonnie:/m, "$name works");
    }
    else {
        my $words = $way =~ s/.*=//r =~ tr/,/|/r;
        refused_ok($run, qr/\b(?:$words)\b.*: /, "$name does not work, and that is told");
    }
    is_deeply([ tree($where) ], [], 'nothing is left');
    return $run->{status};
}

subtest 'ways of io_uring' => sub {
    plan skip_all => 'io_uring cannot be used here' if !$usable{io_uring};
    works_or_says_why($dir, '--uring=sqpoll');
    works_or_says_why($dir, '--uring=sqpoll', '-c2');
    works_or_says_why($disk, '--uring=sqpoll',        '-D') if $direct;
    works_or_says_why($disk, '--uring=iopoll',        '-D') if $direct;
    works_or_says_why($disk, '--uring=sqpoll,iopoll', '-D') if $direct;
    isnt(works_or_says_why($dir, '--uring=iopoll'), '0', 'nothing polls for buffered transfers');
};

subtest 'what is printed' => sub {
    my $run = bonnie('-d', $dir, qw(-r0 -n0 -s1 -mlab --cache=keep --iops-duration=0.05 --iops-block=512 --iops-writes=25 --engine=sync --tests=iops));
    is($run->{status}, 0, 'iops alone: exit status 0');
    like(table_of($run->{out}), qr/\AVersion .*Random Reads and Writes.*Latency.*\n.*block +writes +\/sec %CP.*\nlab +512 +25% +[\d.]+ +\d+(?: +(?:\d+[um]?s|-)){4}\n1\.98,/,
        'its table, then the CSV line');
    unlike($run->{out}, qr/Sequential/, 'and no other table');
    is((grep { length > 80 } grep { !/\A1\.98,/ } split /\n/, $run->{out}), 0, '80 columns or fewer');
    is(scalar(split /,/, ($run->{out} =~ /^(1\.98,.*)$/m)[0], -1), 50, 'fifty fields');
    my $all = bonnie('-d', $dir, @SMALL);
    like($all->{out}, qr/Sequential Output.*Random Reads and Writes.*^1\.98,/ms, 'after the table of the other tests');
    unlike(bonnie('-d', $dir, qw(-r0 -n0 -s1 --cache=keep))->{out}, qr/Random Reads and Writes/, 'not when it was not asked for');
};

is_deeply([ tree($_) ], [], 'nothing is left in the directory') for $dir, $disk;
done_testing();
