#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Root runs boncut in another user's directory. This attacker exchanges what boncut makes there for
# links to root's files, as fast as he can: while boncut writes, while it checks, while it cleans
# up, and in the logs of a campaign. He must never win: none of root's files changes, and boncut
# does not wait for him.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use Attack         qw(attack attacker_works battlefields clear_field end_of_attack harm repeated);
use BonnieRun      qw(program run_tool scratch scratch_on_disk);
use File::Basename qw(basename dirname);
use List::Util     qw(min);
use RunProgram     qw(quoted slurp spew);
use SweepSize      qw(tries);

plan skip_all => 'needs root, user nobody and mounts of its own' if !Root::may_mount() || !attacker_works();

my $TRIES = tries(20);

# The scenes to play: those that the environment names, or all.
my $CHOICE = $ENV{BONNIE_TEST_SCENES} // q{};
my ($nobody, $nogroup) = (getpwnam 'nobody')[ 2, 3 ];

my @SMALL = ('-c1', '--units=2', '--methods=fsync,create,replace,unlink');
my $bin   = dirname(program('boncut'));
my $dir   = scratch();

# One attacker lasts for several tries, because starting programs takes most of the time.
my $AT_ONCE = 25;

# boncut(COUNT, ARGUMENT...): runs it that often. A run that waits for the attacker is killed, and he
# has won.
sub boncut { my ($count, @args) = @_; return run_tool('boncut', repeated($count), @args) }

# A run that has ended: its log in $dir/log, and the name of its directory.
sub written {
    my ($field) = @_;
    spew("$dir/log", boncut(1, 'write', '--time=0.05', @SMALL, $field->{home})->{out});
    my ($name) = map { basename($_) } glob "$field->{home}/boncut.*";
    return $name // die "boncut has made no directory to attack\n";
}

sub link_to { return "link=$_[0]{precious}" }

# run: prepares for that number of tries, and returns how the attacker begins, and the tries. most:
# the largest number of them. Runs that write leave up to 2 MB each.
my @SCENES = (
    {   name => 'write, where the directory is a link',
        most => 10,
        run  => sub { my ($field, $count) = @_; return ([ 'watch', $field->{home}, 'boncut.', link_to($field) ], sub { boncut($count, 'write', '--time=0.01', @SMALL, $field->{home}) }) },
    },
    {   name => 'write, where it is another directory',
        most => 10,
        run  => sub { my ($field, $count) = @_; return ([ 'watch', $field->{home}, 'boncut.', "dir=$field->{precious}/file" ], sub { boncut($count, 'write', '--time=0.01', @SMALL, $field->{home}) }) },
    },
    {   name => 'check',
        run  => sub {
            my ($field, $count) = @_;
            my $name = written($field);
            my $how  = repeated($count);
            $how->{wrap}[6] =~ s/"\$\@"/"\$\@" <$dir\/log/ or die "$how->{wrap}[6]: runs nothing\n";
            return ([ 'flip', "$field->{home}/$name", link_to($field) ], sub { run_tool('boncut', $how, 'check', $field->{home}) });
        },
    },
    {   name => '--cleanup',
        most => 1,
        run  => sub {
            my ($field) = @_;
            my $name = written($field);
            return ([ 'flip', "$field->{home}/$name", link_to($field) ], sub { boncut(1, '--cleanup', $field->{home}) });
        },
    },
    {   name => 'the logs of a campaign', # each cut has its own
        run  => sub {
            my ($field, $count) = @_;
            mkdir $_ or die "$_: $!\n" for "$field->{home}/logs", "$field->{fs}/test";
            chown $nobody, $nogroup, "$field->{home}/logs";
            my @campaign = ('--victim=env ' . quoted("PATH=$bin:$ENV{PATH}"), qw(--cut=true --same-boot --after=1ms), "--cuts=$count", "--write-options=@SMALL");
            return ([ 'flip', "$field->{home}/logs", link_to($field) ], sub { boncut(1, 'campaign', @campaign, "--logs=$field->{home}/logs", "$field->{fs}/test") });
        },
    },
);

