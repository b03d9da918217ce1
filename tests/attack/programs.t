#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Root runs the other programs where another user may change what a path leads to: bonload with
# files in that user's directory, zcav -l, and the converters with their outputs. This attacker
# exchanges files and directories for links to root's, or for pipes, as fast as he can. None of
# root's files may change, and no program may wait for him, whether the system protects links
# (fs.protected_symlinks) or not.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use List::Util qw(max min);
use POSIX ();
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use Attack     qw(attack attacker_works battlefields clear_field end_of_attack harm repeated);
use BonnieRun  qw(finish have is_used mark refused_ok run_tool scratch scratch_on_disk source start tree wait_until wait_until_taken);
use LoadRun    qw(bonload has_web);
use RunProgram qw(data_file path_of slurp spew);
use SweepSize  qw(tries);

plan skip_all => 'needs root, user nobody and mounts of its own' if !Root::may_mount() || !attacker_works();

my $TRIES = tries(20);
my ($nobody, $nogroup) = (getpwnam 'nobody')[ 2, 3 ];
my $dir = scratch();

# One attacker lasts for several runs, because starting programs takes most of the time. A load
# looks its files up for each of its `requests`, so each of them is a try.
my $AT_ONCE = 25;

# The scenes to play: those that the environment names, or all.
my $CHOICE = $ENV{BONNIE_TEST_SCENES} // q{};

my @LOAD   = qw(-body-size=100 -max-errors=100);
my @NULL   = qw(-requests-engine=null -rt=1 -max-requests=10);

# Does what every converter does for -o, and bon_ab for --keep, but in one process: starting Perl
# takes a thousand times as long.
my $WRITE = 'my ($count, $file) = @ARGV; my $report = "report\n" x 100_000; for (1 .. $count) { eval { write_report($report, $file) } }';
my $ANEW  = 'my ($count, $file) = @ARGV; for (1 .. $count) { eval { write_report("report\n", $file) }; unlink $file if -o $file }';
my $KEEP  = 'my ($count, $dir) = @ARGV; for (1 .. $count) { eval { Bonnie::Ab::Keep->new($dir)->save_output(undef, 1, "a", "output\n") } }';

my $holder; # the process that has a lease in the present scene

