#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What runs as root and what does not: even after -u a helper drops the system's caches,
# and can do nothing else; nothing that is measured runs as root.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Fcntl      qw(SEEK_SET);
use IO::Handle ();
use POSIX      ();
use Test::More;
use BonnieRun  qw(bonnie finish have refused_ok scratch start tree wait_until);
use Root       ();
use RunProgram qw(slurp);
use SweepSize  qw(is_long);
use Trace      qw(%TITLE can_trace phases trace);
use Turn       qw(wait_for_turn);

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

# The ids of a run while it measures, read from /proc while it works on its files.
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
like(bonnie(@small, '--tests=put_block')->{err}, qr/^bonnie: running as root; -u USER runs as that user instead$/m, 'without -u: a line of advice');

subtest 'caches' => sub {
    my ($run, @calls) = trace({}, [ '-e', 'trace=openat,write,setresuid,capset,seccomp,prctl,pwrite64,pread64,fork,clone,clone3,unlinkat' ],
        @small, '-u', 'nobody', '-c2');
    is($run->{status}, 0, 'exit status 0');
    my ($opened) = grep { $_->{args} =~ m{"/proc/sys/vm/drop_caches"} } @calls;
    ok($opened, 'drop_caches is opened') or return;
    my ($dropped_root) = grep { $_->{name} eq 'setresuid' } @calls;
    cmp_ok($opened->{order}, '<', $dropped_root->{order}, 'before root is given up');
    my ($fd) = $opened->{result} =~ /(\d+)/;

    my ($helper) = grep { $_->{args} =~ /PR_SET_SECCOMP, SECCOMP_MODE_FILTER/ } @calls;
    ok($helper, 'a helper confines itself') or return;
    is($helper->{result}, '0', 'and its call succeeds');
    my $pid = $helper->{pid};
    isnt($pid, $dropped_root->{pid}, 'which is a process of its own');
    ok((grep { $_->{pid} == $pid && $_->{name} eq 'capset' && $_->{result} eq '0' } @calls), 'without capabilities');

    my @drops = grep { $_->{name} eq 'pwrite64' && $_->{pid} == $pid } @calls;
    cmp_ok(scalar @drops, '>=', 6, 'the helper drops caches several times');
    is((grep { $_->{args} ne "$fd, \"3\", 1, 0" } @drops), 0, 'each time with a write at the start of drop_caches');
    is((grep { $_->{name} =~ /write/ && $_->{args} =~ /\A$fd, "3"/ && $_->{pid} != $pid } @calls), 0, 'which nobody else does');
    is((grep { $_->{result} ne '1' } @drops), 0, 'and all of its writes succeed');
    my $phases = phases(@calls);
    for my $test (qw(rewrite getc get_block seeks seq_stat ran_stat)) {
        ok((grep { $_->{pid} == $pid && $_->{args} =~ /"3"/ } @{ $phases->{$test} }), "$test: caches are dropped");
    }
    for my $test (qw(putc put_block seq_create ran_del)) {
        ok(!(grep { $_->{pid} == $pid } @{ $phases->{$test} }), "$test: they are not");
    }
    is((grep { $_->{order} > $helper->{order} && $_->{pid} == $pid && $_->{name} !~ /\A(?:pwrite64|write)\z/ } @calls), 0, 'the helper does nothing else');
    my @work = grep { $_->{name} =~ /\Ap(?:read|write)64|unlinkat/ && $_->{args} !~ /\A$fd, "3"/ } @calls;
    is((grep { $_->{order} < $dropped_root->{order} } @work), 0, 'nothing is measured before root is given up');
    is((grep { $_->{pid} == $pid } @work), 0, 'nor by the helper');
};

subtest 'all calls of the helper' => sub {
    my ($run, @calls) = trace({}, [], @small, qw(-u nobody --tests=rewrite -f));
    my ($helper) = grep { $_->{args} =~ /PR_SET_SECCOMP/ } @calls;
    my %made = map { $_->{name} => 1 } grep { $_->{pid} == $helper->{pid} && $_->{order} > $helper->{order} } @calls;
    is_deeply([ sort keys %made ], [qw(exit pwrite64 read write)], 'read, write, pwrite and exit');
};

