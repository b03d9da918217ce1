#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# A user moves a directory of root's or of another user's, which is closed to him, to the name that
# is given to a program. The name then leads to files that he could not touch: none may be replaced,
# changed or removed, and none that he may not read may be sent or shown. What users ordinarily do
# with such directories still works, twice in a row.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd            qw(abs_path);
use File::Basename qw(dirname);
use POSIX ();
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use Attack     qw(attack attacker_works end_of_attack repeated);
use BonnieRun  qw(program run_tool scratch scratch_on_disk source);
use Fault      ();
use RunProgram qw(data_file path_of slurp spew);
use SweepSize  qw(tries);

plan skip_all => 'needs root, user nobody and mounts of its own' if !Root::may_mount() || !attacker_works();

my ($nobody, $nogroup) = (getpwnam 'nobody')[ 2, 3 ];
my ($own, $group, $team) = (4201, 4201, 4203);
my @AS  = (wrap => [ qw(setpriv --reuid), $own, '--regid', $group, '--groups', $team, '--' ]);
my $CSV = data_file('lab.csv');
my $dir = scratch(oct 755);
spew("$dir/device", 'x' x (1 << 20));
spew("$dir/urls", "/x\n");

my @NULL = qw(bonload -show-progress=false -requests-engine=null -max-requests=10);
my @LOAD = qw(bonload -show-progress=false -max-requests=5 -body-size=10);
my @META = (@LOAD, qw(-requests-engine=meta -wt=1));
my @AB   = ($^X, path_of('bon_ab'), qw(--pairs=6 --warmup=0), '--a=echo 1', '--b=echo 1');

# Programs that replace, change or remove PATH/log, and what else that is called; and that would show it.
my %CHANGES = (
    'zcav -l'                  => [ qw(zcav -q -b1 -l PATH/log), "$dir/device" ],
    'zcav --html'              => [ qw(zcav -q -b1 --html=PATH/log), "$dir/device" ],
    'zcav -w'                  => [ qw(zcav -q -b1 -w --yes PATH/log) ],
    'bonnie --output'          => [ program(), '-d', $dir, qw(-q -r0 -s256k -n0 -f --tests=put_block --engine=null --cache=keep --output=PATH/log) ],
    'generate_randfile'        => [ qw(generate_randfile -f PATH/log 1000) ],
    'bon_csv2txt -o'           => [ $^X, path_of('bon_csv2txt'), '-o', 'PATH/log', $CSV ],
    'bon_csv2html -o'          => [ $^X, path_of('bon_csv2html'), '-o', 'PATH/log', $CSV ],
    'bon_ab --keep'            => [ @AB, '--keep=PATH' ],
    '-live-file'               => [ @NULL, '-rt=1', '-live-file=PATH/log' ],
    '-live-file=FILE.prom'     => [ @NULL, '-rt=1', '-live-file=PATH/log.prom' ],
    '-hgrm'                    => [ @NULL, '-rt=1', '-hgrm=PATH/log' ],
    '-written-urls-dump'       => [ @NULL, '-wt=1', '-written-urls-dump=PATH/log' ],
    '-timeline-file'           => [ @NULL, '-rt=1', '-timeline-file=PATH/log' ],
    'disk'                     => [ @LOAD, qw(-wt=1 -url=PATH/log) ],
    'disk, -remove'           => [ @LOAD, qw(-wt=1 -remove -fsync -url=PATH/log) ],
    map { ("meta, $_" => [ @META, "-meta-ops=$_", '-url=PATH/log' ]) } qw(unlink write truncate setattr symlink rename setxattr),
);
my %SHOWS = (
    'bon_csv2txt'              => [ $^X, path_of('bon_csv2txt'), 'PATH/log' ],
    '-load-file'               => [ @NULL, '-rt=1', '-load-file=PATH/log' ],
    '-url-source'              => [ @NULL, '-rt=1', '-url-source=PATH/log' ],
    '-good-for=FILE'           => [ 'bonload', '-good-for=PATH/log', $dir ],
    '-Z'                       => [ program(), '-d', $dir, qw(-q -r0 -s256k -n0 -f --tests=put_block --engine=null --cache=keep -Z PATH/log) ],
);
my @NAMES = qw(log log.prom log-reads.hgrm campaign.json);

