#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Root runs --cleanup in another user's directory. This attacker exchanges what a killed run has
# left for something of his own, after every system call and as fast as he can. --cleanup removes
# only what the run left, and never reports something as removed that is still there.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use Attack     qw(attack attacker_works battlefields calls_between clear_field end_of_attack go_on harm stopped strike);
use BonnieRun  qw(bonnie tree);
use Fault      qw(every);
use RunProgram qw(spew);
use SweepSize  qw(races);
use Trace      qw(can_trace);

plan skip_all => 'needs root, user nobody and mounts of its own' if !Root::may_mount() || !attacker_works();

my $NAME  = 'bonnie.00000000000000ff';
my $RACES = races(25, 100, 3400);
my $MOVED = qr{\Abonnie: directory \S+/$NAME was moved by somebody; it is left as /[^\n]+\n\z};
my $LEFT  = qr{\A(?:bonnie: left \S+/$NAME: [^\n]+\n)?\z};

my @fields = battlefields();

# Makes what a killed run of root leaves behind.
sub leave {
    my ($field) = @_;
    my $dir = "$field->{home}/$NAME";
    mkdir $_, oct 700 for $dir, "$dir/d00000", "$dir/d00001";
    spew("$dir/$_", q{}) for 'o0', map {"d00000/000000000$_"} 0 .. 9;
    spew("$dir/owner", "scratch directory of bonnie: $NAME\n");
    return;
}

# Checks what is left of root's directory in the user's home: all of it, the empty
# directory, or nothing.
sub of_root {
    my ($field) = @_;
    my ($dir) = grep { -d && !-l && (lstat)[4] == 0 } map {"$field->{home}/$_"} tree($field->{home});
    return !defined $dir ? 'nothing' : tree($dir) == 14 ? 'all' : tree($dir) ? 'some' : 'empty';
}

# Makes a directory of the attacker's. It contains something that looks like what --cleanup removes,
# and a link to root's directory.
sub bait {
    my ($field, $is_full) = @_;
    my $dir = "$field->{home}/bait";
    mkdir $dir;
    my @made = $is_full ? map {"$dir/$_"} qw(owner data00000 o0) : ();
    spew($_, 'bait') for @made;
    symlink $field->{precious}, "$dir/d00000" if $is_full;
    chown((getpwnam 'nobody')[ 2, 3 ], $dir, @made);
    return;
}

# The number of names left in it, wherever the attacker has put it.
sub bait_in {
    my ($field) = @_;
    my ($dir) = grep { -d && !-l && (lstat)[4] != 0 } map {"$field->{home}/$_"} tree($field->{home});
    return defined $dir ? scalar tree($dir) : 'no directory';
}

sub cleanup { my ($field) = @_; return ('-d', $field->{home}, '--cleanup') }

sub certain_ok {
    my ($field, $call, $baited, $state) = @_;
    leave($field);
    bait($field, $baited);
    my $attack = attack('told', $field->{home}, 'name=bait');
    my $run    = stopped(@{$call}, cleanup($field));
    strike($attack, $NAME);
    go_on($run);
    my ($struck) = end_of_attack($attack);
    my $name = "$field->{name}: after @{$call}";
    is($struck, 1, "$name: he is in time");
    is(of_root($field), $state, "of what the run left, there is $state");
    is(harm($field), q{}, 'what is root\'s elsewhere is untouched');
    is(bait_in($field), 4, 'and so is what is in the directory of his') if $baited;
    is($run->{status}, $state eq 'all' ? 0 : 1, 'the exit status tells');
    like($run->{err}, $state eq 'all' ? $LEFT : $MOVED, 'and a line on stderr');
    is($run->{out}, q{}, 'nothing is said to be removed');
    clear_field($field);
    return;
}

for my $field (can_trace() ? @fields : ()) {
    leave($field);
    my @calls = calls_between(qr/\Aopenat2?\(\d+, "bonnie[.]/, qr/\Aunlinkat\(\d+, "bonnie[.]/, cleanup($field));
    clear_field($field);
    cmp_ok(scalar @calls, '>=', 10, "$field->{name}: the directory is opened, looked at and emptied before it is removed");
    certain_ok($field, [ 'getdents64', 1 ], $_, 'all') for 0, 1;
    certain_ok($field, $_, 1, 'empty') for every(3, @calls);
    certain_ok($field, $calls[-1], 0, 'empty');
}

for my $field (@fields) {
    my (%ended, $struck);
    my $bait_lost = 0;
    for (1 .. $RACES) {
        leave($field);
        bait($field, 1);
        my $attack = attack('flip', "$field->{home}/$NAME", 'name=bait');
        my $run = bonnie(cleanup($field));
        $struck += (end_of_attack($attack))[0];
        my $said
            = $run->{status} eq '0' && $run->{out} =~ /\Aremoved / ? 'removed'
            : $run->{status} eq '0' && $run->{err} =~ $LEFT        ? 'left'
            : $run->{status} eq '1' && $run->{err} =~ $MOVED       ? 'moved'
            :                                                        "$run->{status} $run->{err}";
        $ended{"$said: " . of_root($field)}++;
        $bait_lost++ if bait_in($field) ne '4';
        clear_field($field);
    }
    note("$field->{name}: $RACES races, exchanged $struck times: ", join q{, }, map {"$_ $ended{$_}"} sort keys %ended);
    is_deeply([ grep { !/\A(?:removed: nothing|left: all|moved: empty)\z/ } sort keys %ended ], [], "$field->{name}, plain races: what is said is what was done");
    is($bait_lost,   0,   'nothing went of what was in the directory of his');
    is(harm($field), q{}, 'nor of root\'s elsewhere');
}

# --trust-directory is for filesystems that keep no owners. Elsewhere it trusts nobody with more.
for my $field (@fields) {
    leave($field);
    my $dir = "$field->{home}/$NAME";
    chmod oct(777), $field->{home}, $dir, "$dir/d00000", "$dir/d00001";
    chown 4202, 4202, $dir, map {"$dir/$_"} tree($dir);
    chmod oct(666), "$dir/owner";
    my $run = bonnie({ as => 'nobody' }, cleanup($field), '--trust-directory');
    is(scalar tree($dir), 14, "$field->{name}: --cleanup --trust-directory leaves what is another user's");
    like($run->{err}, qr{\Abonnie: left \S+/$NAME: it is not a private directory of this user\n\z}, 'and says so');
    chmod oct(755), $field->{home};
    clear_field($field);
}

done_testing();
