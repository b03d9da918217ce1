#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# boncut without a power cut: what it writes and checks, what it refuses, and that it reads any
# damaged log as promising less than it did, or refuses it.

use strict;
use warnings;
use Fcntl      ();
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP   ();
use List::Util  qw(uniq);
use Time::HiRes ();
use Test::More;
use BonnieRun  qw(refused_ok run_tool scratch scratch_on_disk source start finish tree wait_until);
use JsonSchema qw(schema_errors);
use RunProgram qw(slurp spew);
use SweepSize  ();
use Trace      qw(can_trace trace);

my $dir = scratch_on_disk();
mkdir "$dir/$_" or die "$dir/$_: $!\n" for qw(test other empty);

sub boncut { return run_tool('boncut', @_) }

sub run_of {
    my ($log) = @_;
    return $log =~ / directory=(\S+) /;
}

# ---- wrong use -----------------------------------------------------------------------------------

refused_ok(boncut(@{$_}[ 1 .. $#{$_} ]), $_->[0], "refused: @{$_}[1 .. $#{$_}]") for (
    [qr/a command is expected/],
    [qr/DIR is missing/,                    'write'],
    [qr/promises are read from standard input: < FILE/, 'check', "$dir/test", "$dir/other"],
    [qr/from 1 to 256/,                  'write', '-c', 0, "$dir/test"],
    [qr/from 1 to 100000/,                 'write', '--units=0', "$dir/test"],
    [qr/all workers together have at most 100000 units/,       'write', '--units=50000', '-c4', "$dir/test"],
    [qr/a multiple of 512/,                 'write', '--block=1000', "$dir/test"],
    [qr/512 bytes to 1m/,                   'write', '--block=2m', "$dir/test"],
    [qr/a comma-separated list of fsync, fdatasync/,        'write', '--methods=fsync,cached', "$dir/test"],
    [qr/from 1 to 1000000000/,          'write', '--rate=0', "$dir/test"],
    [qr/--json is an option of [a-z, -]+, not of write/,      'write', '--json', "$dir/test"],
    [qr/--time is an option of [a-z, -]+, not of check/,      'check', '--time=1', "$dir/test"],
    [qr/No such file or directory/,         'write', '--time=1', "$dir/nowhere"],
    [qr/standard input is empty/,           'check', "$dir/test"],
    [qr/--yes confirms/,                    'fs-shutdown', "$dir/test"],
    [qr/--unmounted is an option of [a-z, -]+, not of audit/, 'audit', '--unmounted', "$dir/test"],
    [qr/--yes is an option of [a-z, -]+, not of audit/,       'audit', '--yes', "$dir/test"],
    [qr/No such file or directory/,         'audit', "$dir/nowhere"],
);
is_deeply([ tree($dir) ], [qw(empty other test)], 'nothing was made');
like(boncut('-V')->{out}, qr/\Aboncut 3/, '-V, --version');
like(boncut('write', '--methods=help')->{out}, qr/^fsync +a block overwritten, /m, '--methods=help');
like(boncut('--help')->{out}, qr/\AUsage: boncut write/,   '--help');
like(boncut('-h')->{out},     qr/\AUsage: boncut COMMAND/, '-h');

# ---- a run, and its check ------------------------------------------------------------------------

# A run that goes on until each method has promised something about the first worker's units.
my $UNITS   = 4;
my $written = start({ program => 'boncut' }, 'write', '--workers=2', "--units=$UNITS", '--block=4k', '--seed=7', "$dir/test");
wait_until('promises', sub {
    my $log = slurp($written->{out_file});
    my ($methods) = $log =~ / methods=(\S+) .*\n/ or return 0;
    my %has = map { $_ => 1 } $log =~ /^(\w+) [0-3] .*\n/mg;
    return !grep { !$has{$_} } split /,/, $methods;
});
kill TERM => $written->{pid};
is(finish($written)->{status}, 'signal 15', 'write, until a signal') or diag($written->{err});
like($written->{err}, qr/^boncut: what was promised is in \Q$dir\E\/test\/boncut[.][0-9a-f]{16}; boncut --cleanup \Q$dir\E\/test removes it$/m, 'it says where its files are, and how they go');
my $log = $written->{out};
like($log, qr/\Aboncut-log 2 seed=7 run=\d+ block=4096 units=4 workers=2 /, 'the log begins with its header');
my @lines = split /^/, $log;
is_deeply([ grep { !/\A!?\w+ \d+ \d+ \d+ [0-9a-f]{8}\n\z/ } @lines[ 1 .. $#lines ] ], [], 'all else are promises');
my ($methods) = $log =~ / methods=(\S+) /;
like($methods, qr/\bfsync,fdatasync,.*\bcreate,replace,unlink,rename,link,mkdir,truncate\b/, 'with all methods');

my $checked = boncut({ input => $log }, 'check', '--json', "$dir/test");
is($checked->{status}, 3, 'nothing was cut: inconclusive');
my $report = JSON::PP::decode_json($checked->{out});
my $schema = JSON::PP::decode_json(slurp(source('share/boncut.schema.json')));
is_deeply([ schema_errors($schema, $report) ], [], 'the JSON is as its schema says');
is($report->{verdict}, 'not_known', 'and says so');
ok($report->{same_boot}, 'the boot is the same');
cmp_ok($report->{new_names}{synced}, '>', 0, 'new names are counted');
is($report->{new_names}{present}, $report->{new_names}{synced}, 'and are there');
is($report->{sum}{kept}, $report->{sum}{units}, 'everything is kept');
is($report->{sum}{promises}, scalar(grep { !/\A(?:boncut-log|cached|drive|new_name) / } @lines), 'every promise is counted');
my $text = boncut({ input => $log }, 'check', "$dir/test");
like($text->{out}, qr/\ANOT KNOWN: [^.]* boot id [^.]*[.]\n\z/, 'text says so, too, and no more');
is($text->{status}, 3, 'with the same status');
like(boncut({ input => $log }, 'check', '-v', "$dir/test")->{out}, qr/\ANOT KNOWN: .*\n\nrun +\Q@{[ run_of($log) ]}\E.*^canaries +cached: 0 of .*^ +promises units +kept\nfsync .*^all methods /ms, 'with -v it has each method');
is(boncut({ input => $log }, 'check', '--verbose', "$dir/test")->{status}, 3, 'or with --verbose');

# ---- damage --------------------------------------------------------------------------------------

my ($run) = map {"$dir/test/$_"} run_of($log);

sub with_damage {
    my ($name, $finding, $damage, $undo) = @_;
    $damage->();
    my $found = boncut({ input => $log }, 'check', '--json', "$dir/test");
    is($found->{status}, 2, "$name: lost");
    my $json = JSON::PP::decode_json($found->{out});
    cmp_ok($json->{sum}{$finding}, '>', 0, "as $finding");
    is_deeply([ schema_errors($schema, $json) ], [], 'in JSON as its schema says');
    $undo->();
    return $json;
}

# Overwrites part of a file; the old contents can be put back.
sub overwritten {
    my ($name, $finding, $file, $offset, $bytes) = @_;
    my $old = slurp("$run/$file");
    my $new = $old;
    substr($new, $offset, length $bytes) = $bytes;
    my $put = sub {
        my ($text) = @_;
        open my $out, '+<', "$run/$file" or die "$file: $!\n";
        syswrite $out, $text;
        truncate $out, length $text;
        close $out;
        return;
    };
    return with_damage($name, $finding, sub { $put->($new) }, sub { $put->($old) });
}

# For each unit of each method, the last promised version.
my %last;
/\A(\w+) (\d+) (\d+) / and $last{"$1 $2"} = $3 for @lines;
my ($unit) = grep { $last{"fsync $_"} } 0 .. 3;
my $zeroed = overwritten('zeros', 'foreign', 'fsync.0', $unit * 4096 + 512, "\0" x 512);
is_deeply([ @{ $zeroed->{losses}[0] }{qw(method file offset_bytes detail promised)} ],
    [ 'fsync', 'fsync.0', $unit * 4096 + 512, 'zeroed', $last{"fsync $unit"} ], 'which names the place');
overwritten('a flipped byte', 'foreign', 'fsync.0', $unit * 4096 + 700, ~substr slurp("$run/fsync.0"), $unit * 4096 + 700, 1);
overwritten('another place',  'foreign', 'fsync.0', $unit * 4096, substr slurp("$run/fdatasync.0"), $unit * 4096, 4096);

sub moved {
    my ($name, $finding, $file, $to) = @_;
    return with_damage($name, $finding, sub { rename "$run/$file", $to or die "$file: $!\n" }, sub { rename $to, "$run/$file" or die "$file: $!\n" });
}

($unit) = grep { $last{"create $_"} } 0 .. 3;
moved('a name is gone', 'missing', sprintf('create.0/%d.%d', $unit, $last{"create $unit"}), "$dir/aside");
moved('a file of blocks is gone', 'missing', 'dsync.0', "$dir/aside");
($unit) = grep { $last{"unlink $_"} } 0 .. 3;
my $back = sprintf "$run/unlink.0/%d.%d", $unit, $last{"unlink $unit"};
with_damage('a name is back', 'came_back', sub { spew($back, 'x') }, sub { unlink $back });
($unit) = grep { $last{"truncate $_"} } 0 .. 3;
# With each version, files of odd units shrink by a byte, and the others, which begin empty,
# grow by one. A version later than the promised one may be there already.
my $size    = -s "$run/truncate.0/$unit";
my $earlier = $unit % 2 ? $size + 2 : $last{"truncate $unit"} - 1;
with_damage('another size', 'wrong_size',
    sub { truncate "$run/truncate.0/$unit", $earlier }, sub { truncate "$run/truncate.0/$unit", $size });
is(boncut({ input => $log }, 'check', "$dir/test")->{status}, 3, 'all of it was put back');

# ---- another directory ---------------------------------------------------------------------------

refused_ok(boncut({ input => $log }, 'check', "$dir/empty"), qr/\Q$dir\E\/empty does not contain boncut[.]/, 'a directory that does not contain it');
my $second = boncut('write', '--time=0.3', '--rate=100', '--methods=fsync', '-c1', "$dir/other");
refused_ok(boncut({ input => $log }, 'check', "$dir/other"), qr/the log is not of this directory/, 'a directory of another run');
refused_ok(boncut({ input => $log }, 'check', '--unmounted', "$dir/test"), qr/--unmounted: \Q$run\E is there/, 'a filesystem that is said not to mount, and does');
my $shared = scratch(oct 777);
symlink $dir, "$shared/link" or die "$shared/link: $!\n";
refused_ok(boncut({ input => $log }, 'check', '--unmounted', "$shared/link/test"), qr/a symbolic link is not followed/, 'nor is it lost where a link is not followed');
my $unmounted = boncut({ input => $log }, 'check', '--unmounted', "$dir/empty");
is($unmounted->{status}, 2, 'a filesystem that does not mount: lost');
like($unmounted->{out}, qr/\ALOST: The directory boncut[.]\w+ is on a filesystem that does not\s+mount, with all of \d+\s+promises/, 'which it says');
refused_ok(boncut({ input => $log . $second->{out} }, 'check', "$dir/test"), qr/more than one run/, 'two logs in one');

# ---- --rate --------------------------------------------------------------------------------------

# At most the given number a second, from the first moment on, by the times in the log.
sub keeps_rate {
    my ($name, $rate, $promised) = @_;
    my ($last, $count) = (0, 0);
    for my $line (grep { !/\A(?:boncut-log|cached|drive|new_name) / } split /^/, $promised) {
        $count++;
        $last = (split q{ }, $line)[3];
    }
    cmp_ok($count, '>', 0, "$name: it promises something");
    cmp_ok($count, '<=', 1.01 * $rate * $last / 1e6 + 1, "but not more than $rate a second");
    return;
}
keeps_rate('one worker', 100, $second->{out});
my @slow = qw(write --rate=4 --time=2);
keeps_rate('all methods of four workers', 4, boncut(@slow, "$dir/empty")->{out});
boncut('--cleanup', "$dir/empty");
SKIP: {
    my $now = Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC());
    my @booted = (qw(unshare --time --fork), sprintf '--monotonic=-%d', $now - 1);
    skip 'needs time namespaces', 2 if system("@booted true 2>/dev/null") != 0;
    keeps_rate('just after a boot', 1, boncut({ wrap => \@booted }, qw(write --rate=1 --time=2), "$dir/empty")->{out});
    boncut('--cleanup', "$dir/empty");
}

# ---- the log, damaged ----------------------------------------------------------------------------

# A check with a damaged log finds fewer promises, but never a loss: everything
# that the log still promises was kept.
sub harmless {
    my ($name, $damaged) = @_;
    my $found = boncut({ input => $damaged }, 'check', '--json', "$dir/test");
    return $found->{status} == 3 && JSON::PP::decode_json($found->{out})->{sum}{kept} == JSON::PP::decode_json($found->{out})->{sum}{units}
        || $found->{status} == 1 && $found->{out} eq q{} && $found->{err} =~ /\Aboncut: [^\n]+\n\z/;
}

my $header = length $lines[0];
my $short  = substr $log, 0, $header + 400;
my $step   = SweepSize::is_all() ? 1 : 17;
my @wrong  = grep { $_ % $step == 0 && !harmless("cut off at $_", substr $short, 0, $_) } 0 .. length $short;
is_deeply(\@wrong, [], 'cut off anywhere');
@wrong = grep { $_ % $step == 0 && !harmless("damaged at $_", substr($short, 0, $_) . 'x' . substr $short, $_ + 1) } 0 .. length($short) - 1;
is_deeply(\@wrong, [], 'damaged anywhere');
ok(harmless('repeated', $log . $log), 'repeated');
ok(harmless('out of order', join q{}, $lines[0], reverse @lines[ 1 .. $#lines ]), 'out of order');
ok(harmless('foreign', $log . $second->{out} =~ s/\A.*\n//r), 'with lines of another run');
ok(harmless('garbage', $log . "\0\xff\n" x 100 . 'x' x 300_000 . "\n" . $lines[-1]), 'with garbage');
refused_ok(boncut({ input => join q{}, @lines[ 1 .. $#lines ] }, 'check', "$dir/test"), qr/not a log of boncut/, 'without its header');

# ---- the log, as a console carried it --------------------------------------------------------------

my $before = "Warning: Permanently added 'victim' (ED25519) to the list of known hosts.\n\n";
my $plain  = JSON::PP::decode_json(boncut({ input => $log }, 'check', '--json', "$dir/test")->{out});
my %carried = (
    'CR LF'                       => $log =~ s/\n/\r\n/gr,
    'CR CR LF'                    => $log =~ s/\n/\r\r\n/gr,
    'lines before the header'     => $before . $log,
    'a time before each line'     => join(q{}, map { sprintf "[%12.6f] %s", $_ / 7, $lines[$_] } 0 .. $#lines),
    'a time without a blank'      => $log =~ s/^/[12:34:56]/gmr,
    'as a journal has it'         => $log =~ s/^/Nov  3 12:34:56 victim boncut[4711]: /gmr,
    'all of that'                 => ($before . $log) =~ s/^/2026-11-03T12:34:56.789Z: /gmr =~ s/\n/\r\n/gr,
    'a byte order mark, blanks'   => "\xef\xbb\xbf" . $log =~ s/\n/  \n/gr,
);
for my $how (sort keys %carried) {
    my $run   = boncut({ input => $carried{$how} }, 'check', '--json', "$dir/test");
    my $found = eval { JSON::PP::decode_json($run->{out}) } // {};
    is_deeply([ @{$found}{qw(sum log)} ], [ @{$plain}{qw(sum log)} ], "$how: all promises are found") or diag($run->{err});
}
refused_ok(boncut({ input => $before . 'x' . $log =~ s/seed=/sead=/r }, 'check', "$dir/test"), qr/the line of the log with "boncut-log " is damaged/, 'a header that is damaged');

# ---- the trial of audit --------------------------------------------------------------------------

# The milliseconds that it prints.
sub trial_of {
    my ($audit) = @_;
    my %scale = (ns => 1e-6, us => .001, ms => 1);
    my ($median, $unit, $slowest, $its_unit) = $audit->{out} =~ /^fsync {7}p50 (\S+) (ns|us|ms), max (\S+) (ns|us|ms), of 200 after one block each/m or return (-1, -1);
    return ($median * $scale{$unit}, $slowest * $scale{$its_unit});
}

SKIP: {
    skip 'strace cannot trace here', 1 if !can_trace();
    my @audit = ('audit', "$dir/empty");
    my $traced = sub { return trace({ program => 'boncut' }, [ '-e', 'trace=openat,pwrite64,fsync,fdatasync,unlinkat', @_ ], @audit) };
    my ($audit, @calls) = $traced->();
    like($audit->{status}, qr/\A[02]\z/, 'audit works') or diag($audit->{err});
    my ($made) = grep { $_->{name} eq 'openat' && $_->{args} =~ /"data00000".*O_CREAT/ } @calls;
    like($made->{args} // q{}, qr/O_RDWR\|.*O_EXCL/, 'it makes a file that has a name');
    my @trial = grep { $_->{name} =~ /sync|write/ && $_->{args} =~ /\A$made->{result}\b/ } @calls;
    is(join(q{ }, map { $_->{name} } @trial), join(q{ }, ('pwrite64') x 200, 'fsync', ('pwrite64', 'fsync') x 200), 'fills it, and syncs it after each block that it overwrites');
    my @writes = grep { $_->{name} eq 'pwrite64' } @trial;
    is_deeply([ map { $_->{args} =~ /, (4096, \d+)\z/ } @writes ], [ map {"4096, $_"} (map { 4096 * $_ } 0 .. 199) x 2 ], 'which is another one each time');
    is(scalar(uniq(map { $_->{args} =~ /"(.*)"/s } @writes)), 400, 'and gets new contents');
    like((grep { $_->{name} eq 'unlinkat' } @calls)[-1]{args}, qr/"boncut[.][0-9a-f]{16}", AT_REMOVEDIR/, 'the directory is removed at the end');
    is_deeply([ tree("$dir/empty") ], [], 'with all that was in it');

    # The first fsync is not measured. With half of the others delayed, the median is one of these.
    cmp_ok((trial_of(($traced->('-e', 'inject=fsync:delay_exit=20000:when=2+2'))[0]))[0], '>=', 20, 'the median is that of the calls');
    cmp_ok((trial_of(($traced->('-e', 'inject=fsync:delay_exit=400000:when=201'))[0]))[1], '>=', 400, 'and so is the slowest');

    for my $case ([ 'fsync:error=EIO:when=1', 'fsync in \S+: Input/output error' ], [ 'fsync:error=EIO:when=201', 'fsync in \S+: Input/output error' ],
        [ 'pwrite64:error=EROFS:when=200', 'write in \S+: Read-only file system' ], [ 'pwrite64:retval=512:when=400', 'write in \S+: No space left on device' ]) {
        my ($failed) = $traced->('-e', "inject=$case->[0]");
        refused_ok($failed, qr/$case->[1]\n/, "$case->[0] is told");
        is_deeply([ tree("$dir/empty") ], [], 'and nothing is left');
    }
    my ($stopped) = $traced->('-e', 'inject=fsync:signal=SIGTERM:when=50');
    is("$stopped->{status} $stopped->{out}", 'signal 15 ', 'a signal ends it');
    is_deeply([ tree("$dir/empty") ], [], 'and nothing is left');
}

# ---- the end -------------------------------------------------------------------------------------

my $cleaned = boncut('--cleanup', "$dir/test");
is($cleaned->{status}, 0, '--cleanup');
like($cleaned->{out}, qr/\Aremoved \Q$run\E\n\z/, 'says what it removes');
boncut('--cleanup', "$dir/other");
is_deeply([ tree($dir) ], [qw(empty other test)], 'nothing is left');

for my $command ([qw(write --time=0.1)], ['audit']) {
    my $trusts = boncut(@{$command}, '--trust-directory', scratch());
    $> == 0 ? refused_ok($trusts, qr/root trusts no directory; use -u USER\n\z/, "@{$command}: --trust-directory is not for root")
        : like($trusts->{status}, qr/\A[023]\z/, "@{$command} --trust-directory");
}

done_testing();
