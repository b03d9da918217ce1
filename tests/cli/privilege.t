#!/usr/bin/perl
# What is done as root and what is not: the caches of the system are dropped even after -u, by a
# helper that can do nothing else; nothing that is measured runs as root.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun qw(bonnie csv_of have refused_ok scratch tree);
use Root      ();
use Trace     qw(can_trace phases trace);

plan skip_all => 'strace cannot trace here' if !can_trace();

my $dir   = scratch(oct 777);
my @small = ('-d', $dir, qw(-r0 -s1 -f1 -n1 -mlab));
my ($nobody, $nogroup) = (getpwnam 'nobody')[ 2, 3 ];

if (!Root::is_root()) {
    refused_ok(bonnie(@small, '-u', 'root'), qr/only root can become uid 0, gid 0/, 'an ordinary user cannot become root');
    refused_ok(bonnie(@small, '-u', $> + 1), qr/only root can become uid @{[ $> + 1 ]}/, 'nor somebody else');
    refused_ok(bonnie(@small, '-g', '0'), qr/only root can become uid $>, gid 0/, 'nor of another group');
    is(bonnie(@small, '-u', $>, '-g', $) + 0)->{status}, 0, 'but itself');
    is(bonnie(@small)->{status}, 0, 'and needs no root for a run');
    note('needs root: becoming other users, dropping caches');
    done_testing();
    exit;
}