my @SCENES = (
    {   name => 'disk, where the directory of all names is a link',
        requests => 50,
        make => sub { his("$_[0]{home}/load", 'load/d') },
        flip => 'load/d',
        face => sub {"link=$_[0]{precious}"},
        run  => sub { bonload(repeated($_[1]), '-wt=1', "-url=$_[0]{home}/load/d/data000XX", '-max-requests=50', '-remove', @LOAD) },
    },
    {   name => 'disk, where a directory below it is',
        requests => 50,
        make => sub { his("$_[0]{home}/load", 'load/d', 'load/e'); names($_[0]) },
        flip => 'load/d',
        face => sub {"link=$_[0]{precious}"},
        run  => sub { bonload(repeated($_[1]), '-wt=1', "-url-source=$dir/names", '-max-requests=50', '-remove', '-mkdirs', @LOAD) },
    },
    {   name => 'meta',
        requests => 400,
        make => sub { his("$_[0]{home}/load", 'load/d', 'load/e'); names($_[0]) },
        flip => 'load/d',
        face => sub {"link=$_[0]{precious}"},
        run  => sub { bonload(repeated($_[1]), '-requests-engine=meta', '-wt=1', "-url-source=$dir/names", '-max-requests=400', '-remove', '-mkdirs', @LOAD) },
    },
    {   name => 'disk, where a file is a pipe',
        requests => 50,
        make => sub { his("$_[0]{home}/load"); spew("$_[0]{home}/load/f", 'mine') },
        flip => 'load/f',
        face => sub {'fifo'},
        run  => sub { bonload(repeated($_[1]), qw(-wt=1 -rt=1 -rpw=1), "-url=$_[0]{home}/load/f", '-max-requests=50', @LOAD) },
    },
    {   name => 'disk, where a file is a link',
        requests => 50,
        make => sub { his("$_[0]{home}/load"); spew("$_[0]{home}/load/f", 'mine') },
        flip => 'load/f',
        face => sub {"link=$_[0]{precious}/file"},
        run  => sub { bonload(repeated($_[1]), '-wt=1', "-url=$_[0]{home}/load/f", '-max-requests=50', @LOAD) },
    },
    {   name => 'zcav -l',
        make => sub { spew("$_[0]{home}/log", 'mine') },
        flip => 'log',
        face => sub {"link=$_[0]{precious}/file"},
        run  => sub { run_tool('zcav', repeated($_[1]), '-q', '-b1', '-l', "$_[0]{home}/log", "$dir/device") },
    },
    {   name => 'zcav -l, where a directory on the way is a link',
        make => sub { his("$_[0]{home}/load", 'load/d') },
        flip => 'load/d',
        face => sub {"link=$_[0]{precious}"},
        run  => sub { run_tool('zcav', repeated($_[1]), '-q', '-b1', '-l', "$_[0]{home}/load/d/file", "$dir/device") },
    },
    {   name => '-live-file',
        make => sub { spew("$_[0]{home}/live", 'mine') },
        flip => 'live',
        face => sub {"link=$_[0]{precious}/file"},
        run  => sub { bonload(repeated($_[1]), @NULL, "-live-file=$_[0]{home}/live") },
    },
    {   name => '-live-file, where it is a pipe',
        make => sub { spew("$_[0]{home}/live", 'mine') },
        flip => 'live',
        face => sub {'fifo'},
        run  => sub { bonload(repeated($_[1]), @NULL, "-live-file=$_[0]{home}/live") },
    },
    {   name => '-hgrm',
        make => sub { spew("$_[0]{home}/out-reads.hgrm", 'mine') },
        flip => 'out-reads.hgrm',
        face => sub {"link=$_[0]{precious}/file"},
        run  => sub { bonload(repeated($_[1]), @NULL, "-hgrm=$_[0]{home}/out") },
    },
    {   name => '-hgrm, where it is a pipe',
        make => sub { spew("$_[0]{home}/out-reads.hgrm", 'mine') },
        flip => 'out-reads.hgrm',
        face => sub {'fifo'},
        run  => sub { bonload(repeated($_[1]), @NULL, "-hgrm=$_[0]{home}/out") },
    },
    {   name => '-load-file and -good-for, where they are pipes',
        make => sub { his_file("$_[0]{home}/in") },
        flip => 'in',
        face => sub {'fifo'},
        says => qr/-load-file.*line 1 of the profile/s,
        run  => sub {
            my ($field, $count) = @_;
            my $run = bonload(repeated($count), '-requests-engine=null', "-load-file=$field->{home}/in");
            return $run if $run->{status} eq 'signal 9';
            my $judged = bonload(repeated($count), "-good-for=$field->{home}/in", $field->{home});
            return { %{$judged}, err => $run->{err} . $judged->{err} };
        },
    },
    {   name => 'zcav DEVICE, where it is a pipe',
        make => sub { spew("$_[0]{home}/in", 'x' x (1 << 20)) },
        flip => 'in',
        face => sub {'fifo'},
        says => qr/^# Read 1 megs/m,
        run  => sub { run_tool('zcav', repeated($_[1]), qw(-q -b1), "$_[0]{home}/in") },
    },
    {   name => 'zcav DEVICE, where it has a lease',
        make => sub { spew("$_[0]{home}/in", 'x' x (1 << 20)); his_file("$_[0]{home}/leased"); $holder = holds_lease("$_[0]{home}/leased") },
        flip => 'in',
        face => sub {'name=leased'},
        says => qr/^# Read 1 megs/m,
        run  => sub { my $run = run_tool('zcav', repeated($_[1]), qw(-q -b1), "$_[0]{home}/in"); end_lease($holder); return $run },
    },
    {   name => 'bon_ab --keep',
        make => sub { his("$_[0]{home}/kept") },
        flip => 'kept',
        face => sub {"link=$_[0]{precious}"},
        run  => sub { in_perl('-MBonnie::Ab::Keep', $KEEP, $_[1], "$_[0]{home}/kept") },
    },
    {   name  => 'the temporary file of a converter',
        make  => sub { spew("$_[0]{home}/out", 'mine') },
        watch => '.bon_csv',
        face  => sub {"link=$_[0]{precious}/file"},
        run   => sub { converted("$_[0]{home}/out", $_[1]) },
    },
    {   name => 'the output of a converter',
        make => sub { spew("$_[0]{home}/out", 'mine') },
        flip => 'out',
        face => sub {"link=$_[0]{precious}/file"},
        run  => sub { converted("$_[0]{home}/out", $_[1]) },
    },
    {   name => 'a directory on the way to it that becomes a link to one beside it',
        make => sub { my ($field) = @_; chmod oct(1777), $field->{fs}; mkdir "$field->{fs}/way"; chown $nobody, $nogroup, "$field->{fs}/way"; return },
        flip => '../way',
        face => sub {'link=precious'},
        run  => sub { converted("$_[0]{fs}/way/file", $_[1]) },
        used => sub {"$_[0]{fs}/way"},
    },
    {   name => 'bon_ab --keep that becomes a link to a directory beside it',
        make => sub { my ($field) = @_; chmod oct(1777), $field->{fs}; mkdir "$field->{fs}/way"; chown $nobody, $nogroup, "$field->{fs}/way"; return },
        flip => '../way',
        face => sub {'link=precious'},
        run  => sub { in_perl('-MBonnie::Ab::Keep', $KEEP, $_[1], "$_[0]{fs}/way") },
        used => sub {"$_[0]{fs}/way"},
    },
    {   name => 'a directory on the way to it',
        make => sub { his("$_[0]{home}/load", 'load/d') },
        flip => 'load/d',
        face => sub {"link=$_[0]{precious}"},
        run  => sub { converted("$_[0]{home}/load/d/file", $_[1]) },
    },
);

