#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# --cleanup removes what killed runs left, and nothing else.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root ();
use BonnieRun  qw(bonnie finish refused_ok scratch start tree wait_until wait_until_closed);
use RunProgram qw(slurp spew);
use Trace      qw(can_trace);

my $dir  = scratch();
my @long = ('-d', $dir, qw(-r0 -s0 -n2:100:0:3 -q -x 1000000 --cache=keep));

# Kills a run in the middle of its files; returns the name of its directory.
sub killed {
    my @args       = @_ ? @_ : @long;
    my (undef, $dir) = @args;
    my %before     = map { $_ => 1 } tree($dir);
    my $run        = start(@args);
    wait_until('files', sub { 10 < grep { m{\A([^/]+)/d0000\d/} && !$before{$1} } tree($dir) });
    kill KILL => $run->{pid};
    finish($run);
    my ($left) = grep { !$before{$_} && !m{/} } tree($dir);
    wait_until_closed("$dir/$left");
    return $left;
}

sub cleanup { return bonnie('-d', $dir, '--cleanup', @_) }

my $run = cleanup();
is("$run->{status}$run->{out}$run->{err}", '0', 'nothing to clean up: exit status 0 and silence');

my @left = map { killed() } 1, 2;
cmp_ok(scalar(tree($dir)), '>', 10, 'two killed runs left something');
$run = cleanup();
is("$run->{status}$run->{err}", '0', 'exit status 0');
is(join(q{}, sort split /^/, $run->{out}), join(q{}, map {"removed $dir/$_\n"} sort @left), 'names what it removed');
is_deeply([ tree($dir) ], [], 'nothing is left');

for my $kind (qw(1 1:-1:0:2 1:-2), '1:600:600:4') {
    killed('-d', $dir, qw(-r0 -s0 -q -x 1000000 -c2 --cache=keep -n), $kind);
    is(cleanup()->{status}, 0, "after -n $kind: exit status 0");
    is_deeply([ tree($dir) ], [], 'nothing is left');
}

subtest 'a live run' => sub {
    my $live = start(@long);
    wait_until('files', sub { grep {m{/d0000\d/}} tree($dir) });
    my $dead = killed();
    my $done = cleanup();
    is($done->{status}, 0, 'exit status 0');
    is($done->{out}, "removed $dir/$dead\n", 'the dead one is removed');
    like($done->{err}, qr{\Abonnie: left \Q$dir\E/bonnie\.[0-9a-f]{16}: a run is using it\n\z}, 'and the live one is named');
    ok(wait_until('files again', sub { grep {m{/d0000\d/}} tree($dir) }), 'it is still at work');
    kill TERM => $live->{pid};
    is(finish($live)->{status}, 'signal 15', 'until it is ended');
    is_deeply([ tree($dir) ], [], 'when it removes all itself');
};

subtest 'killed when it had just begun' => sub {
    my $name = killed();
    cleanup();
    for my $owner (0, 1) {
        mkdir "$dir/$name", oct 700;
        spew("$dir/$name/owner", q{}) if $owner;
        my $done = cleanup();
        is($done->{out}, "removed $dir/$name\n", $owner ? 'an owner file without text, and nothing else' : 'nothing in it yet');
        is_deeply([ tree($dir) ], [], 'all of it is removed');
        my $alike = "bonnie." . substr($name, 7) =~ tr{0-9a-f}{1-9a-f0}r;
        mkdir "$dir/$alike", oct 700;
        spew("$dir/$alike/owner", q{}) if $owner;
        is(cleanup()->{out}, q{}, 'but not if the name is one that no run makes');
        system 'rm', '-r', "$dir/$alike";
    }
};

# Starts a program and makes its first call of this name take longer.
my $slow = sub { return { wrap => [ qw(strace -f -qq -o /dev/null -e), "trace=$_[0]", '-e', "inject=$_[0]:$_[1]:when=1", '--' ] } };