# A directory that is closed to all but its owner, in one where others can move it.
sub closed {
    my ($top, $owner) = @_;
    mkdir "$top/secret", oct 700 or die "secret: $!\n";
    spew("$top/secret/$_", "precious\n" x (1 << 17)) for @NAMES; # zcav writes whole blocks
    chmod oct(600), map {"$top/secret/$_"} @NAMES;
    chown $owner, $owner, "$top/secret", map {"$top/secret/$_"} @NAMES;
    return;
}

sub looks { my ($top) = @_; return Fault::fingerprint($top, map {"load/$_"} @NAMES) . join q{ }, map { (lstat "$top/load/$_")[ 1, 2, 4, 5 ] } @NAMES }

sub as_he {
    my ($work) = @_;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        $) = "$nogroup $team";
        POSIX::setgid($nogroup);
        POSIX::setuid($nobody);
        POSIX::_exit($work->() ? 0 : 1);
    }
    waitpid $pid, 0;
    return $? == 0;
}

sub run_in {
    my ($path, $how, $program, @args) = @_;
    s{PATH}{$path} for @args;
    return run_tool($program, $how, @args);
}

# ---- every program, in his home and in the directory of a team --------------------------------------

for my $case ([ 'his home, root', sub { chown $nobody, $nogroup, $_[0] }, 0, {} ], [ 'his home, a user', sub { chown $nobody, $nogroup, $_[0] }, $own, {@AS} ],
    [ 'a directory of a team, root', sub { chown 0, $team, $_[0]; chmod oct(2775), $_[0] }, 0, {} ], [ 'a directory of a team, a user', sub { chown $own, $team, $_[0]; chmod oct(2775), $_[0] }, $own, {@AS} ],
    [ 'a directory for all, a user', sub { chmod oct(777), $_[0] }, $own, {@AS} ])
{
    my ($where, $opens, $owner, $how) = @{$case};
    my $top = scratch_on_disk(oct 755);
    $opens->("$top");
    closed($top, $owner);
    as_he(sub { rename "$top/secret", "$top/load" }) or die "he cannot move it\n";
    my $looks = looks($top);
    for my $name (sort keys %CHANGES) {
        my $run = run_in("$top/load", $how, @{ $CHANGES{$name} });
        my @bad = looks($top) eq $looks ? () : 'changed';
        push @bad, $run->{status} if $run->{status} ne '1';
        push @bad, $run->{err}    if $run->{err} =~ / line \d+[.]/;
        push @bad, "$run->{out}$run->{err}" if "$run->{out}$run->{err}" !~ m{(?:user $nobody|group $team|everybody) can move \Q$top\E/load, but may not (?:write to it: nothing that is there is changed|read the file: its contents are not shown) [(].*(?:-u|owner can|--trust-directory)};
        is_deeply(\@bad, [], "$where: $name refuses it");
    }
    # the file is his to name, not to read
    as_he(sub { rename "$top/load", "$top/gone" }) or die "he cannot move it back\n";
    spew("$top/body", "precious\n");
    chmod oct(600), "$top/body";
    chown $owner, $owner, "$top/body";
    as_he(sub { rename "$top/body", "$top/log" }) or die "he cannot move the file\n";
    for my $name (sort keys %SHOWS) {
        my $run = run_in("$top", $how, @{ $SHOWS{$name} });
        is($run->{status}, 1, "$where: $name does not show a file that he may not read");
        like($run->{err}, qr{can move \Q$top\E/log, but may not read the file: its contents are not shown}, 'and says why');
        chmod oct(644), "$top/log";
        unlike(run_in("$top", $how, @{ $SHOWS{$name} })->{err}, qr/can move/, 'one that he may read is read');
        chmod oct(600), "$top/log";
    }
}

# What boncut has promised is evidence until it has been checked, so --cleanup of any program leaves it in such a directory.
{
    my $top = scratch_on_disk(oct 755);
    chown $nobody, $nogroup, "$top";
    mkdir "$top/secret", oct 700;
    is(run_tool('boncut', 'write', '--methods=fsync,create', qw(--time=0.05 -c1 --units=2), "$top/secret")->{status}, 0, 'boncut leaves what it has promised');
    my $left = () = glob "$top/secret/boncut.*/*";
    as_he(sub { rename "$top/secret", "$top/load" }) or die "he cannot move it\n";
    for my $program (qw(boncut bonnie bonload getc_putc)) {
        my $run = run_tool($program, '--cleanup', "$top/load");
        is($run->{status}, 1, "$program --cleanup fails");
        like($run->{err}, qr{: remove \S+/boncut[.]\w+: user $nobody can move \Q$top\E/load, but may not write to it: nothing that is there is changed}, 'and says why');
    }
    is(scalar(() = glob "$top/load/boncut.*/*"), $left, 'it is all there');
    chown 0, 0, "$top";
    like(run_tool('boncut', '--cleanup', "$top/load")->{out}, qr/\Aremoved \S+\n\z/, 'where nobody can move it, it is removed');
}

# ---- races --------------------------------------------------------------------------------------------
# The name leads to a directory or file of his own and to that of root's in turn, as fast as he can.

my $TRIES  = tries(20);
my $CHOICE = $ENV{BONNIE_TEST_SCENES} // q{}; # the races that the environment names, or all
my %RACES = (
    'zcav -l'           => [ q{}, 1, @{ $CHANGES{'zcav -l'} } ],
    'generate_randfile' => [ q{}, 1, @{ $CHANGES{generate_randfile} } ],
    '-live-file'        => [ q{}, 1, @{ $CHANGES{'-live-file'} } ],
    '-hgrm'             => [ q{}, 1, @{ $CHANGES{'-hgrm'} } ],
    'disk'              => [ q{}, 50, qw(bonload -show-progress=false -body-size=10 -max-errors=100 -wt=1 -max-requests=50 -url=PATH/log) ],
    (map { ("meta, $_" => [ q{}, 50, qw(bonload -show-progress=false -max-errors=100 -requests-engine=meta -wt=1 -max-requests=50 -url=PATH/log), "-meta-ops=$_" ]) } qw(unlink truncate write setattr)),
    'a converter'       => [ q{}, 0, '-MBonnie::Output=write_report', 'my ($count, $file) = @ARGV; for (1 .. $count) { eval { write_report("report\n", $file) } }', 'PATH/log' ],
    'bon_ab --keep'     => [ q{}, 0, '-MBonnie::Ab::Keep', 'my ($count, $dir) = @ARGV; for (1 .. $count) { eval { Bonnie::Ab::Keep->new($dir)->save({ host => {} }) }; eval { Bonnie::Ab::Keep->new($dir)->write_file(\&Bonnie::Output::write_bytes, "x", "log") } }', 'PATH' ],
    '-url-source'       => [ 'shown', 1, @NULL[ 0 .. 2 ], '-max-requests=1', '-wt=1', '-url-source=PATH/log', "-written-urls-dump=$dir/dump" ],
    'reading in Perl'   => [ 'shown', 0, '-MBonnie::Path=open_to_read,read_whole', 'my ($count, $file) = @ARGV; for (1 .. $count) { print eval { read_whole(open_to_read($file)) } // q{} }', 'PATH/log' ],
);
for my $name (grep {/$CHOICE/} sort keys %RACES) {
    my ($kind, $requests, @command) = @{ $RACES{$name} };
    my $top = scratch_on_disk(oct 755);
    closed("$top", 0);
    my $flip = $kind ? 'log' : 'load';
    if ($kind) {
        rename "$top/secret/log", "$top/secret.log" or die "log: $!\n";
        spew("$top/log", "his\n");
    }
    else {
        mkdir "$top/load" or die "load: $!\n";
        rename "$top/secret", "$top/root's" or die "secret: $!\n";
    }
    chown $nobody, $nogroup, "$top", "$top/$flip";
    my $count = $requests > 1 ? int(($TRIES + $requests - 1) / $requests) : $TRIES;
    my $attack = attack('flip', "$top/$flip", 'name=' . ($kind ? 'secret.log' : 'root\'s'));
    my $out = q{};
    my $path   = $kind ? $top : "$top/load";
    s{PATH}{$path} for @command;
    if ($requests) {
        my ($program, @args) = @command;
        my $run = run_tool($program, repeated($count), @args);
        $out = $run->{out} . $run->{err} . (-e "$dir/dump" ? slurp("$dir/dump") : q{});
        isnt($run->{status}, 'signal 9', "$name does not wait");
    }
    else {
        my ($module, @args) = @command;
        $out = run_tool($^X, {}, '-I' . source('scripts/lib'), $module, '-e', shift @args, $count, @args)->{out};
    }
    my ($struck) = end_of_attack($attack);
    cmp_ok($struck, '>', 0, "$name: exchanged $struck times in $TRIES tries");
    unlike($out, qr/precious/, 'nothing of root\'s is shown') if $kind;
    my @there = map { "$top/$_" } $kind ? qw(log secret.log) : map { ("load/$_", "root's/$_") } @NAMES;
    is(scalar(grep { -f && (stat _)[4] == 0 && (stat _)[2] == oct 100_600 && slurp($_) eq "precious\n" x (1 << 17) } @there), $kind ? 1 : scalar @NAMES, 'all of root\'s is as it was');
}

# ---- what users ordinarily do, twice in a row --------------------------------------------------------

sub works { my ($name, @command) = @_; my $run = run_tool(@command); return is($run->{status}, 0, $name) || diag("$run->{err}") }

{
    my $txt = path_of('bon_csv2txt');
    my $pod = scratch_on_disk(oct 755);
    mkdir "$pod/$_" for qw(empty group mine);
    chmod oct(777), "$pod/empty";
    chown 0, $team, "$pod/group";
    chmod oct(2775), "$pod/group";
    chown $own, $group, "$pod/mine";
    my $far = Root::tmpfs('size=16m,mode=0755');
    chown $own, $group, "$far";
    symlink "$far", "$pod/mine/far";
    for my $mask (qw(022 002)) {
        my $as = { wrap => [ 'sh', '-c', 'umask "$0"; exec "$@"', $mask, @{ $AS[1] } ] };
        for my $at ("$pod/group", "$pod/mine", $mask eq '022' ? ("$pod/empty", "$pod/mine/far") : ()) {
            for my $time (1, 2) {
                my $name = "umask $mask, $at, time $time";
                works("$name: generate_randfile", 'generate_randfile', $as, '-f', "$at/numbers", 1000);
                works("$name: its file is read", 'bonnie', $as, '-d', $at, qw(-q -r0 -s256k -n0 -f --tests=put_block --engine=null --cache=keep -Z), "$at/numbers", "--output=$at/bonnie.csv", '--format=csv');
                works("$name: so is the report", $^X, $as, $txt, "$at/bonnie.csv", '-o', "$at/bonnie.txt");
                works("$name: bon_csv2html -o", $^X, $as, path_of('bon_csv2html'), '-o', "$at/page.html", "$at/bonnie.csv");
                works("$name: a load, and what it has written", 'bonload', $as, qw(-show-progress=false -wt=1 -max-requests=20 -body-size=10), "-url=$at/load-XX", "-written-urls-dump=$at/urls");
                works("$name: is read", 'bonload', $as, qw(-show-progress=false -rt=1 -max-requests=20), "-url-source=$at/urls");
            }
            like(run_tool($^X, $as, @AB[ 1 .. $#AB ], "--keep=$at/kept", "--pairs=$_")->{status}, qr/\A[023]\z/, "umask $mask, $at: bon_ab --keep, $_ pairs") for 6, 7;
            works("umask $mask, $at: root reads it", $^X, $txt, "$at/bonnie.csv") if $at !~ /far/;
            system 'rm', '-rf', grep { !/far\z/ } glob "$at/*";
        }
    }
    spew("$pod/mine/result", slurp($CSV));
    chmod oct(600), "$pod/mine/result";
    chown $own, $group, "$pod/mine/result";
    works('root reads what a user alone may read, in his home', $^X, $txt, "$pod/mine/result") for 1, 2;
    system 'cp', '-p', "$pod/mine/result", '/tmp/bonnie-test-mine';
    works('a file of mktemp in /tmp', $^X, {@AS}, $txt, '/tmp/bonnie-test-mine') for 1, 2;
    unlink '/tmp/bonnie-test-mine';
    works('a file of a shell\'s <(...)', '/bin/bash', {@AS}, '-c', '"$0" "$1" <(cat "$2")', $^X, $txt, $CSV) for 1, 2;
    like(run_tool($^X, {@AS}, path_of('bon_ab'), qw(--pairs=6 --warmup=0), q{--a=bash -c 'cat <(echo 1)'}, '--b=echo 1')->{status}, qr/\A[03]\z/, 'bon_ab --a with <(...)') for 1, 2;
    my $build = abs_path(dirname(program('generate_randfile')));
    my $guest = 'for at in /usr /lib /lib64 /bin /proc /dev "$1" "$2"; do [ ! -d "$at" ] || { mkdir -p "$0$at" && mount --rbind "$at" "$0$at" || exit; }; done; exec chroot "$0" "$1/generate_randfile" -f "$2/numbers" 1000';
    SKIP: {
        skip 'a user cannot have a user namespace here', 3 if run_tool('/usr/bin/unshare', {@AS}, qw(--user --map-root-user true))->{status} ne '0';
        works("in a container without root, on a bind mount, time $_", '/usr/bin/unshare', {@AS}, qw(--user --map-root-user --mount sh -c), $guest, "$far", $build, "$pod/mine") for 1, 2;
        my $again = '"$0" -f "$1/seed" 100 && "$0" -f "$1/seed" 100; "$0" --trust-directory -f "$1/seed" 100';
        works('where nobody knows whose / is, --trust-directory does it', '/usr/bin/unshare', {@AS}, qw(--user --map-root-user sh -c), $again, "$build/generate_randfile", "$pod/mine");
    }

    # a directory of one's own, in that of a team: what is there can only be replaced by the run that
    # found it empty, or where its members are trusted
    mkdir "$pod/group/own";
    chmod oct(755), "$pod/group/own";
    chown $own, $group, "$pod/group/own";
    my @files = ([ 'generate_randfile', '-f', "$pod/group/own/numbers", 1000 ], [ $^X, $txt, '-o', "$pod/group/own/report", $CSV ]);
    for my $command (@files) {
        my ($program, @args) = @{$command};
        works("$args[-2], $args[-1]: a new file", $program, {@AS}, @args);
        like(run_tool($program, {@AS}, @args)->{err}, qr{group $team can move \Q$pod\E/group/own, but may not write to it: .* [(]--trust-directory allows it; so does a sticky bit}, 'which cannot be replaced');
        works('but with --trust-directory', $program, {@AS}, $program eq $^X ? ($args[0], '--trust-directory', @args[ 1 .. $#args ]) : ('--trust-directory', @args)) for 1, 2;
    }
    chmod oct(3775), "$pod/group";
    works('and with a sticky bit', $_->[0], {@AS}, @{$_}[ 1 .. $#{$_} ]) for @files;
    chmod oct(2775), "$pod/group";
    for my $name (qw(a b)) {
        works('a run replaces and removes what it has made itself', 'bonload', {@AS}, qw(-show-progress=false -mkdirs -remove -wt=1 -max-requests=200 -body-size=10), "-url=$pod/group/own/$name/XX", "-live-file=$pod/group/own/$name.prom");
        is_deeply([ glob "$pod/group/own/$name/*" ], [], 'and leaves none of it');
    }
    spew("$pod/group/own/load-02", "precious\n");
    chown $own, $group, "$pod/group/own/load-02";
    run_tool('bonload', {@AS}, qw(-show-progress=false -remove -wt=1 -max-requests=5 -body-size=10 -max-errors=100), "-url=$pod/group/own/load-XX");
    is_deeply([ glob "$pod/group/own/load*" ], ["$pod/group/own/load-02"], 'where files are already, -remove removes those that it made, and no others');
    like(run_tool('generate_randfile', '--trust-directory', '-f', "$pod/mine/result", 1000)->{err}, qr/another user can change its directory/, '--trust-directory is not for root');
}

is_deeply([ grep { !m{/(?:device|urls|dump)\z} } glob "$dir/*" ], [], 'nothing is left');
done_testing();