# A name of root's file in his directory, which comes and goes, so that it is the only one at one
# moment and one of two at the next.
push @SCENES, map { {
    name => "$_->[0], where a name of root's file comes and goes",
    make => sub {},
    link => 'load',
    run  => $_->[1],
    says => $_->[2],
    requests => $_->[3],
} } (
    [ 'zcav -l',    sub { run_tool('zcav', repeated($_[1]), '-q', '-b1', '-l', "$_[0]{home}/load", "$dir/device") } ],
    [ '-live-file', sub { bonload(repeated($_[1]), @NULL, "-live-file=$_[0]{home}/load") } ],
    [ 'disk',       sub { bonload(repeated($_[1]), '-wt=1', "-url=$_[0]{home}/load", '-max-requests=50', @LOAD) }, undef, 50 ],
    map { my $op = $_; [ "meta, $op", sub { bonload(repeated($_[1]), qw(-requests-engine=meta -rt=1 -max-requests=400 -max-errors=100), "-meta-ops=$op", "-url=$_[0]{home}/load") }, qr/^miss +400 x $op/m, 400 ] } qw(truncate setattr setxattr),
);

# A file of his own comes and goes at the name of a report, in a directory for all.
push @SCENES, map { {
    name => "$_->[0], where a file of his own comes and goes",
    make => sub { my ($field) = @_; mkdir "$field->{fs}/way"; chmod oct(1777), "$field->{fs}/way"; return },
    own  => '../way/file',
    used => sub {"$_[0]{fs}/way"},
    run  => $_->[1],
} } (
    [ 'generate_randfile', sub { run_tool('generate_randfile', repeated($_[1], 'sh', '-c', '"$0" "$@"; test ! -O "$2" || unlink "$2"'), '-f', "$_[0]{fs}/way/file", 10) } ],
    [ 'a converter',       sub { in_perl('-MBonnie::Output=write_report', $ANEW, $_[1], "$_[0]{fs}/way/file") } ],
);

sub in_perl {
    my ($module, $code, $count, $path) = @_;
    return run_tool($^X, repeated(1), '-I' . source('scripts', 'lib'), $module, '-e', $code, $count, $path);
}

