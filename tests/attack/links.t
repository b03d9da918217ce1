#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Another user shows root's own link, or a link of his own, by a name that root has given to a
# program: nothing is exchanged while the program runs. Every program that writes, and those that
# read, must refuse the link, say where it leads, and leave what is there as it is. The same for a
# user who shares a group with others. Then everything that users ordinarily do still works.

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
use Attack     qw(attacker_works battlefields clear_field go_on harm repeated stopped);
use BonnieRun  qw(bonnie program run_tool scratch scratch_on_disk source);
use LoadRun    qw(bonload);
use RunProgram qw(data_file path_of slurp spew);
use SweepSize  qw(tries);
use Trace      qw(can_trace trace);

plan skip_all => 'needs root, user nobody and mounts of its own' if !Root::may_mount() || !attacker_works();

my $TRIES = int((tries(3) + 2) / 3); # on each of three filesystems
my ($nobody, $nogroup) = (getpwnam 'nobody')[ 2, 3 ];
my $dir = scratch(oct 755);
spew("$dir/device", 'x' x (3 << 20));
# Starting Perl would take most of the time.
chomp(my $version = qx('$^X' '@{[ path_of('bon_csv2html') ]}' --version));
spew("$dir/bon_csv2html", "#!/bin/sh\n[ \"\$1\" != --version ] || exec echo '$version'\nexec cat\n");
chmod oct(755), "$dir/bon_csv2html";
local $ENV{BON_CSV2HTML} = "$dir/bon_csv2html";

# Does something as the other user.
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
    return $? == 0;
}

