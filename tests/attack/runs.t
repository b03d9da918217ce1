#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Root runs the program in another user's directory. This attacker exchanges the private
# directory for something of his own. A delay after each call between making and using the
# directory gives him certain success in striking; besides that there are plain races. He must
# never make root work in a place of his choice.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use Attack    qw(attack attacker_works battlefields calls_between clear_field end_of_attack go_on harm stopped strike);
use BonnieRun qw(bonnie tree);
use Fault     qw(every);
use SweepSize qw(is_long races);
use Trace     qw(can_trace);

plan skip_all => 'needs root, user nobody and mounts of its own' if !Root::may_mount() || !attacker_works();

my @ARGS  = qw(-r0 -q -s0 -n1:-1:0:2 --tests=seq_create --cache=keep --format=csv);
my $RACES = races(25, 100, 3400);

my @fields = battlefields();

# The messages when something else was in the directory's place: before the program opened
# or checked it, and after that.
my $REFUSED = qr{\Abonnie: \S+/bonnie[.][0-9a-f]{16} is not the directory that was made; somebody has replaced it: [^\n]+\n\z};
my $MOVED   = qr{\Abonnie: directory \S+/bonnie[.][0-9a-f]{16} was moved by somebody; it is left as /[^\n]+\n\z};

# Runs the program, which waits after a call until the attacker has struck. Returns the run,
# and what he did.
sub held_up {
    my ($field, $call, $face) = @_;
    my $attack = attack('told', $field->{home}, $face);
    my $run    = stopped(@{$call}, '-d', $field->{home}, @ARGS);
    my ($name) = grep {/\Abonnie[.][^\/]*\z/} tree($field->{home});
    strike($attack, $name);
    go_on($run);
    return ($run, end_of_attack($attack));
}

# What the attacker may put in the directory's place; of root's files only those in his
# directory.
my %FACES = (
    dir  => sub { return "dir=$_[0]{precious}" },
    link => sub { return "link=$_[0]{precious}" },
    file => sub { return 'file' },
    fifo => sub { return 'fifo' },
    full => sub { mkdir "$_[0]{home}/$_", oct 700 for qw(full full/d00000); return 'name=full' },
);

sub certain_ok {
    my ($field, $call, $kind, $answer) = @_;
    my ($run, $struck, $entered) = held_up($field, $call, $FACES{$kind}->($field));
    my $name = "$field->{name}: $kind, after @{$call}";
    is($struck,      1,   "$name: he is in time");
    is($entered,     0,   'nothing is made in a directory of his');
    is(harm($field), q{}, 'nor in one of root\'s');
    is($run->{status}, 1, 'the run fails');
    like($run->{err}, $answer, 'and says why');
    is($run->{out}, q{}, 'without a figure') if $answer == $REFUSED;
    ok((grep {m{/d00000\z}} tree($field->{home})), 'what was in it still is') if $kind eq 'full';
    clear_field($field);
    return;
}

for my $field (can_trace() ? @fields : ()) { # without strace, the later block says that it is skipped
    my ($mkdir, $open, @later) = calls_between(qr/\Amkdirat/, qr/"owner".*O_CREAT/, '-d', $field->{home}, @ARGS);
    like("$mkdir->[0] $open->[0]", qr/\Amkdirat openat2?\z/, "$field->{name}: the directory is made, then opened");
    cmp_ok(scalar @later, '>=', 3, 'then looked at, before it is used');
    certain_ok($field, $mkdir, $_, $REFUSED) for $field->{name} eq 'tmpfs' || is_long() ? sort keys %FACES : 'dir';
    certain_ok($field, $_, 'dir', $MOVED) for $open, every(2, @later);
    my @end = calls_between(qr/\Aunlinkat\(\d+, "owner"/, qr/\Aunlinkat\(\d+, "bonnie[.]/, '-d', $field->{home}, @ARGS);
    cmp_ok(scalar @end, '>=', 3, 'before it is removed it is looked at');
    certain_ok($field, $_, 'dir', $MOVED) for every(2, @end);
}

# An empty directory of root with mode 0700 cannot be told from the one that the program made. It
# is as good, because nobody else can use it.
SKIP: {
    skip 'strace cannot trace here', 1 if !can_trace();
    my ($field) = grep { $_->{name} eq 'tmpfs' } @fields;
    mkdir "$field->{home}/empty", oct 700;
    my ($run, $struck) = held_up($field, [ 'mkdirat', 1 ], 'name=empty');
    is($struck, 1, 'an empty directory of root\'s: he is in time');
    is("$run->{status}$run->{err}", '0', 'the run works in it');
    is(harm($field), q{}, 'and nowhere else');
    is_deeply([ tree($field->{home}) ], ['empty'], 'one of the two is left, as empty as before');
    clear_field($field);
}

for my $field (@fields) {
    my $attack = attack('run', $field->{home}, "dir=$field->{precious}");
    my %ended;
    for (1 .. $RACES) {
        my $run = bonnie('-d', $field->{home}, @ARGS);
        my $end = $run->{status} eq '0' ? 'measured' : $run->{err} =~ $REFUSED ? 'refused' : $run->{err} =~ $MOVED ? 'moved' : "$run->{status} $run->{err}";
        $ended{$end}++;
        clear_field($field, 1) if !($_ % 50);
    }
    my ($struck, $entered) = end_of_attack($attack);
    cmp_ok($struck, '>', 0, "$field->{name}, plain races: he had his chances");
    note("$field->{name}: $RACES races, struck $struck, entered $entered: ", join q{, }, map {"$_ $ended{$_}"} sort keys %ended);
    is($entered,     0,   'nothing was made in a directory of his');
    is(harm($field), q{}, 'nor in one of root\'s');
    is_deeply([ grep { !/\A(?:measured|refused|moved)\z/ } sort keys %ended ], [], 'every run measured, or said what had happened');
    clear_field($field);
}

done_testing();