sub converted { my ($output, $count) = @_; return in_perl('-MBonnie::Output=write_report', $WRITE, $count, $output) }

# his(DIR, NAME BESIDE IT...): makes directories that belong to the attacker.
sub his {
    my ($top, @names) = @_;
    my $home = $top =~ s{/[^/]*\z}{}r;
    for my $made ($top, map {"$home/$_"} @names) {
        mkdir $made or die "$made: $!\n";
        chown $nobody, $nogroup, $made;
    }
    return;
}

sub his_file {
    my ($file, $mode) = @_;
    spew($file, 'his');
    chown $nobody, $nogroup, $file;
    chmod $mode // oct 644, $file;
    return;
}

# Starts a process of his that has a lease on a file of his, and takes it again when the kernel has
# ended it.
sub holds_lease {
    my ($path) = @_;
    pipe my $ready, my $held or die "pipe: $!\n";
    open my $file, '+<', $path or die "$path: $!\n";
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        POSIX::setgid($nogroup);
        POSIX::setuid($nobody);
        local $SIG{IO} = 'IGNORE';
        my $lease = sub { fcntl $file, 1024, 1 }; # F_SETLEASE, F_WRLCK
        syswrite $held, 'x' if $lease->();
        close $held;
        while (1) {
            select undef, undef, undef, 0.01;
            $lease->();
        }
    }
    close $held;
    close $file;
    sysread $ready, my $byte, 1; # when he has it
    return $pid;
}

sub end_lease { my ($pid) = @_; kill KILL => $pid; waitpid $pid, 0; return }

# Makes the names of root's files in two directories, of which the attacker
# exchanges one.
sub names {
    my ($field) = @_;
    spew("$dir/names", join q{}, map { my $in = $_; map {"$field->{home}/load/$in/$_\n"} qw(file data00000 new) } qw(d e));
    return;
}

spew("$dir/device", 'x' x (3 << 20));
my @fields = battlefields();
my $protects = slurp('/proc/sys/fs/protected_symlinks');
note('fs.protected_symlinks is ', $protects);