sub his { my ($made, $mode) = @_; mkdir $made or die "$made: $!\n"; chmod $mode // oct(755), $made; chown $nobody, $nogroup, $made; return $made }

# ---- root's programs ------------------------------------------------------------------------------

my @NULL  = qw(bonload -show-progress=false -requests-engine=null -max-requests=10);
my @SMALL = ('-d', $dir, qw(-q -r0 -s256k -n0 -f --tests=put_block --engine=null --format=csv --cache=keep));

# For each program: the end of the name that it uses, and its command; PATH is what the user gives.
my %WRITE = (
    'zcav -l'                => [ q{},           qw(zcav -q -b1 -l PATH), "$dir/device" ],
    'zcav --html'            => [ q{},           qw(zcav -q -b1 --html=PATH), "$dir/device" ],
    'zcav -w'                => [ q{},           qw(zcav -q -b1 -w --yes PATH) ],
    '-live-file'             => [ q{},           @NULL, '-rt=1', '-live-file=PATH' ],
    '-live-file=FILE.prom'   => [ '.prom',       @NULL, '-rt=1', '-live-file=PATH.prom' ],
    '-hgrm'                  => [ '-reads.hgrm', @NULL, '-rt=1', '-hgrm=PATH' ],
    '-written-urls-dump'     => [ q{},           @NULL, '-wt=1', '-written-urls-dump=PATH' ],
    '-timeline-file'         => [ q{},           @NULL, '-rt=1', '-timeline-file=PATH' ],
    'bonnie --output'        => [ q{},           program(), @SMALL, '--output=PATH' ],
    'generate_randfile -f'   => [ q{},           qw(generate_randfile -f PATH 1000) ],
);
my %READ = (
    'bonnie -Z'              => [ q{},           program(), @SMALL, '-Z', 'PATH' ],
    '-load-file'             => [ q{},           @NULL, '-rt=1', '-load-file=PATH' ],
    '-url-source'            => [ q{},           @NULL, '-rt=1', '-url-source=PATH' ],
    '-good-for=FILE'         => [ q{},           'bonload', '-good-for=PATH', $dir ],
);

sub run_of {
    my ($count, $path, undef, $program, @args) = @_;
    s/PATH/$path/ for @args;
    return run_tool($program, repeated($count), @args);
}

# ---- where the link is ----------------------------------------------------------------------------

# Each makes a link to $end and returns the path by which root names it.
my %PLACE = (
    'root\'s link in his directory' => sub {
        my ($field, $end, $suffix) = @_;
        symlink $end, "$field->{home}/link" or die "link: $!\n";
        as_he(sub { rename "$field->{home}/link", "$field->{home}/log$suffix" }) or die "he cannot move it\n";
        return "$field->{home}/log";
    },
    'root\'s link that he moved to a directory for all' => sub {
        my ($field, $end, $suffix) = @_;
        mkdir "$field->{fs}/tmp";
        chmod oct(1777), "$field->{fs}/tmp";
        symlink $end, "$field->{home}/link" or die "link: $!\n";
        as_he(sub { rename "$field->{home}/link", "$field->{fs}/tmp/log$suffix" }) or die "he cannot move it\n";
        return "$field->{fs}/tmp/log";
    },
    'root\'s link in root\'s directory, which he moved' => sub {
        my ($field, $end, $suffix) = @_;
        mkdir "$field->{home}/safe" or die "safe: $!\n";
        chmod oct(755), "$field->{home}/safe";
        symlink $end, "$field->{home}/safe/log$suffix" or die "link: $!\n";
        as_he(sub { rename "$field->{home}/safe", "$field->{home}/logs" }) or die "he cannot move it\n";
        return "$field->{home}/logs/log";
    },
    'his link in a directory for all' => sub {
        my ($field, $end, $suffix) = @_;
        mkdir "$field->{fs}/tmp";
        chmod oct(777), "$field->{fs}/tmp";
        as_he(sub { symlink $end, "$field->{fs}/tmp/log$suffix" }) or die "he makes no link\n";
        return "$field->{fs}/tmp/log";
    },
    'a link in a directory that he is allowed to list' => sub {
        my ($field, $end, $suffix) = @_;
        mkdir "$field->{fs}/tmp";
        chown 0, $nogroup, "$field->{fs}/tmp";
        chmod oct(2775), "$field->{fs}/tmp";
        as_he(sub { symlink $end, "$field->{fs}/tmp/log$suffix" }) or die "he makes no link\n";
        return "$field->{fs}/tmp/log";
    },
);

my @fields = battlefields();
for my $field (@fields) {
    spew("$field->{precious}/file", 'x' x (2 << 20)); # zcav writes whole blocks
    harm($field);
    for my $place (sort keys %PLACE) {
        for my $case ((map { [ $_, $WRITE{$_} ] } sort keys %WRITE), map { [ $_, $READ{$_} ] } sort keys %READ) {
            my ($name, $command) = @{$case};
            my $path = $PLACE{$place}->($field, "$field->{precious}/file", $command->[0]);
            my $run  = run_of($TRIES, $path, @{$command});
            my @bad  = harm($field) || ();
            push @bad, "exit status $run->{status}" if $run->{status} ne '1';
            push @bad, $run->{err} if $run->{err} !~ m{: a symbolic link is not followed .*give its target: \Q$field->{precious}\E/file$}m;
            is_deeply(\@bad, [], "$field->{name}, $place: $name refuses it");
            clear_field($field);
            system 'rm', '-rf', "$field->{fs}/tmp";
        }
    }
}

# ---- zcav -w, and a hard link -----------------------------------------------------------------------

for my $field (@fields) {
    link "$field->{precious}/file", "$field->{home}/name" or die "link: $!\n";
    harm($field);
    my $run = run_of($TRIES, "$field->{home}/name", @{ $WRITE{'zcav -w'} });
    is($run->{status}, 1, "$field->{name}: zcav -w refuses a hard link in his directory");
    like($run->{err}, qr/another user can change its directory, .*[(]-u[)]/, 'and names -u');
    is(harm($field), q{}, 'root\'s file is as it was');
    clear_field($field);
}

# ---- what a FUSE filesystem of his shows -------------------------------------------------------------

SKIP: {
    my $fuse = his_fuse() or skip 'no FUSE filesystem of another user can be mounted here', 1;
    my $field = $fields[0];
    symlink "$field->{precious}/file", "$fuse->{below}/log" or die "link: $!\n";
    harm($field);
    my $shown = join q{ }, map { (lstat)[4] } $fuse->{dir}, "$fuse->{dir}/log";
    is($shown, '0 0', 'it says that all is root\'s');
    for my $name (grep { !$WRITE{$_}[0] } sort keys %WRITE) {
        my $run = run_of(1, "$fuse->{dir}/log", @{ $WRITE{$name} });
        is($run->{status}, 1, "$name refuses a link there");
        is(harm($field), q{}, 'and leaves its target');
    }

    # He unmounts it while a converter is in it: then no list of mounts has it any more.
    my @convert = ({ program => $^X }, path_of('bon_csv2txt'), '-o', "$fuse->{dir}/log", data_file('lab.csv'));
    my (undef, @calls) = can_trace() ? trace(shift @convert, [ '-e', 'trace=fchdir,newfstatat' ], @convert) : ();
    my ($last) = grep { $calls[$_]{args} =~ /"log"/ } 0 .. $#calls;
    if (defined $last) {
        my $run = stopped('fchdir', scalar(grep { $_->{name} eq 'fchdir' } @calls[ 0 .. $last ]), { program => $^X }, @convert);
        system 'umount', '-l', $fuse->{dir};
        go_on($run);
        like($run->{err}, qr/a symbolic link is not followed/, 'a converter refuses it there, too, when the filesystem has been unmounted');
        is(harm($field), q{}, 'and leaves its target');
    }
    system "umount -l $fuse->{dir} 2>/dev/null";
}

# ---- the current directory is another user's, who lets others enter it but not list it ----------------

SKIP: {
    skip 'strace cannot trace here', 1 if !can_trace();
    my $top = scratch_on_disk(oct 755);
    his("$top/his", oct 711);
    mkdir "$top/own" or die "own: $!\n";
    chmod oct(755), "$top/own";
    chown 4202, 4202, "$top/own";
    chown $nobody, $nogroup, "$top";
    my @as  = (wrap => [qw(setpriv --reuid 4202 --regid 4202 --clear-groups)]);
    my $run = stopped('fchdir', 1, { program => $^X, dir => "$top/his", @as }, path_of('bon_csv2txt'), '-o', 'report', data_file('lab.csv'));
    as_he(sub { rename("$top/his", "$top/aside") && symlink 'own', "$top/his" }) or die "he cannot exchange it\n";
    go_on($run);
    like($run->{err}, qr/report: Permission denied/, 'a converter is still in that directory when its name is a link of his');
    is_deeply([ glob "$top/own/*" ], [], 'and makes nothing where that leads');
}

# ---- a path goes up again, and he moves the directory that it was in --------------------------------

for my $case (can_trace() ? ([ 'generate_randfile', '-f', 'PATH', 1000 ], [ $^X, path_of('bon_csv2txt'), '-o', 'PATH', data_file('lab.csv') ]) : ()) {
    my ($program, @args) = @{$case};
    my $field = $fields[0];
    mkdir "$field->{fs}/tmp";
    chmod oct(1777), "$field->{fs}/tmp";
    s{PATH}{$field->{home}/deep/here/../../precious/file} for @args;
    my $which;
    for my $is_moved (0, 1) {
        his("$field->{home}/$_") for qw(deep deep/here precious);
        harm($field);
        if ($is_moved) {
            my $run = stopped('openat', $which, { program => $program }, @args);
            as_he(sub { rename "$field->{home}/deep/here", "$field->{fs}/tmp/here" }) or die "he cannot move it\n";
            go_on($run);
            is($run->{status}, 1, "$program: a directory that a path leads out of is moved: refused");
            like($run->{err}, qr/: somebody has moved a directory on the way$/m, 'with the reason');
            is(harm($field), q{}, 'and nothing is done where it leads now');
        }
        else {
            my (undef, @calls) = trace({ program => $program }, [ '-e', 'trace=openat' ], @args);
            ($which) = map { 1 + $_ } grep { $calls[$_]{args} =~ /"here"/ } 0 .. $#calls or die "$program does not enter the directory by its name\n";
        }
        clear_field($field);
    }
    system 'rm', '-rf', "$field->{fs}/tmp";
}

# A directory with root's files, as bindfs shows it that this user has mounted for all.
sub his_fuse {
    return if !-e '/dev/fuse' || system('command -v bindfs fusermount3 >/dev/null 2>&1 || command -v bindfs fusermount >/dev/null 2>&1') != 0;
    my $conf = scratch_on_disk(oct 755);
    spew("$conf/fuse.conf", "user_allow_other\n");
    chmod oct(644), "$conf/fuse.conf";
    system "mknod -m 666 $conf/fuse c 10 229 && mount --bind $conf/fuse /dev/fuse";
    -e '/etc/fuse.conf' && system('mount', '--bind', "$conf/fuse.conf", '/etc/fuse.conf') == 0 or return;
    my $top = scratch_on_disk(oct 755);
    mkdir "$top/below";
    his("$top/dir");
    my $mounted = system(qw(setpriv --reuid nobody --regid), $nogroup, qw(--clear-groups bindfs -o allow_other --force-user=root --force-group=root --perms=0755), "$top/below", "$top/dir") == 0;
    return $mounted ? { top => $top, conf => $conf, below => "$top/below", dir => "$top/dir" } : undef;
}

# ---- a group that others are in, too ----------------------------------------------------------------
# User daemon has a group of the same name, and this is the primary group of another user, too.
{
    my ($own, $group) = (getpwnam 'daemon')[ 2, 3 ];
    my $other = 4202;
    my $top = scratch_on_disk(oct 755);
    mkdir "$top/$_" for qw(shared private);
    chown $own, $group, "$top/shared", "$top/private";
    chmod oct(775), "$top/shared";
    chmod oct(700), "$top/private";
    spew("$top/private/file", 'precious');
    chown $own, $group, "$top/private/file";
    symlink '../private', "$top/shared/way" or die "link: $!\n";
    POSIX::lchown($other, $group, "$top/shared/way");
    my @as = (wrap => [qw(setpriv --reuid), $own, '--regid', $group, '--clear-groups']);
    my %run = (
        'bonload'         => [ 'bonload', { @as, env => {} }, qw(-show-progress=false -wt=1 -max-requests=3 -body-size=10), "-url=$top/shared/way/file" ],
        'bonload, meta'   => [ 'bonload', { @as }, qw(-show-progress=false -requests-engine=meta -wt=1 -max-requests=9 -body-size=10), '-meta-ops=write,truncate,unlink', "-url=$top/shared/way/file" ],
        'bon_csv2html -o' => [ $^X, { @as }, path_of('bon_csv2html'), '-o', "$top/shared/way/file", data_file('lab.csv') ],
        'bon_csv2txt -o'  => [ $^X, { @as }, path_of('bon_csv2txt'), '-o', "$top/shared/way/file", data_file('lab.csv') ],
    );
    for my $name (sort keys %run) {
        my $run = run_tool(@{ $run{$name} });
        isnt($run->{status}, 0, "$name: another member's link is not followed");
        like("$run->{out}$run->{err}", qr{a symbolic link is not followed .*private}, 'and the line says where it leads');
        is(slurp("$top/private/file"), 'precious', 'what it leads to is as it was');
    }
}

# ---- what users ordinarily do -------------------------------------------------------------------------

# works($name, \%how, PROGRAM, ARGUMENT...): the program's exit status is 0.
sub works { my ($name, @command) = @_; my $run = run_tool(@command); return is($run->{status}, 0, $name) || diag("$run->{err}") }

{
    my ($own, $group) = (getpwnam 'daemon')[ 2, 3 ];
    my @as   = (wrap => [ qw(setpriv --reuid), $own, '--regid', $group, '--clear-groups' ]);
    my $home = scratch_on_disk(oct 755);
    my $team = scratch_on_disk(oct 755);
    my $host = scratch_on_disk(oct 755);
    chown $own, $group, "$home";
    chown 0, $group, "$team";
    chmod oct(2775), "$team";
    mkdir "$home/deep";
    chown $own, $group, "$home/deep";
    symlink 'deep', "$home/link";
    POSIX::lchown($own, $group, "$home/link");
    symlink "$home/deep", "$team/link";
    POSIX::lchown($own, $group, "$team/link");
    my $csv = data_file('lab.csv');
    my $converter = path_of('bon_csv2txt');
    for my $time (1, 2) {
        for my $way ("$home/a", "$home/link/b", "$home/deep/../link/c", "$team/d", '/tmp/bonnie-test-e', '/var/run/../../tmp/bonnie-test-f') {
            works("$way, time $time", 'generate_randfile', {@as}, '-f', $way, 1000);
            works("$way, from Perl, time $time", $^X, {@as}, $converter, '-o', "$way.txt", $csv);
        }
    }
    unlink map { ("/tmp/bonnie-test-$_", "/tmp/bonnie-test-$_.txt") } qw(e f);
    for my $program ([ 'generate_randfile', { @as, dir => '/' }, '-f', "$team/link/g", 1000 ], [ $^X, { @as, dir => '/' }, $converter, '-o', "$team/link/g", $csv ]) {
        my $run = run_tool(@{$program});
        is($run->{status}, 1, 'through a link in the directory of the group: not');
        like($run->{err}, qr{give its target: \Q$home\E/deep/g$}m, 'and the line says what is');
        works('which is', $program->[0], { @as }, map { $_ eq "$team/link/g" ? "$home/deep/g" : $_ } @{$program}[ 2 .. $#{$program} ]);
    }
    for my $way (qw(/dev/stdout /dev/fd/3 /proc/self/fd/1 /proc/thread-self/fd/3)) {
        my @shell = (@{ $as[1] }, 'sh', '-c', '"$0" "$@" 3>&1 | cat');
        like(run_tool('generate_randfile', { wrap => \@shell }, '-f', $way, 1000)->{out}, qr/\A.{4000}\z/s, $way);
        like(run_tool($^X, { wrap => \@shell }, $converter, '-o', $way, $csv)->{out}, qr/Sequential Output/, "$way, from Perl");
    }

    # root, in a directory of another user
    chown $own, $group, "$host";
    my @load = qw(-show-progress=false -body-size=100 -wt=1 -max-requests=20);
    works('root works there', 'bonnie', '-d', "$host", qw(-q -r0 -s1 -n1 -f));
    works("root's report is there, time $_", 'generate_randfile', '-f', "$host/report", 1000) for 1, 2;
    works("root's load is there, time $_", 'bonload', @load, "-url=$host/load-X") for 1, 2;
    spew("$host/his", 'his');
    chown $own, $group, "$host/his";
    is(run_tool(@{$_})->{status}, 1, "$_->[0] leaves that user's files") for [ 'generate_randfile', '-f', "$host/his", 1000 ], [ 'bonload', @load, "-url=$host/his" ], [ $^X, $converter, '-o', "$host/his", $csv ];
    is(slurp("$host/his"), 'his', 'as they were');

    # an automounted home
    SKIP: {
        my $auto = Root::automount(sub {
            my ($made) = @_;
            system qw(mount -t tmpfs -o), "size=1m,uid=$own,gid=$group,mode=" . ($made =~ /shared/ ? '0775' : '0755'), 'bonnie-test', $made;
            mkdir "$made/deep";
            chown $own, $group, "$made/deep";
            symlink 'deep', "$made/link";
        }) or skip 'there is no autofs', 1;
        works('a home that is mounted when it is looked up', 'generate_randfile', {@as}, '-f', "$auto/a/deep/new", 1000);
        works('from Perl', $^X, {@as}, $converter, '-o', "$auto/b/deep/new", $csv);
        works('its link', 'generate_randfile', {@as}, '-f', "$auto/c/link/new", 1000);
        works('from Perl', $^X, {@as}, $converter, '-o', "$auto/d/link/new", $csv);
        works('a load there', 'bonload', {@as}, @load, "-url=$auto/e/load-X");
        for my $program ([ 'generate_randfile', '-f', "$auto/shared-a/link/new", 1000 ], [ $^X, $converter, '-o', "$auto/shared-b/link/new", $csv ]) {
            like(run_tool($program->[0], {@as}, @{$program}[ 1 .. $#{$program} ])->{err}, qr{give its target: \Q$auto\E/shared-./deep/new$}m, 'but not a link that others may change');
        }
    }

    # a directory with an access control list for one other user
    SKIP: {
        my $listed = Root::tmpfs('size=1m,mode=0755');
        mkdir "$listed/$_" for qw(its its/deep);
        chown $own, $group, "$listed/its", "$listed/its/deep";
        symlink 'deep', "$listed/its/link";
        system("setfacl -m u:4202:rwx '$listed/its' 2>/dev/null") == 0 or skip 'there is no setfacl', 1;
        system qw(setpriv --reuid 4202 --regid 4202 --clear-groups ln -s deep), "$listed/its/his";
        ok(-l "$listed/its/his", 'a user on the list can make a link');
        my @programs = ([ 'generate_randfile', '-f', 'PATH', 1000 ], [ $^X, $converter, '-o', 'PATH', $csv ]);
        for my $program (@programs) {
            my $at = sub { my ($path) = @_; return run_tool($program->[0], {@as}, map { $_ eq 'PATH' ? $path : $_ } @{$program}[ 1 .. $#{$program} ]) };
            for my $link (qw(link his)) {
                like($at->("$listed/its/$link/new")->{err}, qr{give its target: \Q$listed\E/its/deep/new$}m, "$link: not followed while the list lets another user write");
            }
            is($at->("$listed/its/deep/new")->{status}, 0, 'a way of real directories') for 1, 2;
            is($at->("$listed/its/new")->{status},      0, 'and one of its files')      for 1, 2;
        }
        system "setfacl -m u:4202:r-x '$listed/its'";
        for my $program (@programs) {
            works('a list that lets another user read', $program->[0], {@as}, map { $_ eq 'PATH' ? "$listed/its/link/new" : $_ } @{$program}[ 1 .. $#{$program} ]);
        }
    }

    # a user namespace that does not map root: all that is root's belongs to user 65534 there
    my @inside = (wrap => [ @{ $as[1] }, qw(unshare --user --map-user), $own, '--map-group', $group, '--' ]);
    my @nobody = (wrap => [ @{ $as[1] }, qw(unshare --user --) ]);
    SKIP: {
        skip 'a user cannot have a user namespace here', 1 if system(@{ $inside[1] }, 'true') != 0;
        for my $how ([@inside], [@nobody]) {
            works('a way of real directories', 'generate_randfile', { @{$how} }, '-f', "$home/deep/new", 1000);
            works('from Perl',                 $^X,                 { @{$how} }, $converter, '-o', "$home/deep/new.txt", $csv);
            unlink "$home/deep/new", "$home/deep/new.txt";
            for my $program ([ 'generate_randfile', '-f', "$home/link/new", 1000 ], [ $^X, $converter, '-o', "$home/link/new", $csv ]) {
                my ($name, @args) = @{$program};
                like(run_tool($name, { @{$how} }, @args)->{err}, qr{give its target: \Q$home\E/deep/new$}m, 'a link below root\'s directories, whom nobody knows there');
            }
        }
    }

    # one with a root directory of the user's own
    SKIP: {
        skip 'a user cannot have a user namespace here', 1 if system(@{ $inside[1] }, 'true') != 0;
        my $root  = Root::tmpfs("size=16m,mode=0755,uid=$own,gid=$group");
        my $build = abs_path(dirname(program('generate_randfile')));
        for my $shown (grep {-d} qw(/usr /lib /lib64 /bin /proc /dev), $build, source('scripts'), dirname($csv)) {
            system "mkdir -p '$root$shown' && mount --rbind '$shown' '$root$shown'";
        }
        mkdir "$root/$_" for qw(own own/deep others others/deep);
        symlink 'deep', "$root/$_/link" for qw(own others);
        chown $own, $group, map {"$root/own$_"} q{}, '/deep';
        chown 4202, 4202, "$root/others";
        chown $own, $group, "$root/others/deep";
        my @at_root = ("--root=$root", '--wd=/');
        for my $how ([ @{ $inside[1] }[ 0 .. $#{ $inside[1] } - 1 ], @at_root, '--' ], [ @{ $as[1] }, qw(unshare --user --map-root-user), @at_root, '--' ]) {
            for my $program ([ 'generate_randfile', '-f' ], [ $^X, $converter, '-o' ]) {
                my ($name, @args) = @{$program};
                my $last = $args[-1] eq '-f' ? 1000 : $csv;
                works("$name: a link in a directory of one's own, below such a root", $name, { wrap => $how }, @args, '/own/link/new', $last);
                like(run_tool($name, { wrap => $how }, @args, '/others/link/new', $last)->{err}, qr{give its target: /others/deep/new$}m, 'one in a directory of a user whom nobody knows there');
                works('which leads here', $name, { wrap => $how }, @args, '/others/deep/new', $last);
                unlink map {"$root/$_/deep/new"} qw(own others);
            }
        }
        system 'umount', '-R', '-l', "$root";
    }
}

done_testing();