# The ids that a run has while it measures, by /proc, read when it works on its files.
sub becomes {
    my (@options) = @_;
    my ($run, @calls) = trace({}, [ '-e', 'trace=setresuid,setresgid,setgroups' ], @small, '--tests=put_block', @options);
    my ($said) = $run->{err} =~ /^Using (uid:\d+, gid:\d+)\.$/m;
    return ($run->{status} ? $run->{err} : q{}) . ($said // 'nothing said') . ' '
        . join q{ }, map { ($_->{args} =~ /\A(\d+(?:, \[\d+\])?)/)[0] } @calls;
}

is(becomes('-u', 'nobody'),      "uid:$nobody, gid:$nogroup 1, [$nogroup] $nogroup $nobody", '-u nobody');
is(becomes('-unobody'),          "uid:$nobody, gid:$nogroup 1, [$nogroup] $nogroup $nobody", '-unobody');
is(becomes('--user=nobody'),     "uid:$nobody, gid:$nogroup 1, [$nogroup] $nogroup $nobody", '--user=nobody');
is(becomes('-u', "$nobody"),     "uid:$nobody, gid:$nogroup 1, [$nogroup] $nogroup $nobody", '-u NUMBER of a known user');
is(becomes('-u', '4242'),        'uid:4242, gid:4242 1, [4242] 4242 4242', '-u NUMBER of an unknown one');
is(becomes('-u', '4242:77'),     'uid:4242, gid:77 1, [77] 77 4242',       '-u UID:GID');
is(becomes('-u500:500'),         'uid:500, gid:500 1, [500] 500 500',      '-uUID:GID');
is(becomes('-u', '4242', '-g77'), 'uid:4242, gid:77 1, [77] 77 4242',      '-u and -g');
is(becomes('-u', '4242:5', '-g', '77'), 'uid:4242, gid:77 1, [77] 77 4242', '-g goes before the group of -u');
is(becomes('--group=77'),        'uid:0, gid:77 1, [77] 77 0',             '-g alone');
is(becomes('-u', 'root:root'),   'uid:0, gid:0 1, [0] 0 0',                '-u root:root');
is(becomes('-u0'),               'uid:0, gid:0 1, [0] 0 0',                '-u0');
like(bonnie(@small, '--tests=put_block')->{err}, qr/^bonnie: running as root; -u USER gives that up$/m, 'without -u: a line of advice');

subtest 'caches' => sub {
    my ($run, @calls) = trace({}, [ '-e', 'trace=openat,write,setresuid,capset,seccomp,prctl,pwrite64,pread64,fork,clone,clone3,unlinkat' ],
        @small, '-u', 'nobody', '-c2');
    is($run->{status}, 0, 'exit status 0');
    my ($opened) = grep { $_->{args} =~ m{"/proc/sys/vm/drop_caches"} } @calls;
    ok($opened, 'drop_caches is opened') or return;
    my ($dropped_root) = grep { $_->{name} eq 'setresuid' } @calls;
    cmp_ok($opened->{order}, '<', $dropped_root->{order}, 'before root is given up');
    my ($fd) = $opened->{result} =~ /(\d+)/;

    my ($helper) = grep { $_->{args} =~ /PR_SET_SECCOMP, SECCOMP_MODE_STRICT/ } @calls;
    ok($helper, 'a helper confines itself') or return;
    is($helper->{result}, '0', 'with success');
    my $pid = $helper->{pid};
    isnt($pid, $dropped_root->{pid}, 'which is a process of its own');
    ok((grep { $_->{pid} == $pid && $_->{name} eq 'capset' && $_->{result} eq '0' } @calls), 'without capabilities');

    my @drops = grep { $_->{name} eq 'write' && $_->{args} =~ /\A$fd, "3", 1\z/ } @calls;
    is(scalar(grep { $_->{pid} == $pid } @drops), scalar @drops, 'nobody but the helper writes to drop_caches');
    is((grep { $_->{result} ne '1' } @drops), 0, 'with success');
    my $phases = phases(@calls);
    for my $test (qw(rewrite getc get_block seeks seq_stat ran_stat)) {
        ok((grep { $_->{pid} == $pid && $_->{args} =~ /"3"/ } @{ $phases->{$test} }), "$test: caches are dropped");
    }
    for my $test (qw(putc put_block seq_create ran_del)) {
        ok(!(grep { $_->{pid} == $pid } @{ $phases->{$test} }), "$test: they are not");
    }
    is((grep { $_->{order} > $helper->{order} && $_->{pid} == $pid && $_->{name} ne 'write' } @calls), 0, 'the helper does nothing else');
    my @work = grep { $_->{name} =~ /\Ap(?:read|write)64|unlinkat/ && $_->{args} !~ /ELF|, 784, 64/ } @calls;
    is((grep { $_->{order} < $dropped_root->{order} } @work), 0, 'nothing is measured before root is given up');
    is((grep { $_->{pid} == $pid } @work), 0, 'nor by the helper');
};

subtest 'all calls of the helper' => sub {
    my ($run, @calls) = trace({}, [], @small, qw(-u nobody --tests=rewrite -f));
    my ($helper) = grep { $_->{args} =~ /PR_SET_SECCOMP/ } @calls;
    my %made = map { $_->{name} => 1 } grep { $_->{pid} == $helper->{pid} && $_->{order} > $helper->{order} } @calls;
    is_deeply([ sort keys %made ], [qw(exit read write)], 'read, write and exit');
};

subtest '--cache=keep' => sub {
    for my $options (['--cache=keep'], [ '-u', 'nobody', '--cache', 'keep' ]) {
        my ($run, @calls) = trace({}, [ '-e', 'trace=openat,fadvise64,clone' ], @small, @{$options});
        is($run->{status}, 0, "@{$options}: exit status 0");
        ok(!(grep { $_->{args} =~ /drop_caches|DONTNEED/ } @calls), 'nothing is dropped or evicted');
    }
};

subtest 'the pages of the files themselves' => sub {
    my ($run, @calls) = trace({ as => 'nobody' }, [ '-e', 'trace=openat,fadvise64,write,fsync' ], @small, '--cache=evict');
    is($run->{status}, 0, 'an ordinary user: exit status 0');
    my $phases = phases(@calls);
    for my $test (qw(rewrite getc get_block seeks)) {
        ok((grep { $_->{name} eq 'fadvise64' && $_->{args} =~ /DONTNEED/ && $_->{result} eq '0' } @{ $phases->{$test} }),
            "$test: they are evicted");
    }
};

is_deeply([ tree($dir) ], [], 'nothing is left in the directory');
done_testing();