# The runs are divided among attackers: for each, its field and its number of runs. A few runs say
# little of a load, however many requests it makes.
sub shares {
    my ($scene) = @_;
    my $runs = max($TRIES / ($scene->{requests} // 1), min($TRIES, 20));
    my @shares;
    for my $field (@fields) {
        my $left = int(($runs + $#fields) / @fields);
        for (; $left > 0; $left -= $AT_ONCE) {
            push @shares, [ $field, $left < $AT_ONCE ? $left : $AT_ONCE ];
        }
    }
    return @shares;
}

# What a scene's program does there without the attacker: it changes something, or says something
# about what it reads.
sub works_ok {
    my ($scene, $field) = @_;
    $scene->{make}->($field);
    my @places = $scene->{used} ? $scene->{used}->($field) : ($field->{home}, map {"$field->{home}/$_"} tree($field->{home}));
    mark(@places);
    my $run = $scene->{run}->($field, 1);
    if ($scene->{says}) { like("$run->{out}$run->{err}", $scene->{says}, "$scene->{name}: it is read") }
    else                { cmp_ok(scalar(grep { is_used($_) } @places), '>', 0, "$scene->{name}: the program writes there") }
    clear_field($field);
    system 'rm', '-rf', "$field->{fs}/way";
    return;
}

for my $scene (grep { $_->{name} =~ /$CHOICE/ } @SCENES) {
    works_ok($scene, $fields[0]);
    my ($struck, $runs, $won) = (0, 0, 0);
    my @shares = shares($scene);
    my $more   = $scene->{watch} ? 20 : 0; # on a busy machine the attacker may get no CPU while there is a temporary file
    while (my $share = shift @shares) {
        my ($field, $count) = @{$share};
        $scene->{make}->($field);
        my $face   = $scene->{face} ? $scene->{face}->($field) : undef;
        my $attack = $scene->{own} ? attack('own', "$field->{home}/$scene->{own}") : $scene->{link} ? attack('link', "$field->{home}/$scene->{link}", "$field->{precious}/file") : $scene->{watch} ? attack('watch', $field->{home}, $scene->{watch}, $face) : attack('flip', "$field->{home}/$scene->{flip}", $face);
        my $run    = $scene->{run}->($field, $count);
        my ($exchanged, $lost) = end_of_attack($attack);
        $struck += $exchanged;
        $runs   += $count;
        clear_field($field);
        system 'rm', '-rf', "$field->{fs}/way", glob "$field->{fs}/face.*";
        $won += $lost || harm($field) ne q{} || $run->{status} eq 'signal 9';
        push @shares, shares($scene) if !@shares && !$struck && $more-- > 0;
    }
    my $tries = $runs * ($scene->{requests} // 1);
    cmp_ok($struck, '>=', $scene->{watch} ? 1 : $runs, "$scene->{name}: exchanged $struck times in $tries tries");
    is($won, 0, "$scene->{name}: he never wins");
}

if ($CHOICE ne q{}) { # nothing else was asked for
    done_testing();
    exit;
}

# ---- programs that the attacker would like to have started ---------------------------------------
my $shared = scratch(oct 1777);
my $copy   = "$shared/mine";
mkdir $_ or die "$_: $!\n" for $copy, "$shared/bin", "$shared/scripts", "$copy/deep";
chmod oct(755), $copy;
for my $place ("$shared/bin", "$shared/scripts") {
    spew("$place/bon_csv2html", "#!/bin/sh\n: >$shared/won\n");
    chmod oct(755), "$place/bon_csv2html";
    chown $nobody, $nogroup, $place, "$place/bon_csv2html";
}
for my $in ($copy, "$copy/deep") {
    system 'cp', LoadRun::program(), "$in/bonload";
    delete local $ENV{BON_CSV2HTML};
    system "timeout -s KILL 120 $in/bonload -requests-engine=null -wt=1 -max-requests=10 -timeline-file=$dir/page.html >/dev/null 2>&1";
    ok(!-e "$shared/won", 'a bon_csv2html of another user, above the program, is not run');
}

# In PATH, too, programs look only at directories that nobody else can change.
mkdir "$dir/bin" or die "$dir/bin: $!\n";
spew("$dir/bin/bon_csv2html", "#!/bin/sh\ncase \$1 in --version) echo bon_csv2html 3 ;; *) echo drawn ;; esac\n");
chmod oct(755), "$dir/bin/bon_csv2html";
for my $path ("$shared/bin", "$shared/bin:relative:$dir/bin") {
    delete local $ENV{BON_CSV2HTML};
    local $ENV{PATH} = $path;
    my $run = run_tool("$copy/deep/bonload", qw(-show-progress=false -requests-engine=null -wt=1 -max-requests=10), "-timeline-file=$dir/page.html");
    ok(!-e "$shared/won", "PATH=$path: what another user can change is not run");
    is($run->{status}, $path =~ /relative/ ? 0 : 1, 'what root can change is');
}
is(slurp("$dir/page.html"), "drawn\n", 'and draws the page');
unlink "$dir/bin/bon_csv2html";
rmdir "$dir/bin";

# ---- pipes of the attacker's ---------------------------------------------------------------------
# The attacker may hold pipes open and never read or write; no program waits for him. The pipe of
# the last cases takes the place of a file while the load runs.
{
    my $disk = scratch_on_disk();
    his("$disk/his");
    my @null = ('bonload', qw(-show-progress=false -requests-engine=null -rt=1 -max-requests=10));
    my @web  = ('bonload', qw(-show-progress=false -requests-engine=http -rt=1 -max-requests=1 -url=https://127.0.0.1:1/));
    my $other = qr/it is a pipe of another user/;
    my $plain = qr/it is not a plain file/;
    my $pipe  = "$disk/his/pipe";
    my @web_files = has_web() ? qw(-cert -key -cacert) : ();
    my @cases = (
        [ $other, @null[ 0 .. 2 ], "-load-file=$pipe" ],
        [ $other, @null, "-live-file=$pipe" ],
        [ $other, @null, "-url-source=$pipe" ],
        [ $plain, @null, "-live-file=$pipe.prom" ],
        [ $other, @null, "-hgrm=$pipe" ],
        [ $other, 'bonload', "-good-for=$pipe", "$disk" ],
        (map { [ $other, @web, "$_=$pipe" ] } @web_files),
        [ $other, 'zcav', qw(-q -b1 -l), $pipe, "$dir/device" ],
        [ $other, 'zcav', qw(-q -b1), $pipe ],
        [ $other, 'bonnie', qw(-r0 -n0 -s1 -Z), $pipe, '-d', "$disk" ],
        [ $other, path_of('bon_csv2txt'), '-o', $pipe, data_file('lab.csv') ],
        [ $other, path_of('bon_csv2txt'), $pipe ],
    );
    my @names = ($pipe, "$pipe.prom", "$pipe-reads.hgrm");
    for my $is_held (0, 1) {
        for my $name (@names) {
            POSIX::mkfifo($name, oct 666) or die "$name: $!\n";
            chown $nobody, $nogroup, $name;
        }
        my @held = $is_held ? map { open my $end, '+<', $_ or die "$_: $!\n"; $end } $pipe : ();
        for my $case (@cases) {
            my ($reason, $program, @args) = @{$case};
            next if $is_held && $args[0] eq q{-o}; # some process reads it
            my $run = run_tool($program, { wrap => [qw(timeout -s KILL 120)] }, @args);
            isnt($run->{status}, 'signal 9', "$program @args: does not wait");
            is($run->{status}, 1, 'is refused');
            like($run->{err}, $reason, 'and says why');
        }
        unlink @names;
    }
    my $live = start({ program => 'bonload', wrap => [qw(timeout -s KILL 120)] }, qw(-show-progress=false -requests-engine=null -rps=10 -duration=60s), "-live-file=$pipe.prom");
    wait_until('the first figures', sub { -s "$pipe.prom" });
    POSIX::mkfifo($pipe, oct 666) or die "$pipe: $!\n";
    chown $nobody, $nogroup, $pipe;
    rename $pipe, "$pipe.prom" or die "$pipe.prom: $!\n";
    finish($live);
    is($live->{status}, 1, '-live-file that becomes a pipe does not hold up the load');
    like($live->{err}, $plain, 'which says why');
    like(bonload(qw(-requests-engine=null -load-file=/dev/zero))->{err}, qr/-load-file: \S+ is longer than 16 MiB/, 'a rate that has no end is not read into memory');
}

# A lease on a file of his makes whoever opens it wait for 45 seconds. He does not give it up.
{
    my $disk = scratch_on_disk();
    his("$disk/his");
    his_file("$disk/his/leased");
    chmod oct(711), "$disk";
    $holder = holds_lease("$disk/his/leased");
    my $run = run_tool('zcav', { wrap => [qw(timeout -s KILL 30)] }, qw(-q -b1), "$disk/his/leased");
    is($run->{status}, 1, 'zcav does not wait for a lease');
    like($run->{err}, qr/leased: Resource temporarily unavailable$/, 'and says so');
    end_lease($holder);
}

# ---- a file of root's in the attacker's directory ------------------------------------------------
# It may be any file of root's: he can give it a name there where fs.protected_hardlinks is 0, or move
# a directory of root's there.
{
    my $disk = scratch_on_disk(oct 755);
    my $file = "$disk/file";
    spew($file, 'x' x (2 << 20));
    his("$disk/his");
    link $file, "$disk/his/name" or die "link: $!\n";
    my $facts  = sub { return join q{ }, (lstat $file)[ 2, 4, 5, 7 ] };
    my $before = $facts->();
    for my $op (qw(write truncate setattr setxattr)) {
        my @load = (qw(-requests-engine=meta -rt=1 -max-requests=20 -body-size=10 -max-errors=100), "-meta-ops=$op");
        spew("$disk/single", 'mine');
        like(bonload(@load, "-url=$disk/single")->{out}, qr/^$op +[1-9]|20 x $op: Operation not supported$/m, "meta, $op: a file in a directory of root's is changed, where it can be");
        unlink "$disk/single";
        my $run = bonload(@load, "-url=$disk/his/name");
        like($run->{said}, qr/^error +20 x $op: another user can change its directory.*[(]-u[)]/m, 'one in a directory of his is not, and the line names -u');
        is($facts->(), $before, 'the file is as it was');
        is(qx(getfattr -d '$file' 2>/dev/null), q{}, 'without attributes') if have('getfattr');
    }
    bonload('-wt=1', "-url=$disk/his/name", '-max-requests=5', @LOAD);
    is(-s "$disk/his/name", 100, 'disk makes a new file there');
    unlink "$disk/his/name";
    link $file, "$disk/his/name" or die "link: $!\n";
    for my $program ([ 'zcav', qw(-q -b1 -l), "$disk/his/name", "$dir/device" ], [ 'bonload', @NULL, "-live-file=$disk/his/name" ]) {
        is(run_tool(@{$program})->{status}, 0, "$program->[0] makes a new file, too");
        isnt((stat "$disk/his/name")[1], (stat $file)[1], 'which is not that of root\'s');
        unlink "$disk/his/name";
        link $file, "$disk/his/name" or die "link: $!\n";
    }
    refused_ok(run_tool('zcav', qw(-q -w -b1), "$disk/his/name"), qr/another user can change its directory.*[(]-u[)]/, 'zcav -w refuses it');
    is(slurp($file), 'x' x (2 << 20), 'root\'s file is as it was');
    chown $nobody, $nogroup, $file;
    unlink $file;
    is(run_tool('zcav', qw(-q -w -b1 -u nobody), "$disk/his/name")->{status}, 0, 'with -u his own file is written');
}

# ---- meta: renames in a directory for all ---------------------------------------------------------
{
    my $all = scratch_on_disk(oct 1777);
    my @his = map { sprintf '%02d', $_ } 0 .. 49;
    his_file("$all/$_") for @his;
    my $run = bonload(qw(-requests-engine=meta -rt=1 -max-requests=200 -max-errors=100 -meta-ops=rename), "-url=$all/NN");
    like($run->{said}, qr/^error +\d+ x rename: another user can change its directory/m, 'meta, rename: files of another user are refused');
    is_deeply([ tree("$all") ], \@his, 'and keep their names');
}

# ---- zcav -w: the backing file of a loop device, and a link of the attacker's ---------------------
# Another name of the same file is not seen: the file is never looked at, because its server may be dead.
my $disk  = scratch_on_disk();
my $image = "$disk/of\nloop";
spew($image, 'i' x (2 << 20));
my $loop = Root::loop($image);
symlink $image, "$disk/link" or die "symlink: $!\n";
for my $name ($image, "$disk/link") {
    refused_ok(run_tool('zcav', '-w', '--yes', '-b1', $name), qr{-w: \Q$loop\E uses }, 'a file that a loop device stands on is not written');
}
system 'losetup', '-d', $loop;
is(slurp($image), 'i' x (2 << 20), 'and is as it was');

his("$disk/his");
his_file("$disk/his/file");
symlink 'file', "$disk/his/link";
POSIX::lchown($nobody, $nogroup, "$disk/his/link");
refused_ok(run_tool('zcav', '-w', '--yes', '-b1', "$disk/his/link"), qr/a symbolic link is not followed/, 'nor what a link of his leads to');
is(slurp("$disk/his/file"), 'his', 'which is as it was');

# ---- SIGUSR1 is for programs that can answer it ---------------------------------------------------------
my $zcav = start({ program => 'zcav' }, qw(-q -b1 -c100000 -l), "$dir/log", "$dir/device");
wait_until('that it works', sub { -s "$dir/log" || !kill 0, $zcav->{pid} });
kill USR1 => $zcav->{pid};
wait_until_taken($zcav->{pid});
kill TERM => $zcav->{pid};
finish($zcav);
is($zcav->{status}, 'signal 15', 'zcav goes on after SIGUSR1');

is_deeply([ sort grep { !/\A(?:device|log|names|page[.]html)\z/ } tree($dir) ], [], 'nothing is left');
done_testing();