# How often the kernel has dropped inodes and names, which happens only when a program writes 2
# or 3 to drop_caches.
sub drops_of_slab { return slurp('/proc/vmstat') =~ /^drop_slab (\d+)$/m ? $1 : die "no drop_slab\n" }

subtest 'somebody else writes to drop_caches in between' => sub {
    my @tests = qw(rewrite get_block seeks);
    my $kept  = scratch();
    POSIX::mkfifo("$kept/keys", oct 600) or die "$kept/keys: $!\n";
    wait_for_turn('/proc/vmstat'); # two of these tests at the same time would count each other's writes
    open my $caches, '>', '/proc/sys/vm/drop_caches' or die "drop_caches: $!\n";
    my $before = drops_of_slab();
    my $run = start({ in => "$kept/keys" }, @small, '-n0', '-yp', '--tests=' . join q{,}, @tests);
    open my $keys, '>', "$kept/keys" or die "$kept/keys: $!\n";
    $keys->autoflush;
    for my $test (@tests) {
        my $asked = qr/Press Enter to start \Q$TITLE{$test}\E: /;
        wait_until("the prompt of $test", sub { slurp($run->{err_file}) =~ $asked });
        my $now = drops_of_slab();
        cmp_ok($now, '>', $before, "$test: inodes and names are dropped before it");
        (syswrite($caches, '1') // 0) == 1 or die "write to drop_caches: $!\n";
        seek $caches, 0, SEEK_SET or die "seek: $!\n";
        $before = drops_of_slab();
        print {$keys} "\n";
    }
    is(finish($run)->{status}, 0, 'exit status 0');
};

# What /proc says about a process or thread: { Uid => '1 1 1 1', CapEff =>
# '0000000000000000' ... }.
sub status_of {
    my ($pid) = @_;
    return { map { s/\s+/ /gr =~ /\A(\w+): ?(.*?) ?\z/ } split /\n/, slurp("/proc/$pid/status") };
}

sub children_of { return split q{ }, slurp("/proc/$_[0]/task/$_[0]/children") }

subtest 'after the drop nothing but the dropper is privileged' => sub {
    plan skip_all => 'setpriv is not installed' if !have('setpriv');
    # The worst case: the caller has groups and inheritable capabilities, and
    # securebits that keep them.
    my @rich = (qw(setpriv --securebits=+no_setuid_fixup), '--groups=0,4,24', '--inh-caps=+sys_admin,+chown', '--');
    my $run = start({ wrap => \@rich }, '-d', $dir, qw(-r0 -q -s1:16k:1000000000:3 -n0 -c2 -f --json -u nobody --tests=seeks));
    my @children;
    wait_until('dropper, monitor and three seekers', sub { @children = children_of($run->{pid}); @children == 5 });
    wait_until('a confined dropper', sub { status_of($children[0])->{Seccomp} eq '2' });
    my ($dropper, @others) = @children;
    my %nothing = (map({ ("Cap$_" => '0' x 16) } qw(Inh Prm Eff Amb)), NoNewPrivs => 1);
    my %nobody  = (%nothing, Uid => join(q{ }, ($nobody) x 4), Gid => join(q{ }, ($nogroup) x 4), Groups => $nogroup);
    my @threads = map {m{(\d+)\z}} glob "/proc/$run->{pid}/task/*";
    is(scalar @threads, 3, 'the main thread and two workers');
    for my $pid (@threads, @others) {
        my $status = status_of($pid);
        is_deeply({ map { $_ => $status->{$_} } keys %nobody }, \%nobody, "$status->{Name}: ids, groups and capabilities are those of nobody");
    }
    my $status = status_of($dropper);
    is_deeply({ map { $_ => $status->{$_} } keys %nothing }, \%nothing, 'the dropper has no capabilities');
    is($status->{Seccomp}, 2, 'and is under a seccomp filter');
    my @open = sort map { readlink($_) =~ s/:.*//r } glob "/proc/$dropper/fd/*";
    is_deeply(\@open, [qw(/proc/sys/vm/drop_caches socket)], 'it has nothing open but drop_caches and its socket');
    kill TERM => $run->{pid};
    is(finish($run)->{status}, 'signal 15', 'all of it ends with SIGTERM');
    is(scalar(grep { -d "/proc/$_" && status_of($_)->{State} !~ /\AZ/ } @children), 0, 'children too');
};

# A drop may never end, where a filesystem of the machine does not answer.
subtest 'the run does not wait for a dropper without an end' => sub {
    plan skip_all => 'it takes two minutes' if !is_long();
    local $BonnieRun::HANGS = 600;
    my @short = ('-d', $dir, qw(-r0 -q -n0 -s1 -f --json -u nobody --cache=evict --min-time=0 -x2));
    for my $case (
        [ 'before a test', [ '--tests=put_block,get_block' ] ],
        [ 'while one reads', [ qw(--preset=gobonniego --tests=iops --iops-duration=9) ] ], # its monitor asks for drops, too
        )
    {
        my ($name, $options) = @{$case};
        my $run = start(@short, @{$options});
        my $dropper;
        wait_until('the dropper', sub { ($dropper) = grep { slurp("/proc/$_/comm") =~ /dropper/ } children_of($run->{pid}); $dropper });
        wait_until('reads', sub { slurp("/proc/$run->{pid}/io") =~ /^rchar: \d{8}/m }) if $name =~ /reads/;
        kill STOP => $dropper;
        finish($run);
        is($run->{status}, 0, "$name: it goes on");
        is(() = $run->{err} =~ /^bonnie: the caches of the system were not dropped within 120 s, /mg, 1, 'and says so, once') or diag($run->{err});
        unlike($run->{out}, qr/"system_dropped": ?true/, 'no test says that they were') if $name =~ /before/;
        kill KILL => $dropper; # the user whom the run has become cannot
    }
};

subtest 'who is the user already gives up the rest' => sub {
    plan skip_all => 'setpriv is not installed' if !have('setpriv');
    for my $case ([ 'with CAP_SETGID', '+setgid', $nogroup ], [ 'without it', '-setgid', '4 24' ]) {
        my ($name, $setgid, $groups) = @{$case};
        my @rich = ('setpriv', '--groups=4,24', "--reuid=$nobody", "--regid=$nogroup", map({"--$_-caps=+sys_admin,$setgid"} qw(inh ambient)), '--');
        my $run  = start({ wrap => \@rich }, '-d', $dir, qw(-r0 -q -s1:16k:1000000000:3 -n0 -u), "$nobody:$nogroup", '--tests=seeks');
        wait_until('three seekers and the monitor', sub { children_of($run->{pid}) == 4 });
        my $status = status_of($run->{pid});
        is_deeply({ map { $_ => $status->{$_} } qw(CapPrm CapEff CapAmb NoNewPrivs) }, { map({ ("Cap$_" => '0' x 16) } qw(Prm Eff Amb)), NoNewPrivs => 1 }, "$name: capabilities");
        is($status->{Groups}, $groups, 'groups, as far as it may');
        kill TERM => $run->{pid};
        finish($run);
    }
};

subtest 'neither environment nor directory lead it astray' => sub {
    my $evil = scratch(oct 777);
    mkdir "$evil/$_" for my @names = ('$(touch owned)', '`touch owned`', '; touch owned #', '-rf', "a\nb", '%s%n');
    my %env = map { $_ => "$evil" } qw(HOME LOCPATH NLSPATH PATH TERMINFO TMPDIR TZDIR XDG_CONFIG_HOME);
    $env{TZ} = ":$evil/zone";
    for my $name (@names) {
        my ($run, @calls) = trace({ env => { %env, PATH => "$evil:$ENV{PATH}" }, dir => "$evil" }, [ '-e', 'trace=execve,openat,open,chdir' ],
            '-d', "./$name", qw(-r0 -s1 -n1 -f -u nobody));
        chmod oct(777), "$evil/$name";
        is((grep { $_->{name} eq 'execve' } @calls), 1, "it runs nothing, in a directory named $name" =~ s/\n/?/r);
        my @relative = grep { $_->{args} =~ /\AAT_FDCWD, "(?!\/)/ && $_->{args} !~ /\AAT_FDCWD, "(?:[.]\/|[.]", \S*O_PATH)/ } @calls; # where a way begins
        is_deeply([ map { $_->{args} } @relative, grep { $_->{args} =~ /\Q$evil\E/ && $_->{name} ne 'execve' } @calls ], [], 'and opens nothing that they name');
    }
    is_deeply([ tree($evil) ], [ sort @names ], 'nothing is made there');
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
