#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# bonload -good-for: its verdict for storage that is good enough, for storage that is not, and when
# it cannot tell; what it does to the storage; and that it leaves nothing behind. The limits are so
# far from what this machine can do that its speed decides nothing.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use JSON::PP ();
use POSIX    ();
use Test::More;
use Root       ();
BEGIN { Root::private_mounts() }
use BonnieRun  qw(finish is_used mark scratch scratch_on_disk source wait_until wait_until_working);
use JsonSchema qw(schema_errors);
use LoadRun    qw(as_idle bonload load_started);
use RunProgram qw(slurp);
use Trace      qw(can_trace);

my $list = bonload('-good-for=list');
is("$list->{status}$list->{err}", '0', '-good-for=list');
like($list->{out}, qr/^$_ /m, "has $_") for qw(etcd postgres mariadb redis maildir sqlite sqlite-journal);
like($list->{out}, qr/fdatasync p99 below 10[.]0 ms at 50 and 500 writes\/s\n.*\n *etcd 3[.]4 documentation/, 'with its source');

# Nothing in memory is judged, so the storage is a filesystem on a loop device, which is as fast, or the disk.
my $STORAGE = (Root::may_mount() ? Root::filesystem_on_disk([], 'ext4', 2048) : undef) // scratch_on_disk();
plan skip_all => 'the only storage is memory' if qx(df --output=fstype '$STORAGE') =~ /tmpfs/;

sub storage { return BonnieRun::new_directory("$STORAGE") }

my $SCHEMA = JSON::PP::decode_json(slurp(source('share/bonload.schema.json')));

# Profiles made for this test.
my $OWN = scratch();

sub own {
    my ($name, @lines) = @_;
    my $file = "$OWN/$name";
    open my $out, '>', $file or die "$file: $!\n";
    print {$out} join "\n", "name $name", @lines, q{};
    close $out or die "$file: $!\n";
    return $file;
}
my @LOG = ('log wal 4MiB unit=4KiB count=2 recycled', 'request: commit wal 1000', 'load 90');

# A busy machine may keep a run from making its load, which has no verdict then: it is run again.
sub made_by {
    my ($run) = @_;
    my $made;
    for (1 .. 5) {
        $made = $run->();
        last if $made->{out} !~ /: not known: .*(?:;\s+the\s+load\s+asked\s+for\s+was\s+not\s+made|\s+were\s+seen,\s+\d+\s+are\s+needed)[.]/s;
    }
    return $made;
}

# Runs a profile, and checks that nothing is left of what it made in its directory.
sub good_for { return judged_when_made(judging(@_)) }

