#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# What the processes that a program starts have of its caller: descriptors, session, environment,
# directory, and whether another process of the same user may trace them. After -u that user is the
# attacker: he takes what he can from them, stops them, and sees what remains when the program is
# killed. SECURITY.md has the table of all these processes.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Basename qw(dirname);
use POSIX ();
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use Attack     qw(attacker_works);
use BonnieRun  qw(finish has_terminal is_alive program scratch_on_disk source start wait_until);
use RunProgram qw(path_of quoted slurp spew);
use SweepSize  qw(tries);

plan skip_all => 'needs root, user nobody and mounts of its own' if !Root::may_mount() || !attacker_works();

my $TRIES = tries(3);
my ($nobody, $nogroup) = (getpwnam 'nobody')[ 2, 3 ];
my $dir = scratch_on_disk(oct 755);
mkdir "$dir/$_" or die "$dir/$_: $!\n" for qw(closed closed/open his);
chmod oct(700), "$dir/closed";
chown $nobody, $nogroup, "$dir/his";
spew("$dir/device",             'x' x (3 << 20));
my $INSIDE = "inside-$$"; # which no other test has: his thief sees the processes of all
spew("$dir/secret",             "what only root may read $INSIDE");
spew("$dir/closed/open/$INSIDE", 'what lies below a directory that is closed');
chmod oct(600), "$dir/secret";

# Root's shell has a secret open and another in its environment, and is in a directory that can only
# be reached by way of one that is closed.
my %ROOT = (
    dir  => "$dir/closed/open",
    env  => { AWS_SECRET_ACCESS_KEY => "what only root may know $INSIDE", LC_TIME => 'C', TERM => 'linux', TMPDIR => '/tmp', TZ => "$dir/secret" },
    wrap => [ 'sh', '-c', 'exec 9<"$0"; exec "$@"', "$dir/secret" ],
);

# Does something as the attacker.
sub as_he {
    my ($work) = @_;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        $) = "$nogroup $nogroup";
        POSIX::setgid($nogroup);
        POSIX::setuid($nobody);
        POSIX::_exit($work->() ? 0 : 1);
    }
    waitpid $pid, 0;
    return;
}