my @fields = battlefields();
for my $scene (grep { $_->{name} =~ /$CHOICE/ } @SCENES) {
    my ($struck, $runs, $won) = (0, 0, 0);
    for (my $tries = 0; $tries < $TRIES;) {
        my $field = $fields[ $runs++ % @fields ];
        my $count = min($scene->{most} // $AT_ONCE, int(($TRIES + $#fields) / @fields));
        my ($how, $run) = $scene->{run}->($field, $count);
        my $attack = attack(@{$how});
        my $ended  = $run->();
        $struck += (end_of_attack($attack))[0];
        $tries += $count;
        clear_field($field);
        system 'rm', '-rf', "$field->{fs}/test";
        $won += harm($field) ne q{} || $ended->{status} eq 'signal 9';
        note("$ended->{status} $ended->{err}") if $runs == 1;
    }
    cmp_ok($struck, '>=', $scene->{name} =~ /\Awrite/ ? 1 : $runs, "$scene->{name}: exchanged $struck times in $TRIES tries");
    is($won, 0, "$scene->{name}: he never wins");
}

# ---- fs-shutdown: only what is mounted at that name, and only the run that works there ----------------

SKIP: {
    my $fs = eval { Root::filesystem('ext4', 64) } // skip 'there is no ext4', 18;
    my $bin = program('boncut');
    mkdir "$fs/$_" for qw(his upper empty);
    my $shut = sub { return run_tool('boncut', 'fs-shutdown', '--yes', @_) };
    my $lives = sub { return eval { spew("$fs/new", 'x'); 1 } };

    # he has detached what was mounted there, and made the directory again
    like($shut->("$fs/his")->{err}, qr/nothing is mounted here/, 'a directory where nothing is mounted: refused');
    ok($lives->(), 'and the filesystem above lives');

    # it is not as a whole what is mounted there
    my $part = scratch_on_disk(oct 755);
    system 'mount', '--bind', "$fs/upper", "$part";
    like($shut->("$part")->{err}, qr/only a part of its filesystem is mounted here/, 'a directory of a filesystem that is mounted elsewhere: refused');
    ok($lives->(), 'and the filesystem lives');
    system 'umount', "$part";

    # the root is an overlay, whose upper layer is there, or a lower one; or on a loop device whose file is there
    my $memory = Root::tmpfs('size=16m');
    mkdir "$memory/$_" for qw(upper work);
    my $all = 'for at in bin lib lib64 usr proc sys dev; do [ ! -d "/$at" ] || { mkdir -p "$2/$at" && mount --rbind "/$at" "$2/$at" || exit; }; done';
    my $shut_it = 'mkdir -p "$2$0" && mount --bind "$0" "$2$0" && cp "$1" "$2/boncut" && exec chroot "$2" /boncut fs-shutdown --yes "$0"';
    my %root = (
        'an overlay, whose upper layer is there' => 'mount -t overlay -o "lowerdir=/,upperdir=$0/upper,workdir=$0/empty" bonnie-test "$2" && mount --rbind /proc "$2/proc"',
        'an overlay, of which it is a lower layer' => 'mount -t overlay -o "lowerdir=$0:/,upperdir=$3/upper,workdir=$3/work" bonnie-test "$2" && mount --rbind /proc "$2/proc"',
        'on a loop device, whose file is there' => 'truncate -s 16m "$0/root" && mkfs.ext4 -q "$0/root" && mount -o loop "$0/root" "$2" && ' . $all,
    );
    for my $how (sort keys %root) {
        my $top = scratch_on_disk(oct 755);
        my $run = run_tool('/usr/bin/unshare', '-m', 'sh', '-c', "$root{$how} && $shut_it", "$fs", $bin, "$top", "$memory");
        like($run->{err}, qr/root filesystem/, "the root is $how: refused") or diag($run->{out});
        ok($lives->(), 'and it lives');
    }

    # he can exchange what is above two mounts, though not the mounts themselves
    my $his = scratch_on_disk(oct 755);
    mkdir "$his/$_" for qw(theirs named theirs/mnt named/mnt);
    chmod oct(700), "$his/theirs";
    chown $nobody, $nogroup, "$his";
    system 'mount', '--bind', "$fs", "$his/theirs/mnt";
    my $exchange = 'my $top = shift; rename "$top/named", "$top/away" and rename "$top/theirs", "$top/named" or die "$!\n"';
    is(run_tool($^X, { as => 'nobody' }, '-e', $exchange, "$his")->{status}, 0, 'he moves a directory of root\'s with a mount in it');
    like($shut->("$his/named/mnt")->{err}, qr/another user can move a directory above/, 'to the name of another: refused');
    ok($lives->(), 'and it lives');
    system 'umount', '-l', "$his/named/mnt";

    # nobody says what is mounted there
    my $unread = 'mount --bind /dev/null /proc/$$/mountinfo && exec "$0" fs-shutdown --yes "$1"';
    like(run_tool('/usr/bin/unshare', '-m', 'sh', '-c', $unread, $bin, "$fs")->{err}, qr/\Aboncut: \Q$fs\E: what is mounted here cannot be read from \S+\n\z/, 'without a list of mounts: refused');
    ok($lives->(), 'and it lives');

    # a lock that has been left to a child; the number of the process that took it is another boncut's
    my $pid = open my $ready, '-|', $^X, '-e', <<~'END', "$fs/locked" or die "fork: $!\n";
        open my $file, '>', shift or die;
        flock $file, 2 or die;
        fork or do { close STDOUT; sleep 600; exit };
        close $file;
        $0 = 'boncut';
        $| = print "ready\n";
        sleep 600;
        END
    readline $ready;
    my $run = $shut->("$fs");
    is($run->{status}, 0, 'where it is mounted: shut down') or diag($run->{err});
    unlike($run->{err}, qr/killed/, 'and who has no lock there is not killed');
    ok((kill 0 => $pid) && slurp("/proc/$pid/stat") !~ /[)] Z/, 'that process lives');
    kill KILL => $pid, split q{ }, slurp("/proc/$pid/task/$pid/children");
    close $ready;
}

done_testing();