# A run that has made its directory, but no owner file yet, while --cleanup examines it.
SKIP: {
    skip 'strace cannot trace here', 4 if !can_trace();
    my $begun = start($slow->('mkdirat', 'delay_exit=1000000'), '-d', $dir, qw(-r0 -q -s1:16k:1000000000 -n0 -f --tests=seeks));
    wait_until('the directory', sub { tree($dir) });
    my $done = bonnie($slow->('unlinkat', 'delay_enter=2000000'), '-d', $dir, '--cleanup');
    is($done->{status}, 0, 'a run that has just begun: exit status 0');
    ok(eval { wait_until('its owner file', sub { 1 == grep {m{\Abonnie[.][0-9a-f]{16}/owner\z}} tree($dir) }) }, 'it is at work, in that directory or in another');
    kill TERM => -$begun->{pid};
    finish($begun);
    is($begun->{status}, 'signal 15', 'until it is ended');
    is_deeply([ tree($dir) ], [], 'and nothing is left');
}

# Look-alikes: name => [ sub that makes it, why --cleanup leaves it ]. Each has only one fault, and
# mostly the right owner file.
sub own { my ($name, $text) = @_; return spew("$dir/$name/owner", $text // "scratch directory of bonnie: $name\n") }
my $outside = scratch();
spew("$outside/data00000", 'precious');
spew("$outside/owner",     "scratch directory of bonnie: bonnie.0000000000000006\n");
my %alike = (
    'bonnie.0000000000000001' => [ sub { mkdir $_[0], oct 700 }, qr/it has no owner file/ ],
    'bonnie.0000000000000002' => [ sub { mkdir $_[0], oct 700; own($_[1], "hello\n") }, qr/its owner file does not name it/ ],
    'bonnie.0000000000000003' => [ sub { mkdir $_[0], oct 700; own($_[1], "scratch directory of bonnie: bonnie.0000000000000004\n") },
        qr/its owner file does not name it/ ],
    'bonnie.0000000000000004' => [ sub { mkdir $_[0], oct 700; own($_[1], "scratch directory of bonnie: $_[1]\nand more\n") },
        qr/its owner file does not name it/ ],
    'bonnie.0000000000000005' => [ sub { mkdir $_[0], oct 755; chmod oct(755), $_[0]; own($_[1]) }, qr/it is not a private directory/ ],
    'bonnie.0000000000000006' => [ sub { symlink "$outside", $_[0] }, qr/Not a directory/ ],
    'bonnie.0000000000000007' => [ sub { spew($_[0], 'a file') }, qr/Not a directory/ ],
    'bonnie.0000000000000008' => [ sub { mkdir $_[0], oct 700; symlink "$outside/data00000", "$_[0]/owner" }, qr/it has no owner file/ ],
    'bonnie.0000000000000009' => [ sub { mkdir $_[0], oct 700; mkdir "$_[0]/owner" }, qr/it has no owner file/ ],
    'bonnie.000000000000000c' => [ sub { mkdir $_[0], oct 700; own($_[1], q{}) }, qr/its owner file does not name it/ ],
);
if (Root::is_root()) {
    $alike{'bonnie.000000000000000a'} = [ sub { mkdir $_[0], oct 700; own($_[1]); chown 65534, 65534, $_[0] }, qr/it is not a private directory of this user/ ];
    $alike{'bonnie.000000000000000b'} = [ sub { mkdir $_[0], oct 700; own($_[1]); chown 65534, 65534, "$_[0]/owner" }, qr/its owner file is not one of ours/ ];
}
for my $name (sort keys %alike) {
    my ($make, $reason) = @{ $alike{$name} };
    $make->("$dir/$name", $name);
    spew("$dir/$name/data00000", 'precious') if -d "$dir/$name" && !-l "$dir/$name";
}
mkdir "$dir/$_", oct 700 for my @unlike = qw(bonnie.12 bonnie.0123456789abcdeg bonnie.0123456789abcdef0 Bonnie.0123456789abcdef bonnie bonnie.0123456789ABCDEF);
spew("$dir/$_/owner", "scratch directory of bonnie: $_\n") for @unlike;
my @before = tree($dir);
my $gone   = killed();
$run = cleanup();
is($run->{status}, 0, 'among look-alikes: exit status 0');
is($run->{out}, "removed $dir/$gone\n", 'the real one is removed');
is_deeply([ tree($dir) ], \@before, 'and nothing else');
is(slurp("$outside/data00000"), 'precious', 'behind links neither');
like($run->{err}, qr{^bonnie: left \Q$dir/$_\E: $alike{$_}[1]}m, "$_ is named with the reason") for sort keys %alike;
is($run->{err} =~ tr/\n//, scalar(keys %alike), 'and nothing but the look-alikes');

subtest 'a real one with something foreign in it' => sub {
    my $own = scratch();
    for my $foreign ('precious', 'd00000/precious', 'd00000/0000000001/x', 'data00000/x', 'o1/x', 'd99999x', 'sub/x') {
        my $name = 'bonnie.00000000000000ff';
        mkdir "$own/$name", oct 700;
        spew("$own/$name/owner", "scratch directory of bonnie: $name\n");
        mkdir "$own/$name/d00000";
        my @parts = split m{/}, $foreign;
        mkdir "$own/$name/" . join q{/}, @parts[ 0 .. $_ ] for 0 .. $#parts - 1;
        spew("$own/$name/$foreign", 'data');
        my $done = bonnie('-d', $own, '--cleanup');
        is($done->{status}, 1, "$foreign: exit status 1");
        like($done->{err}, qr{\Abonnie: [^\n]*$name/[^\n]*\n\z}, 'one line names it');
        is(slurp("$own/$name/$foreign"), 'data', 'it is left');
        ok(-e "$own/$name/owner", 'and what it is in is still known as ours');
        system 'rm', '-rf', "$own/$name";
    }
};

# A run that goes on for a while, also on a busy machine.
my @LASTS = qw(-s1 -n0 -f --tests=iops --iops-duration=3);

# The same after a signal, and after a signal that arrives just when the directory has
# been made.
subtest 'a run that cannot remove its directory' => sub {
    my @endless = qw(-s1:16k:1000000000 -n0 -f --tests=seeks);
    my @cases = (
        [ 'at its end',                  \@LASTS ],
        [ 'after a signal',              \@endless, 'TERM' ],
        [ 'after a signal as it begins', \@endless, 'TERM', $slow->('flock', 'delay_exit=1000000') ],
    );
    SKIP: for my $case (@cases) {
        my ($when, $options, $signal, $how) = @{$case};
        skip "strace cannot trace here: $when", 4 if $how && !can_trace();
        my $own = scratch();
        my $run = start($how // {}, '-d', $own, qw(-r0 -q), @{$options});
        my $name;
        wait_until('its directory', sub { ($name) = map {m{(.*)/owner\z}} tree($own) });
        spew("$own/$name/.foreign", 'data');
        kill $signal => -$run->{pid} if $signal;
        is(finish($run)->{status}, $signal ? 'signal 15' : 1, $when);
        like($run->{err}, qr{^bonnie: remove directory \Q$own/$name\E: Directory not empty\n\z}m, 'says what is left');
        is_deeply([ tree($own) ], [ $name, "$name/.foreign", "$name/owner" ], 'with its owner file');
        unlink "$own/$name/.foreign";
        is(bonnie('-d', $own, '--cleanup')->{out}, "removed $own/$name\n", 'so that --cleanup knows it');
    }
};

subtest 'a run whose directory somebody moves' => sub {
    my @own  = map { scratch() } 0, 1;
    my @runs = map { start('-d', $_, qw(-r0 -q), @LASTS) } @own;
    my @name;
    for my $other (0, 1) {
        my $own = $own[$other];
        wait_until('its directory', sub { ($name[$other]) = map {m{(.*)/owner\z}} tree($own) });
        rename "$own/$name[$other]", "$own/moved" or die "$name[$other]: $!\n";
        mkdir "$own/$name[$other]" if $other;
    }
    for my $other (0, 1) {
        my ($own, $run, $name) = ($own[$other], $runs[$other], $name[$other]);
        is(finish($run)->{status}, 1, 'exit status 1');
        like($run->{err}, qr{^bonnie: directory \Q$own/$name\E was moved by somebody; it is left as \S*/moved\n\z}m, 'says where it is');
        is_deeply([ tree($own) ], [ $other ? $name : (), 'moved' ], 'it is empty, and the one in its place is left');
        rmdir "$own/$name";
        rename "$own/moved", "$own/$name" or die "$name: $!\n";
        is(bonnie('-d', $own, '--cleanup')->{out}, "removed $own/$name\n", 'by its own name --cleanup knows it');
    }
};

subtest 'below a directory that hands down its group' => sub {
    my $own = scratch(oct 2700);
    killed('-d', $own, qw(-r0 -s0 -q -x 1000000 -n1:100:0:3 --cache=keep));
    like(bonnie('-d', $own, '--cleanup')->{out}, qr/\Aremoved [^\n]*\n\z/, 'it is removed');
    is_deeply([ tree($own) ], [], 'all of it');
};

subtest 'with a umask that forbids the owner everything' => sub {
    my $own  = scratch(oct 777);
    my %how  = (wrap => [ 'sh', '-c', 'umask 0777; exec "$@"', 'sh' ], Root::is_root() ? (as => 'nobody') : ());
    my @args = ('-d', $own, qw(-r0 -q -s1 -f -n1:100:0:3));
    is(bonnie(\%how, @args)->{status}, 0, 'a run works');
    is_deeply([ tree($own) ], [], 'and leaves nothing');
    my $run = start(\%how, @args, '-x1000000');
    wait_until('files', sub { grep {m{/d00001/}} tree($own) });
    kill KILL => $run->{pid};
    finish($run);
    wait_until_closed($own);
    is(bonnie({ %how }, '-d', $own, '--cleanup')->{status}, 0, 'what a killed one leaves');
    is_deeply([ tree($own) ], [], 'is removed');
};

subtest 'names that drive a terminal' => sub {
    my $own  = scratch();
    my $evil = "$own/a\nb\e[31m\xc2\x9b1m";
    my $name = 'bonnie.00000000000000ff';
    mkdir $_, oct 700 for $evil, "$evil/$name", "$evil/bonnie.00000000000000fe";
    spew("$evil/$name/owner", "scratch directory of bonnie: $name\n");
    my $done = bonnie('-d', $evil, '--cleanup');
    is($done->{out}, "removed $own/a b?[31m?1m/$name\n", 'are printed without that');
    like($done->{err}, qr{\Abonnie: left \Q$own/a?b?[31m?1m\E/bonnie.00000000000000fe: [^\n]+\n\z}, 'on both streams');
};

refused_ok(bonnie('-d', "$dir/none", '--cleanup'), qr{open directory \Q$dir\E/none: No such file}, 'no such directory');
SKIP: {
    skip 'strace cannot trace here', 1 if !can_trace();
    my @strace = (qw(strace -qq -o /dev/null -P), $dir, qw(-e trace=getdents64 -e inject=getdents64:error=EIO:when=1 --));
    refused_ok(bonnie({ wrap => \@strace }, '-d', $dir, '--cleanup'), qr{list directory \Q$dir\E: Input/output error}, 'one that cannot be listed');
}

if (Root::is_root()) {
    my $all = scratch(oct 777);
    my $own = start({ as => 'nobody' }, '-d', $all, qw(-r0 -s0 -n2 -q -x 1000000));
    wait_until('files', sub { grep {m{/d00000/}} tree($all) });
    kill KILL => $own->{pid};
    finish($own);
    wait_until_closed($all);
    my $roots = bonnie('-d', $all, '--cleanup');
    like($roots->{err}, qr/not a private directory of this user/, q{root leaves another user's});
    is(bonnie('-d', $all, '--cleanup', '-u', 'nobody')->{out} =~ tr/\n//, 1, '-u nobody removes it');
    is_deeply([ tree($all) ], [], 'all of it');
}

done_testing();