# In a PID namespace of its own a run takes no trace, and needs nobody to remove it; bonwhy starts nothing there. The number is that of the first one
# (PROC_PID_INIT_INO of the kernel).
sub is_traced { return (readlink '/proc/self/ns/pid' // q{}) eq 'pid:[4026531836]' }

sub parent_of { my ($pid) = @_; return (eval { slurp("/proc/$pid/stat") } // q{}) =~ /.*[)] \S (\d+)/s ? $1 : 0 }
sub name_of   { my ($pid) = @_; return (eval { slurp("/proc/$pid/comm") } // q{}) =~ s/\n//r }

# The processes below one, at any depth.
sub below {
    my ($top) = @_;
    my %parent = map { $_ => parent_of($_) } map {m{(\d+)\z}} glob '/proc/[0-9]*';
    my %ours = ($top => 1);
    for (1 .. 5) { $ours{$_} = 1 for grep { $ours{ $parent{$_} } } keys %parent }
    delete $ours{$top};
    return keys %ours;
}

# The first process of that name among them (its shell may have forked others), once it has an environment, which a program
# gets a moment after its name.
sub await {
    my ($run, $name) = @_;
    my $pid;
    my $is_it = sub { my ($one) = @_; return name_of($one) =~ $name && length(eval { slurp("/proc/$one/environ") } // q{}) };
    wait_until("$name of $run->{name}", sub { ($pid) = sort { $a <=> $b } grep { $is_it->($_) } below($run->{pid}); $pid || !is_alive($run->{pid}) });
    return $pid;
}

# What such a process looks like. A process that cannot be traced has a /proc of root's.
sub looks {
    my ($pid, $run) = @_;
    opendir my $dir_of, "/proc/$pid/fd" or return 'gone';
    my %fd  = map { $_ => readlink "/proc/$pid/fd/$_" } grep {/\d/} readdir $dir_of;
    my $env = slurp("/proc/$pid/environ");
    my ($session) = slurp("/proc/$pid/stat") =~ /.*[)] \S \d+ \d+ (\d+)/s;
    return {
        fds      => scalar(grep { ($_ // q{}) ne "$dir/bon_csv2html" } values %fd), # which a shell is reading
        secret   => (grep { ($_ // q{}) eq "$dir/secret" } values %fd) ? 1 : 0,
        env      => [ sort map {/\A([^=]*)/} split /\0/, $env ],
        told     => $env =~ /only root may know/ ? 1 : 0,
        session  => $session == $pid ? 'own' : 'shared',
        traced   => (stat "/proc/$pid/environ")[4] == $nobody ? 'by its user' : 'by root',
        place    => readlink "/proc/$pid/cwd",
    };
}

# A program that draws a page as soon as the file `go` exists, under the real one's name.
chomp(my $version = qx('$^X' '@{[ path_of('bon_csv2html') ]}' --version));
spew("$dir/bon_csv2html", "#!/bin/sh\n[ \"\$1\" != --version ] || exec echo '$version'\n: >>$dir/his/drawing\ntrap '' HUP\nprintf 'bon_csv2html: said \\033[31mred\\n%5000s\\n' x >&2\nwhile [ ! -e $dir/go ]; do sleep .02; done\necho '<html>'\n");
chmod oct(755), "$dir/bon_csv2html";

my @PAGE = ("--html=$dir/his/page.html");

sub draws {
    my ($program, @args) = @_ ? @_ : ('zcav', qw(-q -b1 -u nobody), @PAGE, "$dir/device");
    unlink "$dir/go", "$dir/his/drawing", "$dir/his/page.html";
    my $run = start({ %ROOT, program => $program, env => { %{ $ROOT{env} }, BON_CSV2HTML => "$dir/bon_csv2html" } }, @args);
    wait_until('the drawing', sub { -e "$dir/his/drawing" || !is_alive($run->{pid}) });
    return ($run, await($run, qr/\Abon_csv2html\z/));
}

# ---- every process ---------------------------------------------------------------------------------

# Of each: its name in /proc, how it looks, and the command that starts it. What a process has besides
# the descriptors `fd` is not said where it has more than a few. The kernel may be set so that changing
# the user does not keep its other processes out; the programs then do so themselves.
my $CORES = '/proc/sys/fs/suid_dumpable';
my $cores = slurp($CORES);
spew($CORES, '1');
END { spew($CORES, $cores) if defined $cores }

system 'mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null' if !-e '/sys/kernel/tracing/instances';
mkdir "$dir/his/data";
chown $nobody, $nogroup, "$dir/his/data";
my @BONNIE  = ('bonnie', '-d', "$dir/his/data", qw(-u nobody -r0 -n0 -s1 -f --min-time=0));
my @IOPS    = (@BONNIE, qw(--tests=iops --iops-duration=1000 --explain-tail));
my @TAIL    = ('bonload', qw(-u nobody -wt=1 -duration=1000s -mkdirs -explain-tail -show-progress=false), "-url=$dir/his/data/XX");
my @CAMPAIGN = ('boncut', 'campaign', '--victim=exec sleep 1000 #', '--cut=true', '--cuts=1', "--logs=$dir/logs", "$dir/his");
my $given   = { told => 1, secret => 1, traced => 'by root', place => "$dir/closed/open" };
my $helper  = { session => 'shared', told => 1, traced => 'by root' };
my $confined = { told => 1, traced => 'by root', secret => 0, fds => 2 };
my @EVERY   = (
    [ qr/\Abonnie-monitor\z/,  $helper, @IOPS ],
    [ qr/\Abonnie-examine\z/,  $helper, @IOPS ],
    [ qr/\Abonnie-dropper\z/,  { %{$confined}, session => 'shared' }, @IOPS ],
    (is_traced() ? [ qr/\Abonnie-remover\z/, { %{$confined}, session => 'own' }, @IOPS ] : ()),
    [ qr/\Abonnie\z/,          $helper, @BONNIE, qw(-s1:8k:100000000:3 --tests=seeks) ],
    (has_terminal() ? [ qr/\Azcav-monitor\z/, $helper, '/bin/sh', '-c', 'exec script -qec "$*" /dev/null', 'sh', quoted(program('zcav')), qw(-b1 -c 1000000 -u nobody), "$dir/device" ] : ()),
    [ qr/\Abonload-examine\z/, $helper, @TAIL ],
    (is_traced() ? [ qr/\Abonload-remover\z/, { %{$confined}, session => 'own' }, @TAIL ] : ()),
    (is_traced() ? [ qr/\Abonwhy-remover\z/,  { %{$confined}, session => 'own' }, 'bonwhy', qw(-u nobody -- sleep 1000) ] : ()),
    # what the user has said that is to be run has what a shell would give it
    [ qr/\Asleep\z/,  { %{$given}, session => 'own' },    path_of('bon_ab'), '--a=exec sleep 1000', '--b=exec sleep 1000' ],
    [ qr/\Abon_ab\z/, { %{$given}, session => 'own' },    path_of('bon_ab'), '--a=exec sleep 1000', '--b=exec sleep 1000' ],
    (is_traced() ? [ qr/\Asleep\z/,  { %{$given}, session => 'shared' }, 'bonwhy', qw(-- sleep 1000) ] : ()),
    (is_traced() ? [ qr/\Asleep\z/,  { %{$given}, session => 'shared', traced => 'by its user' }, 'bonwhy', qw(-u nobody -- sleep 1000) ] : ()),
    [ qr/\Asleep\z/,  { %{$given}, session => 'shared' }, @CAMPAIGN ],
    [ qr/\Aboncut\z/, { %{$given}, session => 'shared' }, @CAMPAIGN ],
);

# A process that has just been forked has its caller's session and descriptors for a moment, and a shell a file that it makes.
sub has_ok {
    my ($name, $pid, $run, $expected) = @_;
    my $looks = looks($pid, $run);
    for (1 .. 50) {
        last if !grep { $looks->{$_} ne $expected->{$_} } keys %{$expected};
        select undef, undef, undef, 0.05;
        $looks = looks($pid, $run);
    }
    my %has = map { $_ => $looks->{$_} } keys %{$expected};
    is_deeply(\%has, $expected, $name) or diag explain $looks;
    return;
}

for my $case (@EVERY) {
    my ($name, $expected, @command) = @{$case};
    my %more = ref $command[0] ? %{ shift @command } : ();
    my $program = shift @command;
    my $run = start({ %ROOT, wrap => [ @{ $ROOT{wrap} }, @{ $more{wrap} // [] } ], program => $program }, @command);
    my $pid = await($run, $name);
    has_ok("$program: $name", $pid, $run, $expected);
    kill KILL => -$run->{pid};
    finish($run);
    wait_until("its end with $program", sub { !is_alive($pid) });
}

# ---- the program that draws a page -------------------------------------------------------------------
{
    my ($run, $pid) = draws();
    has_ok('zcav: bon_csv2html', $pid, $run, { session => 'own', traced => 'by its user', secret => 0, told => 0, fds => 3, place => q{/} });
    is_deeply([ grep { !/\A(?:PATH|LANG|LC_\w+|TMPDIR|PWD|OLDPWD|SHLVL|_)\z/ } looks($pid, $run)->{env}->@* ], [], 'with the few variables that it needs, and not TZ, which names a file here');
    ok((grep { $_ eq 'LC_TIME' } looks($pid, $run)->{env}->@*), 'which are all there');
    spew("$dir/go", q{});
    finish($run);
    is($run->{status}, 0, 'it draws the page');
    is(slurp("$dir/his/page.html"), "<html>\n", 'complete');
    is(substr($run->{err}, -4096) =~ /\e/, q{}, 'what it says cannot control a terminal');
    like($run->{err}, qr/^bon_csv2html: said \?\[31mred\n/m, 'but is passed on');
    cmp_ok(length $run->{err}, '<', 4300, 'up to 4 KiB');

    my $cut = '--victim=env ' . quoted('PATH=' . dirname(program('boncut')) . ":$ENV{PATH}");
    for my $other (
        [ 0, @BONNIE, '--tests=put_block', @PAGE ],
        [ 0, 'bonload', qw(-u nobody -requests-engine=null -rt=1 -max-requests=10 -show-progress=false), "-timeline-file=$dir/his/page.html" ],
        [ 3, 'boncut', 'campaign', $cut, qw(--cut=true --same-boot --after=1ms --cuts=1), "--logs=$dir/pages", @PAGE, "$dir/his/data" ],
    ) {
        my ($status, $program, @args) = @{$other};
        ($run, $pid) = draws($program, @args);
        has_ok("$program: bon_csv2html", $pid, $run, { session => 'own', traced => $program eq 'boncut' ? 'by root' : 'by its user', secret => 0, told => 0, fds => 3, place => q{/} });
        is_deeply([ grep { /\A(?:AWS|TERM|TZ|BON)/ } looks($pid, $run)->{env}->@* ], [], 'with as little');
        spew("$dir/go", q{});
        is(finish($run)->{status}, $status, 'it draws the page') or diag($run->{err});
    }

    ($run, $pid) = draws();
    as_he(sub { kill STOP => $pid });
    kill TERM => $run->{pid};
    is(finish($run)->{status}, 'signal 15', 'stopped by the attacker, it does not hold up the first TERM');

    ($run, $pid) = draws();
    as_he(sub { kill STOP => $pid });
    spew("$dir/go", q{});
    is(finish($run)->{status}, 0, 'nor the page');

    ($run, $pid) = draws();
    as_he(sub { kill KILL => $pid });
    is(finish($run)->{status}, 1, 'killed by him, it is a failure');
    like($run->{err}, qr/did not draw the page/, 'that is told');

    ($run, $pid) = draws();
    as_he(sub { kill STOP => $pid });
    kill KILL => $run->{pid};
    finish($run);
    wait_until('the end of bon_csv2html after that of zcav', sub { !is_alive($pid) });
    ok(1, 'it ends with zcav, also while it is stopped');
}

# ---- an attacker, who waits for a process of his user's --------------------------------------------------
# He takes every descriptor that it has, as pidfd_getfd(2) lets him, and looks what they lead to; and
# reads its environment, and what is in its directory. He says what he has got.
my $GETFD = <<'END';
use strict; use warnings;
$| = 1;
my %seen;
while (! -e $ARGV[0]) {
    for my $pid (map {m{(\d+)\z}} glob '/proc/[0-9]*') {
        next if $pid == $$ || ((lstat "/proc/$pid/environ")[4] // 0) != $<;
        my $env = do { open my $in, '<', "/proc/$pid/environ" or next; local $/; readline($in) // '' };
        print "environment\n" if $env =~ /only root may know $ARGV[1]\b/;
        print "directory\n" if -e "/proc/$pid/cwd/$ARGV[1]";
        my $handle = syscall(434, $pid, 0);    # pidfd_open
        next if $handle < 0;
        for my $fd (0 .. 12) {
            my $mine = syscall(438, $handle, $fd, 0);    # pidfd_getfd
            next if $mine < 0;
            open my $taken, '<&=', $mine or next;
            print "terminal\n" if -t $taken;
            next if (readlink "/proc/self/fd/$mine") !~ m{/secret\z};    # reading moves others' place, too
            seek $taken, 0, 0;
            print "secret\n" if (readline($taken) // '') =~ /only root may read $ARGV[1]\b/;
        }
        open my $close, '<&=', $handle;
        print "found\n" if !$seen{$pid}++;
    }
}
END
spew("$dir/thief", $GETFD);

# Root runs zcav in a terminal, with the kernel as it is: where changing the user leaves a process open,
# it is so for the moment until the program closes itself. At first the drawing lasts until he has seen it; then the real program
# draws, as fast as it does.
spew($CORES, '0');
SKIP: {
    skip 'script(1) has no terminal', 4 if !has_terminal();
    my $found = sub { my ($thief) = @_; return scalar(() = slurp($thief->{out_file}) =~ /^found$/mg) };
    my $zcav  = quoted(program('zcav'), qw(-q -b1 -u nobody), "--html=$dir/his/page.html", "$dir/device");
    system 'cp', '-r', source('scripts'), "$dir/scripts"; # where user nobody may read them
    my $thief = start({ program => $^X, as => 'nobody' }, "$dir/thief", "$dir/over", $INSIDE);
    my %shell = (%ROOT, program => '/bin/sh', env => { %{ $ROOT{env} }, BON_CSV2HTML => "$dir/bon_csv2html" });
    for my $try (0 .. $TRIES) {
        unlink "$dir/go", "$dir/his/page.html";
        $shell{env}{BON_CSV2HTML} = "$dir/scripts/bon_csv2html" if $try;
        my $before = $found->($thief);
        my $run = start(\%shell, '-c', 'exec script -qec "$0" /dev/null', $zcav);
        wait_until('the attacker at the drawing', sub { $found->($thief) > $before }) if !$try;
        spew("$dir/go", q{});
        finish($run); is($run->{status} . (-s "$dir/his/page.html" ? ', a page' : q{}), '0, a page', "try $try: zcav draws its page") or diag $run->{out}, $run->{err};
    }
    spew("$dir/over", q{});
    my %got = map { $_ => 1 } split /\n/, finish($thief)->{out};
    note($found->($thief), ' programs found in ', $TRIES + 1, ' runs');
    is_deeply(\%got, { found => 1 }, 'he finds the program, and nothing in it');
}

done_testing();
