#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# getc_putc moves single bytes by eight methods, each of which makes the right calls. It prints
# the table and the CSV line of Bonnie++ 2.00a, and leaves no trace of its scratch file, however
# it ends.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use POSIX      ();
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(%SIGNAL finish refused_ok run_tool scratch start tree wait_until);
use RunProgram qw(slurp spew);
use Trace      qw(can_trace trace);

my $dir  = scratch(oct 777);
my @WAYS = qw(write read putcNT getcNT putc getc putcU getcU);

sub getc_putc { return run_tool('getc_putc', '-d', $dir, @_) }

# ---- output -------------------------------------------------------------------------------------

# The table of Bonnie++ 2.00a: names and figures end in the same columns.
my $TABLE = qr/^Version 3[.]\d+[.]\d+ +write   read putcNT getcNT   putc   getc  putcU  getcU\n/m;
my $FIGURE = qr/ +(?:\d+|[+]{5})/;

my $run = getc_putc(qw(-s 4096 -m lab));
is($run->{status}, 0, 'exit status 0');
my ($table, $row, $csv, @more) = split /^/m, $run->{out};
like($table, $TABLE, 'the heading of the table');
like($row, qr/\Alab(?:$FIGURE){8}\n\z/, 'the row of figures');
is(length $row, length $table, 'figures stand below their names');
like($csv, qr/\Alab(?:,(?:\d+|[+]{5})){8}\n\z/, 'the CSV line has the name and eight figures');
is_deeply([ split /,/, $csv =~ s/\n//r ], [ split q{ }, $row ], 'the same ones, in the same order');
is(scalar @more, 0, 'and that is all');
is(scalar(() = $run->{err} =~ /^.*[.]{3}done$/mg), 9, 'progress on standard error');

$run = getc_putc(qw(-q -s 1m --label=quiet));
like($run->{out}, qr/\Aquiet(?:,(?:\d+|[+]{5})){8}\n\z/, '-q: CSV alone on standard output');
like($run->{err}, qr/\A$TABLE\S.*\n\z/, 'the table on standard error, and no progress');
is(getc_putc(qw(--quiet --size=64k -m), 'a,b<c>')->{out} =~ s/,.*//sr, 'a;b(c)', 'a name with a comma makes no field');
my $NOTHING = qr/\A[^,]+(?:,[+]{5}){8}\n\z/;
my $least;
for my $try (1 .. 5) { # on a busy machine one of them may take longer
    $least = getc_putc(qw(-q -s1))->{out};
    last if $least =~ $NOTHING;
}
like($least, $NOTHING, '1 KiB: nothing takes 10 ms');
like(run_tool('getc_putc', "--directory=$dir", qw(-q -s1m -m), 'a name that is wider than its column')->{err}, qr/^a name that is wider than its column(?:$FIGURE){8}$/m, 'a long name pushes the figures');
my ($host) = (POSIX::uname())[1] =~ /\A([^.]+)/;
like(getc_putc(qw(-q -s1k))->{out}, qr/\A\Q$host\E,/, 'without -m the host is named');

SKIP: {
    skip 'Bonnie++ is not here', 2 if !-x '/usr/sbin/getc_putc';
    my $theirs = qx(/usr/sbin/getc_putc -q -d '$dir' -s 64 @{[ $> == 0 ? '-u root' : q{} ]} -m lab 2>&1 >/dev/null);
    my ($heading) = $theirs =~ /^(Version.*)\n/m;
    is(substr($heading, 20), substr($table =~ s/\n//r, 20), 'the heading is that of Bonnie++ to the column');
    is(length((split /\n/, $theirs)[-1]), length($heading), 'whose figures end in the same column, too');
}

# ---- system calls -------------------------------------------------------------------------------

SKIP: {
    skip 'strace cannot trace here', 12 if !can_trace();
    my $traced = sub {
        my ($calls, @args) = @_;
        my ($traced, @calls) = trace({ program => 'getc_putc' }, [ '-e', "trace=$calls", '-y' ], '-d', $dir, @args);
        is($traced->{status}, 0, "$calls: exit status 0");
        return @calls;
    };
    my $file = qr{/getc_putc[.][0-9a-f]{16}/(?:#\d+|data\d+)};
    my @calls = grep { $_->{args} =~ $file || $_->{name} =~ /clone/ } $traced->('read,write,clone,clone3', '-q', '-s256');
    my @bytes = grep { $_->{args} =~ /, 1\z/ } @calls;
    is(scalar(grep { $_->{name} eq 'write' } @bytes), 4096, '1/64 of the size by write() of a byte');
    is(scalar(grep { $_->{name} eq 'read' } @bytes),  4096, 'and by read()');
    my ($thread) = grep { $calls[$_]{name} =~ /clone/ } 0 .. $#calls;
    is(scalar(grep { $_->{name} =~ /clone/ } @calls), 1, 'a second thread is started, once');
    my %moved = (before => 0, after => 0);
    for my $i (grep { $calls[$_]{name} =~ /read|write/ && $calls[$_]{args} !~ /, 1\z/ } 0 .. $#calls) {
        $moved{ $i < $thread ? 'before' : 'after' } += $calls[$i]{result};
    }
    is($moved{before}, 2 * 256 * 1024, 'putcNT and getcNT have moved the whole file before');
    is($moved{after},  4 * 256 * 1024, 'putc, getc, putcU and getcU after it');
    my @unnamed = grep { $_->{args} =~ /O_CREAT|O_TMPFILE/ } $traced->('openat', '-q', '-s64');
    ok(!grep({ $_->{args} !~ /O_TMPFILE|"owner"/ } @unnamed), 'the file has no name');
}
is_deeply([ tree($dir) ], [], 'nothing is left of all these');

# ---- refused ------------------------------------------------------------------------------------

my $SIZE = qr/a size from 1KiB to 1024TiB; a number alone is in KiB/;
refused_ok(getc_putc('-s', $_), qr/--size: '\Q$_\E' is not accepted; expected $SIZE/, "-s $_") for qw(0 x -1 1.5.5 1q 1025t 512B), q{};
refused_ok(getc_putc('-x'),     qr/unknown option -x; --help lists the options/, 'an unknown option');
refused_ok(getc_putc('file'),   qr/unexpected argument 'file'/,                  'an operand');
refused_ok(getc_putc('-d', q{}), qr/--directory: '' is not accepted/,     'an empty -d');
refused_ok(getc_putc("-d$dir/none"), qr{\Q$dir\E/none: No such file or directory}, 'no such directory');
spew("$dir/file", 'precious');
refused_ok(getc_putc("-d$dir/file"), qr{\Q$dir\E/file: Not a directory}, 'a file');
refused_ok(getc_putc('-s1024t'),     qr/\Q$dir\E: 1073741824 MiB are needed, \d+ MiB are free/, 'more than there is room for');
refused_ok(getc_putc('-u', 'nobody-is-called-this'), qr/--user: no user is named/, 'an unknown user');
refused_ok(getc_putc('-u', q{}),     qr/--user: '' is not accepted/, 'an empty -u');
refused_ok(getc_putc('--group='),    qr/--group: '' is not accepted/, 'an empty --group');
unlink "$dir/file";

like(getc_putc($_)->{out}, qr/\Agetc_putc \d+[.]\d+[.]\d+\n\z/,          $_) for qw(-V --version);
like(getc_putc('--help')->{out}, qr/\AUsage: getc_putc .*-s, --size SIZE\n/s, '--help');
like(getc_putc('-h')->{out}, qr/^    getc_putc$/m, '-h');

# ---- users --------------------------------------------------------------------------------------

if (Root::is_root()) {
    my ($uid, $gid) = (getpwnam 'nobody')[ 2, 3 ];
    like(getc_putc(qw(-s64 -u nobody -g), $gid)->{err}, qr/\AUsing uid:$uid, gid:$gid[.]\n/, '-u nobody');
    like(getc_putc(qw(-s64 --user=nobody --group=77))->{err}, qr/\AUsing uid:$uid, gid:77[.]\n/, '--user and -g');
    unlike(getc_putc(qw(-q -s64 -u nobody))->{err}, qr/Using/, 'not told under -q');
    my $locked = scratch(oct 755);
    refused_ok(run_tool('getc_putc', '-q', '-d', $locked, '-u', 'nobody'), qr/Permission denied/, 'which cannot write to another directory');
}
else {
    refused_ok(getc_putc(qw(-q -u root)), qr/only root can become uid 0, gid 0/, 'an ordinary user cannot become root');
}

# ---- failures -----------------------------------------------------------------------------------

for my $out ('/dev/full', 'closed') {
    my $failed = run_tool('getc_putc', { out => $out }, '-q', '-s64', '-d', $dir);
    is($failed->{status}, 1, "standard output $out: exit status 1");
    like($failed->{err}, qr/^getc_putc: write (?:the report )?to standard output: \S.*\n\z/m, 'with the reason');
}

SKIP: {
    skip 'small filesystems of our own need root and its mounts', 3 if !Root::may_mount();
    my $small = Root::tmpfs('size=8m');
    spew("$small/precious", 'data');
    refused_ok(run_tool('getc_putc', '-q', '-d', $small, '-s9m'), qr/: 9 MiB are needed, 7 MiB are free; a smaller -s needs less\n/, 'too little room');
    is_deeply([ tree($small) ], ['precious'], 'nothing is left');
}

# ---- signals ------------------------------------------------------------------------------------

my @MOMENTS = ('Writing with write', 'Writing with putc\(\), no', 'Writing with putc\(\), two');
for my $signal (qw(TERM INT HUP QUIT XCPU KILL)) {
    for my $moment ($signal =~ /TERM|KILL/ ? @MOMENTS : $MOMENTS[0]) {
        my $endless;
        for my $size (qw(64m 128m 192m)) { # larger if this process was too late
            $endless = start({ program => 'getc_putc' }, '-d', $dir, "-s$size");
            wait_until($moment, sub { slurp($endless->{err_file}) =~ /^$moment/m });
            kill $signal => $endless->{pid};
            finish($endless);
            last if $endless->{status} ne '0';
        }
        is($endless->{status}, "signal $SIGNAL{$signal}", "SIG$signal, $moment: ended by the same signal");
        is($endless->{out}, q{}, 'no figure is printed');
        getc_putc('--cleanup') if $signal eq 'KILL';
        is_deeply([ tree($dir) ], [], $signal eq 'KILL' ? '--cleanup removes what is left' : 'nothing is left');
    }
}

# Its blocks need no more stack than any program is given.
for my $kib (112, 128, 144) {
    my $run = run_tool('getc_putc', { wrap => [ 'sh', '-c', "ulimit -s $kib; exec \"\$@\"", 'sh' ] }, '-d', $dir, qw(-q -s 1m));
    like("$run->{status} $run->{err}", qr/\A(?:0 |1 getc_putc: the stack is limited to $kib KiB, but \d+ KiB are needed [(]ulimit -s[)]\n\z)/, "ulimit -s $kib");
}

my $trusts = getc_putc(qw(-q -s64 --trust-directory));
$> == 0 ? refused_ok($trusts, qr/root trusts no directory; use -u USER\n\z/, '--trust-directory is not for root') : is($trusts->{status}, 0, '--trust-directory');
done_testing();