sub judged_when_made {
    my ($judging) = @_;
    my @first = $judging;
    return made_by(sub { judged(shift @first // judging(@{ $judging->{args} })) });
}

# The answer, which is the first paragraph, in one line.
sub answer_of {
    my ($run) = @_;
    return (split /\n\n/, $run->{out})[0] =~ s/\n(?!\z)/ /gr;
}

sub judging {
    my ($profile, @args) = @_;
    my $dir = storage();
    mark("$dir");
    return { run => load_started("-good-for=$profile", @args, $dir), dir => $dir, name => "$profile @args", args => [ $profile, @args ] };
}

sub judged {
    my ($judging) = @_;
    my $run = finish($judging->{run});
    ok(is_used($judging->{dir}), "$judging->{name}: makes something");
    is_deeply([ glob "$judging->{dir}/* $judging->{dir}/.[!.]*" ], [], "$judging->{name}: leaves nothing");
    return $run;
}

# A profile may come through a pipe, and a signal ends the wait for it.
POSIX::mkfifo("$OWN/pipe", oct 600) or die "mkfifo: $!\n";
for my $writes (0, 1) {
    my $dir     = storage();
    my $waiting = load_started("-good-for=$OWN/pipe", '-wt=1', '-show-progress=false', $dir);
    wait_until('that it is open', sub { grep { (readlink // q{}) eq "$OWN/pipe" } glob "/proc/$waiting->{pid}/fd/*" });
    my $other_end;
    if ($writes) { open $other_end, '+<', "$OWN/pipe" or die "$OWN/pipe: $!\n" }
    kill TERM => $waiting->{pid};
    finish($waiting);
    is("$waiting->{status}$waiting->{out}$waiting->{err}", 'signal 15', 'a profile through a pipe ' . ($writes ? 'that somebody has open' : 'without a writer') . ': TERM ends it');
}

# Without a directory it is the working directory, which is named.
my $here = storage();
my $silent = bonload({ dir => "$here" }, '-good-for=' . own('small', @LOG), qw(-duration=1s -wps=9 --json));
my $named  = abs_path("$here");
like($silent->{err}, qr/\Abonload: no directory is given: \Q$named\E is judged\n/, 'without a directory: says which one');
is(JSON::PP::decode_json($silent->{out})->{good_for}{directory}, $named, 'so does JSON');

# Some runs last long, for a machine that is away for a while, and therefore go on at the same time.
# The pages of this one are overwritten; what becomes of it is checked below.
my $damaged_in = storage();
my $damaged    = load_started({}, '-good-for=' . own('reads', 'pages db 1MiB', 'request: read db 1'), qw(-wps=100 -duration=8s), $damaged_in);
my $file;
wait_until('its pages', sub { ($file) = grep { (-s $_ // 0) == 1 << 20 } glob "/proc/$damaged->{pid}/fd/*"; $file });
open my $pages, '+<', $file or die "$file: $!\n";
print {$pages} 'x' x (1 << 20);
close $pages or die "$file: $!\n";

# The verdict is about the load that the profile names, and no other. It needs 299 syncs.
my @judging = (
    judging(own('quick', @LOG, 'limit sync p99 1h'), qw(-duration=8s -wps=90)),
    judging(own('strict', @LOG, 'limit sync p99 1ns'), qw(-duration=8s)),
    judging(own('beside', @LOG[ 0, 1 ], 'pages db 1MiB', 'beside flush 10ms: write db 2; sync db', 'load 10', 'limit flush max 1ns'), qw(-duration=8s)),
);
my ($good, $bad, $beside) = map { judged_when_made($_) } @judging;
is($good->{status}, '0', 'good: exit status 0');
like(answer_of($good), qr{\Aquick: good: sync p99 \S+ [num]?s at 90 requests/s, limit 3600 s[.]\z}, 'the verdict is on top');
like($good->{out}, qr{\n\n {27}limit {5}found {2}between {14}at\nsync p99 +3600 s +\S+ [num]?s  \S+(?: [num]?s)? to \S+ [num]?s +90 requests/s\n\z}, 'and below it what was judged, in one table');
unlike($good->{out}, qr/^.{81}/m, 'in 80 columns');

($bad, $beside) = map { as_idle($_) } $bad, $beside;
is($bad->{status}, '2', 'not good: exit status 2');
like(answer_of($bad), qr{\Astrict: not good: sync p99 \S+ \S+ at (?:\S+ of )?90 requests/s, limit 1 ns[.]\z}, 'with what decides it');
like($bad->{out}, qr{^sync p99 +1 ns +\S+ \S+  \S+ \S+ (?:or more|to \S+ [num]?s) +(?:\S+ of 90|90 requests)/s$}m, 'and its interval');
unlike($bad->{out}, qr/search/, 'no search for more');

# 100 syncs are too few for a p99.
my $unknown = judged(judging(own('few', @LOG, 'limit sync p99 1h'), qw(-duration=1s -wps=100)));
is($unknown->{status}, '3', 'unknown: exit status 3');
like(answer_of($unknown), qr{\Afew: not known: \d+ syncs? (?:was|were) seen, 299 are needed[.]\z}, 'and why');
like($unknown->{out}, qr{^sync p99 +3600 s +(?:-|\S+ \S+) +(?:\S+ \S+ or more|-) }m, 'with its interval, which has no end');

my $figures = good_for(own('plain', @LOG[ 0, 1 ]), qw(-duration=1s -wt=2));
is($figures->{status}, '0', 'nothing to judge it by: exit status 0');
like(answer_of($figures), qr{\Aplain: no limit is published: \S+(?: k)? requests/s at 2 clients, p99 (?:-|\S+ \S+), sync p99 (?:-|\S+ \S+)[.]\z}, 'figures');
like($figures->{out}, qr{\n\n {26}number {7}p50 {7}p99 {7}max  at\nrequests +\d+ .*  2 clients\nsync +\d+ }, 'and a table of them');

# A limit may also be about work beside the requests.
like($beside->{out}, qr{\Abeside: not good: flush max }, 'a limit of what goes on beside');

# Where the root is no mount point, df does not know it.
my ($FILESYSTEM) = map { $_ eq '-' ? qr/./ : qr/\A\Q$_\E\z/ } qx(df --output=fstype '$STORAGE') =~ /\n(.+)\n/;

# ---- the programs' profiles -----------------------------------------------------------------------------
for my $profile (qw(etcd postgres mariadb redis maildir sqlite sqlite-journal)) {
    my $run = good_for($profile, qw(-duration=1s -wt=2 --json -verify=full));
    like($run->{status}, qr/\A[023]\z/, "$profile runs") or diag($run->{err});
    my $report = eval { JSON::PP::decode_json($run->{out}) } // {};
    is_deeply([ schema_errors($SCHEMA, $report) ], [], 'as the schema says');
    my ($answer) = @{ $report->{good_for}{profiles} // [] };
    is($answer->{name}, $profile, 'and says so in JSON');
    cmp_ok($answer->{loads}[0]{made} // 0, '>', 0, 'with requests');
    is($report->{damaged}, 0, 'no damage');
    like($report->{storage}{filesystem}, $FILESYSTEM, 'the filesystem is named');
    cmp_ok($report->{verified_bytes}, '>', 0, 'pages that were read were looked at') if $profile eq 'postgres';
}

# ---- storage that keeps nothing ------------------------------------------------------------------------------
# No load is needed to know that: the verdict is there at once, and the directory stays untouched.
sub keeps_nothing_ok {
    my ($dir, $what) = @_;
    my $run = bonload('-good-for=etcd', "$dir");
    like("$run->{status}$run->{err}", qr{\A2(?:bonload: \S+: not (?:good|known)[^\n]*\n)+\z}, "$what: exit status 2");
    like(answer_of($run), qr/\Aetcd: not good: nothing written here survives a crash [(]$what[)][.]\Z/, 'and says why');
    return;
}

SKIP: {
    skip 'this test may not mount', 34 if !Root::may_mount();
    my $memory = Root::tmpfs('size=256m');
    keeps_nothing_ok($memory, 'tmpfs');
    my $figures = bonload('-good-for=' . own('plain', @LOG[ 0, 1 ]), qw(-duration=1s -wt=2), "$memory");
    is($figures->{status}, '0', 'without limits: figures');
    like(answer_of($figures), qr/\Aplain: nothing written here survives a crash [(]tmpfs[)][.] plain: no limit is published: \d/, 'with that sentence above');
    my $json = bonload(qw(-good-for=redis --json), "-timeline-file=$OWN/memory.html", "$memory");
    is($json->{status}, '2', 'as JSON');
    is_deeply([ schema_errors($SCHEMA, eval { JSON::PP::decode_json($json->{out}) }) ], [], 'as the schema says');
    like(slurp("$OWN/memory.html"), qr/redis: not good; nothing written there survives a crash [(]tmpfs[)]/, 'and so says the page');
    is(bonload(qw(-good-for=etcd -wps=0), "$memory")->{status}, '1', 'what is refused stays so');

    for my $dir (map { BonnieRun::in_memory() ? Root::filesystem($_, 400) : () } qw(ext4 xfs btrfs)) {
        keeps_nothing_ok($dir, 'tmpfs below loop\d+');
    }
    my $barrier = Root::filesystem_on_disk([], 'ext4', 64, 'barrier=0');
    keeps_nothing_ok($barrier, '(?:barrier=0|nobarrier)') if $barrier;
SKIP: {
        skip 'there is no overlay', 16 if !Root::knows('overlay');
        mkdir "$STORAGE/$_" or die "$STORAGE/$_: $!\n" for qw(layers other);
        keeps_nothing_ok(Root::overlay("$STORAGE/layers", 'volatile'), '(?:fsync=)?volatile');
        keeps_nothing_ok(Root::overlay(), 'tmpfs below an overlay');
        keeps_nothing_ok(Root::overlay($barrier), '(?:barrier=0|nobarrier) below an overlay') if $barrier;
        my @small = (own('small', @LOG, 'limit sync max 1h'), qw(-wps=10 -duration=1s));
        my $over = Root::overlay("$STORAGE/other");
        my $seen = made_by(sub { bonload("-good-for=$small[0]", @small[ 1, 2 ], "$over") });
        is($seen->{status}, '0', 'an overlay of such storage is judged') or diag($seen->{out}, $seen->{err});
        unlike($seen->{out}, qr/survives/, 'without a word');
        # In other mounts the path of the upper layer leads elsewhere.
        for my $elsewhere ('true', "mkdir '$STORAGE/other/upper'") {
            my @apart = (qw(unshare --mount -- sh -c), "mount -t tmpfs none '$STORAGE/other' && $elsewhere && exec \"\$0\" \"\$@\"");
            my $hidden_page = "$OWN/hidden.html";
            my $hidden = made_by(sub { bonload({ wrap => \@apart }, "-good-for=$small[0]", @small[ 1, 2 ], "-timeline-file=$hidden_page", "$over") });
            is($hidden->{status}, '0', 'as is one whose layers cannot be seen') or diag($hidden->{out}, $hidden->{err});
            like($hidden->{out}, qr/\Asmall: good: .*\nWhether it survives a crash is not known: what is below this overlay cannot be seen from here[.]\n/, 'with a line that says so');
            like(slurp($hidden_page), qr/small: good, [^;]*; whether it survives a crash is not known [(]overlay[)]/, 'as the page does');
        }
    }
}

# ---- the page -----------------------------------------------------------------------------------------
my $page = "$OWN/page.html";
my $drawn = good_for(own('judged', @LOG, 'limit sync max 1h'), qw(-duration=1s -wps=90), "-timeline-file=$page");
is("$drawn->{status}$drawn->{err}", '0', '-timeline-file');
my $html = -e $page ? slurp($page) : q{};
like($html, qr{<p class="headline">judged: good, sync max \d[^<]* at 90 requests/s [(]limit 3,600\xC2\xA0s[)][.]<}, 'the page begins with the verdict, the figure and its limit');
like($html, qr{<path class="better".*>limit</text>}s, 'draws the one against the other');
like($html, qr/What was judged, and by which limit/, 'and has the table');

# ---- what the storage is asked to do -----------------------------------------------------------------------
# The calls of one request, and those of the work beside the requests, as docs/profiles.md lists
# them for the real programs. One thread makes exactly these, again and again.
my $PAGE  = 'pwrite64 4096;';
my $BLOCK = 'pwrite64 16384;';
my %CALLS = (
    etcd     => [ qr/write 1392;fdatasync;/, qr/(?:$PAGE){13}fdatasync;${PAGE}fdatasync;/ ],
    postgres => [ qr/(?:pread64 8192;){2}pwrite64 (?:8192|16384);fdatasync;/, qr/(?:pwrite64 8192;sync_file_range;){10}/ ],
    mariadb  => [ qr/pwrite64 (?:8192|12288);fdatasync;/, qr/pwrite64 1048576;fdatasync;(?:$BLOCK){64}fdatasync;/ ],
    redis    => [ qr/write \d+;/, qr/fdatasync;/ ], # records that came during a sync go together
    maildir  => [ qr/creat;write 5437;fsync;renameat;open;fsync;/ ],
    sqlite   => [ qr/(?:pwrite64 24;${PAGE}fdatasync;){1000}(?:fdatasync;(?:$PAGE){460}fdatasync;pwrite64 32;fdatasync;)|pwrite64 24;${PAGE}fdatasync;/ ],
    'sqlite-journal' => [ qr/creat;pwrite64 512;(?:pwrite64 4;${PAGE}pwrite64 4;){2}fdatasync;open;fdatasync;pwrite64 12;fdatasync;(?:$PAGE){2}fdatasync;unlinkat;/ ],
);

# The calls of each thread: { thread => "write 1392;fdatasync;..." }.
sub calls_of_threads {
    my ($trace) = @_;
    my %calls;
    for my $call (Trace::calls($trace)) {
        my ($name, $args) = @{$call}{qw(name args)};
        my ($bytes) = $args =~ /, ""(?:[.]{3})?, (\d+)/;
        next if $name eq 'write'     && $args !~ /\A\d+<[^>]*(?:bonload[.][0-9a-f]{16}|#\d+)/; # not one of the profile's files
        next if $name =~ /\Aopenat/ && $args !~ /bonload[.][0-9a-f]{16}/;
        $name = $args =~ /O_CREAT/ ? 'creat' : 'open' if $name =~ /\Aopenat/;
        $calls{ $call->{pid} } .= $name . ($bytes ? " $bytes" : q{}) . ';';
    }
    return \%calls;
}

for my $profile (sort keys %CALLS) {
SKIP: {
        skip 'strace cannot trace here', 2 if !can_trace();
        my ($dir, $where) = (scratch(), storage());
        my @wrap = (qw(strace -f -qq -y -s0 -e), 'trace=openat,openat2,write,pwrite64,pread64,fsync,fdatasync,sync_file_range,renameat,unlinkat', '-o', "$dir/trace", '--');
        my $run = bonload({ wrap => \@wrap }, "-good-for=$profile", qw(-wt=1 -warmup=0s -duration=2500ms), $where);
        like($run->{status}, qr/\A[023]\z/, "$profile, traced") or diag($run->{err});
        my $calls = calls_of_threads("$dir/trace");
        for my $pattern (@{ $CALLS{$profile} }) {
            my ($found) = grep { ($calls->{$_} =~ s/\G(?:$pattern)//gr) eq q{} } keys %{$calls};
            ok($found, "$profile: a thread makes the calls $pattern") or diag(map { my $other = $calls->{$_} =~ s/(?:$pattern)+/(as expected) /gr; "$_: " . substr($other, 0, 300) . "\n" } sort keys %{$calls});
        }
    }
}

# ---- work under way at the end of the load counts, and so does load that was not made ------------------------
# Calls of the storage take so long, from the third of a thread on. What makes the files calls fsync.
sub delayed {
    my ($call, $delay, $from, $profile, @args) = @_;
    my ($dir, $log) = (storage(), scratch());
    my @wrap = (qw(strace -f -qq --seccomp-bpf -o), "$log/trace", "-etrace=$call", "-einject=$call:delay_enter=$delay:when=$from+", '--');
    return { run => load_started({ wrap => \@wrap }, "-good-for=$profile", '-warmup=0s', @args, $dir), dir => $dir, kept => $log };
}

# Redis writes nothing while a sync is under way, for two seconds at most: what came meanwhile goes with one write.
SKIP: {
    skip 'strace cannot trace here', 3 if !can_trace();
    my ($dir, $where) = (scratch(), storage());
    my @wrap = (qw(strace -f -qq --seccomp-bpf -e), 'trace=write,fdatasync', '-e', 'inject=fdatasync:delay_enter=1500ms:when=2', '-o', "$dir/trace", '--');
    my ($run, @sizes);
    for (1 .. 5) { # on a busy machine there may be only one sync
        $run = bonload({ wrap => \@wrap }, qw(-good-for=redis -wps=100 -warmup=0s -duration=4s), $where);
        @sizes = map { $_->{args} =~ /, (\d+)\z/ && $1 % 144 == 0 ? $1 : () } grep { $_->{name} eq 'write' } Trace::calls("$dir/trace");
        last if grep { $_ >= 10 * 144 } @sizes;
    }
    like($run->{status}, qr/\A[023]\z/, 'redis, and a slow sync') or diag($run->{err});
    ok((grep { $_ == 144 } @sizes),        'a write for a record');
    ok((grep { $_ >= 10 * 144 } @sizes), 'and one for all that came during the sync') or diag("@sizes");
}

SKIP: {
    skip 'strace cannot trace here', 19 if !can_trace();
    my @hanging = (qw(-duration=3s -max-latency=max:2s -wt=1));
    my %hangs = (
        'redis'                => delayed('fdatasync', '5s', 3, 'redis', '-duration=4s'),
        'an own profile'       => delayed('fdatasync', '5s', 3, own('beside', @LOG[ 0, 1 ], 'pages db 1MiB', 'beside flush 5ms: write db 1; sync db', 'limit flush max 2s'), qw(-duration=3s -wt=1)),
        "etcd's backend"       => delayed('fdatasync', '5s', 3, 'etcd', qw(-duration=3s -wps=1)),
        'an own sync'          => delayed('fdatasync', '5s', 3, own('synced', 'pages db 1MiB', 'request: write db 1; sync db', 'limit sync max 2s'), qw(-duration=3s -wt=1)),
        (map { $_ => delayed('fdatasync', '5s', 3, $_, @hanging) } qw(postgres mariadb)),
        maildir                => delayed('fsync', '5s', 3, 'maildir', @hanging),
    );
    for my $name (sort keys %hangs) {
        my $run = as_idle(finish($hangs{$name}{run}));
        like("$run->{status}$run->{err}", qr{\A2(?:bonload: \S+: not (?:good|known)[^\n]*\n)+\z}, "$name, and a sync that hangs: not good");
        like(answer_of($run), qr/\A\S+: not good: .* \S+ s at /, 'and says for how long');
    }
    my @slow = ('fdatasync', '20ms', 1, own('much', @LOG[ 0, 1 ], 'load 5000', 'limit sync max 1h'), qw(-max-channels=4 -duration=1s));
    my $less = finish(delayed(@slow)->{run});
    is($less->{status}, '3', 'four channels do not make 5000/s: unknown');
    like(answer_of($less), qr{\Amuch: not known: sync max \S+ \S+ at \S+ of 5000 requests/s, limit 3600 s; the load asked for was not made[.]\z}, 'and names the load that was made');
    my $broken = as_idle(finish(delayed(@slow, '-max-latency=max:1ms')->{run}));
    is($broken->{status}, '2', 'a limit that is broken at less load is broken');
    like(answer_of($broken), qr{\Amuch: not good: sync max \S+ \S+ at \S+ of 5000 requests/s, limit 1[.]00 ms[.]\z}, 'and names that load, too');
}

# ---- what is read is looked at -----------------------------------------------------------------------------
finish($damaged);
is($damaged->{status}, '1', 'damage: exit status 1');
like($damaged->{err}, qr/something other than what was written: \d+ damaged reads/, 'and says so');
is($damaged->{out}, q{}, 'no verdict on storage that is damaged');
is_deeply([ glob "$damaged_in/*" ], [], 'nothing is left');

# Several clients write the pages that others read.
for my $write ('write db 2', 'write-run db 4') {
    my $run = good_for(own('crowded', 'pages db 64KiB', "request: $write; read db 1"), qw(-wt=8 -duration=2s));
    is($run->{status}, '0', "$write: pages in motion are not damaged") or diag $run->{err};
}

# Files that steps create, write, rename and remove, one request at a time; and what each hundredth request does.
for my $clients (1, 8) {
    my $run = good_for(own('steps', 'file new 64KiB', 'file kept 64KiB', 'pages db 64KiB', 'every flush 10: write db 3; sync db; put kept 0 32; sync-all kept',
            'request: create new; put new next 24; put new next 4096; put new 0 12; sync new; rename new kept; sync-dir'), "-wt=$clients", qw(-duration=1s));
    is("$run->{status}$run->{err}", '0', "steps with files, $clients clients");
    my ($flushes, $requests) = map { $run->{out} =~ /^$_ +(\d+) /m ? $1 : 0 } qw(flush requests);
    cmp_ok($requests, '>', 10, 'requests are made');
    cmp_ok($flushes, '>=', int($requests / 10), 'and each tenth does more') or diag($run->{out});
    cmp_ok($flushes, '<=', $requests / 10 + $clients + 1, 'and no other');
}

# ---- no room, signals, wrong use ---------------------------------------------------------------------------
for my $case (
    [ ['-good-for=nix'],                              qr/there is no profile 'nix'/ ],
    [ [qw(-good-for=etcd -max-latency=20ms)],         qr/-max-latency: with -good-for/ ],
    [ [qw(-good-for=etcd -requests-engine=null)],     qr/cannot be combined/ ],
    [ [qw(-good-for=etcd -wps=5 -wt=5)],              qr/cannot be combined/ ],
    (map { [ [ '-good-for=redis', $_ ], qr/cannot be combined with .*-live-file, -hgrm/ ] } qw(-live-file=x -hgrm=x -stop-on-bad-rate -ramp=1..9/3s -load-file=x -rpw=2)),
    [ [qw(-good-for=redis -fail-above=max:1ns)],      qr/-good-for has limits of its own, and cannot be combined with -fail-above; -max-latency=/ ],
    [ [qw(-good-for=etcd -wps=0)],                    qr/the load must be above 0/ ],
    [ [qw(-requests-engine=profile -wt=1)],           qr/-requests-engine: 'profile' is not accepted/ ],
    [ [ '-good-for=' . own('bad', 'log wal 16MiB', 'request: commit wall 100') ], qr/line 3 of the profile: expected up to 32 of/ ],
    [ [ '-good-for=' . own('raw', "log w\e[2Jal 16MiB preallocated") ],           qr/line \d of the profile: expected words of UTF-8, without control characters/ ],
    [ [ '-good-for=' . own('twice', @LOG, 'request: sync wal') ],                 qr/line 5 of the profile: expected name NAME, .* one request: STEP/ ],
    [ [ '-good-for=' . own('same', @LOG, 'pages wal 1MiB') ],                     qr/line 5 of the profile: expected a name that no other file has/ ],
    (map { [ [ '-good-for=' . own('steps', 'file new 64KiB', 'mailbox mail 1KiB', "request: $_") ], qr/line 4 of the profile: expected up to 32 of/ ] }
        'put new 65KiB 1', 'put new 64KiB 1', 'put new next 65KiB', 'put new next', 'put new', 'put mail next 1', 'create new 1', 'rename new new', 'rename new mail', 'rename new', 'sync-dir new', 'remove',
        join q{;}, ('sync new') x 33),
    [ [ '-good-for=' . own('never', 'file new 64KiB', 'every flush 0: sync new') ], qr/line 3 of the profile: expected beside NAME PERIOD: .*, or every NAME REQUESTS: / ],
    [ [ '-good-for=' . own('empty') ],                qr/has no line: request:/ ],
  )
{
    my ($args, $said) = @{$case};
    my $dir = scratch();
    my $run = bonload(@{$args}, $dir);
    is("$run->{status}$run->{out}", '1', "@{$args}: refused");
    like($run->{err}, qr/\Abonload: [^\n]*$said[^\n]*\n\z/, 'in one line');
    is_deeply([ glob "$dir/*" ], [], 'nothing is left');
}
is(bonload(qw(-good-for=etcd /nowhere/at/all))->{status}, '1', 'a directory that is not there');

# Others who take the CPUs make good storage look bad, and never bad storage good.
my @others;
chomp(my $cpus = `nproc`);
for (1 .. 4 * $cpus) {
    my $pid = fork // die "fork: $!\n";
    exec $^X, '-e', 'alarm 100; 1 while 1' or POSIX::_exit(1) if !$pid;
    push @others, $pid;
}
my $slow = good_for(own('slow', @LOG, 'limit sync max 1ns'), qw(-duration=1s -wps=100), "-timeline-file=$OWN/busy.html");
my $fast = good_for(own('fast', @LOG, 'limit sync max 1h'),  qw(-duration=1s -wps=100));
kill KILL => @others;
waitpid $_, 0 for @others;
my $BUSY = qr/busy: others used \d+ % (?:and the host took \d+ % )?of \d+ CPUs? \(busy from 25 %\)/;
is($slow->{status}, '3', 'a limit that is broken on a busy machine: not known') or diag($slow->{err});
like(answer_of($slow), qr/\Aslow: not known: sync max .*, limit 1 ns; the machine was $BUSY.*[.]\z/, 'and says what others did');
like(slurp("$OWN/busy.html"), qr{<header>\n<p class="warning">The machine was $BUSY}, 'and the page, above all');
is($fast->{status}, '0', 'a limit that is kept there is kept');

for my $signal (qw(INT TERM)) {
    my $dir = storage();
    my $run = load_started(qw(-good-for=etcd -duration=1000s -wps=50), $dir);
    wait_until('its hundreds of threads, which make the load', sub { slurp("/proc/$run->{pid}/status") =~ /^Threads:\s+\d{3}/m });
    wait_until_working($run->{pid});
    cmp_ok(scalar(() = glob "$dir/bonload.*"), '>', 0, "$signal: it has made something");
    kill $signal => $run->{pid};
    finish($run);
    is($run->{status}, 'signal ' . ($signal eq 'INT' ? 2 : 15), "$signal: it ends by it");
    is($run->{err}, "bonload: stopped before anything could be judged\n", "$signal: and says so");
    is_deeply([ glob "$dir/*" ], [], "$signal: nothing is left");
}

# ---- what a killed run leaves ------------------------------------------------------------------------

subtest 'a killed run' => sub {
    my $left = BonnieRun::scratch();
    my $run  = BonnieRun::start({ program => 'bonload' }, '-good-for=maildir', '-duration=1000s', $left);
    BonnieRun::wait_until('messages', sub { grep {m{/new/}} BonnieRun::tree($left) });
    kill KILL => $run->{pid};
    BonnieRun::finish($run);
    BonnieRun::wait_until_closed($left);
    my ($name) = BonnieRun::tree($left);
    $run = bonload('-cleanup', $left);
    is("$run->{status}$run->{err}", '0', '-cleanup works');
    is($run->{out}, "removed $left/$name\n", 'and says what it removed');
    is_deeply([ BonnieRun::tree($left) ], [], 'nothing is left');
    BonnieRun::refused_ok(bonload('-cleanup', "$left/XXXX"), qr{-cleanup: '\Q$left\E/XXXX' is not a directory; expected the one with what killed runs left, and no template$}, 'a template');
};

BonnieRun::refused_ok(bonload(qw(-good-for=etcd -duration=1s -trust-directory), storage()), qr/root trusts no directory; use -u USER\n\z/, '-trust-directory is not for root')
    if $> == 0;

done_testing();
