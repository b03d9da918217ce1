#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Root has the report written (--output) where another user may change what the path leads to. This
# attacker puts a symbolic link in the place of the report, or of a directory on the way, after
# every system call and as fast as he can. The program must never touch the link's target, whether
# the system protects links (fs.protected_symlinks) or not.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Fcntl qw(O_NONBLOCK O_RDWR);
use POSIX qw(mkfifo);
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use Attack     qw(attack attacker_works battlefields calls_between clear_field end_of_attack go_on harm stopped strike);
use BonnieRun  qw(bonnie scratch tree);
use Fault      qw(every);
use RunProgram qw(data_file path_of slurp spew);
use SweepSize  qw(races);
use Trace      qw(can_trace);

plan skip_all => 'needs root, user nobody and mounts of its own' if !Root::may_mount() || !attacker_works();

my $RACES  = races(24, 100, 3334); # on each of three filesystems
my $dir    = scratch();
my $nobody = getpwnam 'nobody';

# For each case: the file at home/report, the directory that contains it, which part of it the
# report is written to, the target of the attacker's link, and the last call of the run.
my $RENAMED = qr/\Arename/;
my @SCENES  = (
    { name => 'a file in his directory',       make => \&make_file, link => 'precious/file' },
    { name => 'a file in a directory for all', make => \&make_file, link => 'precious/file', mode => oct 777 },
    { name => 'a file in a sticky directory',  make => \&make_file, link => 'precious/file', mode => oct 1777 },
    { name => 'a directory in his directory',  make => \&make_dir,  link => 'precious',      path => '/file' },
    { name => 'a link of his to a device',     make => \&make_link, link => 'precious/file', last => qr/\Amkdirat/ },
    { name => 'a pipe in his directory',       make => \&make_pipe, link => 'precious/file', last => qr/\Awrite\(\d+, "1[.]98/ },
);

sub make_file { my ($at) = @_; spew($at, 'his'); return }
sub make_link { my ($at) = @_; symlink '/dev/null', $at; return }
sub make_dir  { my ($at) = @_; mkdir $at, oct 755 or die "$at: $!\n"; return }

# Makes a pipe and holds it open, so that nobody waits to write to it.
sub make_pipe {
    my ($at) = @_;
    mkfifo($at, oct 666) or die "$at: $!\n";
    sysopen my $reader, $at, O_RDWR | O_NONBLOCK or die "$at: $!\n";
    return $reader;
}

# Prepares a case. The caller keeps the returned objects until the case ends.
sub set {
    my ($field, $scene) = @_;
    chown $scene->{mode} ? 0 : $nobody, -1, $field->{home};
    chmod $scene->{mode} // oct(755), $field->{home};
    my $kept = $scene->{make}->("$field->{home}/report");
    POSIX::lchown($nobody, -1, "$field->{home}/report");
    return $kept;
}

sub run_to {
    my ($field, $scene) = @_;
    return ('-d', $dir, qw(-q -r0 -s256k -n0 -f --tests=put_block --engine=null --format=csv --cache=keep), "--output=$field->{home}/report" . ($scene->{path} // q{}));
}

sub link_of { my ($field, $scene) = @_; return "link=$field->{fs}/$scene->{link}" }

# Prepares a case and starts the attacker. When told to, he exchanges what is there for the link;
# if the link comes first, he has already done so once.
sub begin {
    my ($field, $scene, $link_first) = @_;
    my $kept   = set($field, $scene);
    my $attack = attack('told', $field->{home}, link_of($field, $scene));
    die "the link is not there\n" if $link_first && !strike($attack, 'report');
    return { attack => $attack, kept => $kept };
}

# Ends the attacker, and checks what became of root's files.
sub end {
    my ($field, $scene) = @_;
    end_of_attack($scene->{attack});
    clear_field($field);
    return harm($field);
}

# The system calls from the first look at the path to the end. The attacker can strike after each
# of them.
sub calls_of {
    my ($field, $scene, $link_first) = @_;
    my $begun = begin($field, $scene, $link_first);
    my @calls = calls_between(qr{\A(?!execve).*(?:"/", O_\S*O_PATH|/home)}, $scene->{last} // $RENAMED, run_to($field, $scene));
    end($field, $begun);
    return grep { $_->[0] !~ /exit/ } @calls;
}

# One attempt that is certain to be in time: the attacker strikes right after that call.
sub is_harmed {
    my ($field, $scene, $link_first, $call) = @_;
    my $begun = begin($field, $scene, $link_first);
    my $run   = stopped(@{$call}, run_to($field, $scene));
    strike($begun->{attack}, 'report') or die "nothing was exchanged\n";
    go_on($run);
    return end($field, $begun) ne q{};
}

my @fields = battlefields();

for my $field (can_trace() ? @fields : ()) {
    for my $scene (@SCENES) {
        for my $link_first (0, 1) {
            my @calls = calls_of($field, $scene, $link_first);
            my $name  = "$field->{name}: $scene->{name}, " . ($link_first ? 'the link first' : 'the link later');
            cmp_ok(scalar @calls, '>', 3, "$name: there is something to attack");
            my @early = splice @calls, 0, 20;
            my @won   = grep { is_harmed($field, $scene, $link_first, $_) } every(12, @early), every(4, @calls);
            is_deeply([ map {"$_->[0] $_->[1]"} @won ], [], "$name: he does not win after any call");
        }
    }
}

for my $field (@fields) {
    my ($struck, $won) = (0, 0);
    for my $race (1 .. $RACES) {
        my $scene  = $SCENES[ $race % @SCENES ];
        my $kept   = set($field, $scene);
        my $attack = attack('flip', "$field->{home}/report", link_of($field, $scene));
        bonnie(run_to($field, $scene));
        $struck += (end_of_attack($attack))[0];
        clear_field($field);
        $won += harm($field) ne q{};
    }
    note("$field->{name}: $RACES races, exchanged $struck times");
    cmp_ok($struck, '>', $RACES, "$field->{name}: plain races");
    is($won, 0, 'none of which he wins');
}

# In a directory for all he makes a file of the report's name, when the program has looked and found
# none, or one of root's. Nobody but him may remove it, as the directory is sticky.
for my $case ([ 'bonnie', 'mkdirat', run_to($fields[0], {}) ], [ 'a converter', 'fchmod', { program => $^X }, path_of('bon_csv2txt'), '-o', "$fields[0]{home}/report", data_file('lab.csv') ]) {
    last if !can_trace();
    my ($name, $call, @run) = @{$case};
    for my $is_there (0, 1) {
        my ($field, $report) = ($fields[0], "$fields[0]{home}/report");
        chown 0, 0, $field->{home};
        chmod oct(1777), $field->{home};
        spew($report, 'root\'s') if $is_there;
        my $run = stopped($call, 1, @run);
        unlink $report;
        spew($report, 'his');
        chown $nobody, -1, $report;
        go_on($run);
        is($run->{status}, 1, "$name: a file of his that appears while it runs is not replaced");
        like($run->{err}, qr/\Q$report\E: another user can change its directory/, 'which it says');
        is(slurp($report), 'his', 'the file is as it was');
        is_deeply([ tree($field->{home}) ], ['report'], 'and nothing is beside it');
        clear_field($field);
    }
}
is_deeply([ tree($dir) ], [], 'nothing is left');

done_testing();
