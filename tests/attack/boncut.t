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
use Attack         qw(attack attacker_works battlefields clear_field end_of_attack harm);
use BonnieRun      qw(program run_tool);
use File::Basename qw(basename dirname);
use SweepSize      qw(tries);

plan skip_all => 'needs root, user nobody and mounts of its own' if !Root::may_mount() || !attacker_works();

my $TRIES = tries(20);
my ($nobody, $nogroup) = (getpwnam 'nobody')[ 2, 3 ];

# A run that waits for the attacker is killed, and he has won.
my @GUARD = (wrap => [qw(timeout -s KILL 120)]);
my @SMALL = ('-c1', '--units=2', '--methods=fsync,create,replace,unlink');
my $bin   = dirname(program('boncut'));

sub boncut { return run_tool('boncut', {@GUARD}, @_) }

# A run that has ended: its log, and the name of its directory.
sub written {
    my ($field) = @_;
    my $log = boncut('write', '--time=0.05', @SMALL, $field->{home})->{out};
    my ($name) = map { basename($_) } glob "$field->{home}/boncut.*";
    return ($log, $name // die "boncut has made no directory to attack\n");
}

sub link_to { return "link=$_[0]{precious}" }

my @SCENES = (
    {   name => 'write, where the directory is a link',
        run  => sub { return ([ 'watch', $_[0]{home}, 'boncut.', link_to($_[0]) ], sub { boncut('write', '--time=0.1', @SMALL, $_[0]{home}) }) },
    },
    {   name => 'write, where it is another directory',
        run  => sub { return ([ 'watch', $_[0]{home}, 'boncut.', "dir=$_[0]{precious}/file" ], sub { boncut('write', '--time=0.1', @SMALL, $_[0]{home}) }) },
    },
    {   name => 'check',
        run  => sub {
            my ($log, $name) = written($_[0]);
            return ([ 'flip', "$_[0]{home}/$name", link_to($_[0]) ], sub { run_tool('boncut', { @GUARD, input => $log }, 'check', $_[0]{home}) });
        },
    },
    {   name => '--cleanup',
        run  => sub {
            my ($log, $name) = written($_[0]);
            return ([ 'flip', "$_[0]{home}/$name", link_to($_[0]) ], sub { boncut('--cleanup', $_[0]{home}) });
        },
    },
    {   name => 'the logs of a campaign',
        run  => sub {
            my ($field) = @_;
            mkdir $_ or die "$_: $!\n" for "$field->{home}/logs", "$field->{fs}/test";
            chown $nobody, $nogroup, "$field->{home}/logs";
            my @campaign = ("--victim=env PATH=$bin:$ENV{PATH}", qw(--cut=true --same-boot --after=1ms --cuts=2), "--write-options=@SMALL");
            return ([ 'flip', "$field->{home}/logs", link_to($field) ], sub { boncut('campaign', @campaign, "--logs=$field->{home}/logs", "$field->{fs}/test") });
        },
    },
);

my @fields = battlefields();
is(scalar @fields, 3, 'ext4, overlayfs and tmpfs');
for my $scene (@SCENES) {
    my ($struck, $won) = (0, 0);
    for my $try (1 .. $TRIES) {
        my $field = $fields[ $try % @fields ];
        my ($how, $run) = $scene->{run}->($field);
        my $attack = attack(@{$how});
        my $ended  = $run->($field);
        $struck += (end_of_attack($attack))[0];
        clear_field($field);
        system 'rm', '-rf', "$field->{fs}/test";
        $won += harm($field) ne q{} || $ended->{status} =~ /\A(?:137|signal 9)\z/;
        note("$ended->{status} $ended->{err}") if $try == 1;
    }
    cmp_ok($struck, '>=', $scene->{name} =~ /\Awrite/ ? 1 : $TRIES, "$scene->{name}: exchanged $struck times in $TRIES tries");
    is($won, 0, "$scene->{name}: he never wins");
}

done_testing();
