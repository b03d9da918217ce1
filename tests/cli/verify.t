#!/usr/bin/perl
# --verify: whatever damage the storage does to the data is found, counted and named, in every test that
# reads and with every engine; and none is found where there is none. The test does the damage itself,
# to the nameless files of the running program, while that waits at a prompt.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Fcntl      qw(SEEK_SET);
use IO::Handle ();
use List::Util qw(shuffle);
use POSIX      ();
use Test::More;
use BonnieRun  qw(@BLOCK_TESTS bonnie csv_of engines finish refused_ok scratch scratch_on_disk start takes_direct tree wait_until);
use RunProgram qw(slurp);
use Trace      qw(%TITLE);

my $UNIT   = 4096;
my $dir    = scratch();
my $disk   = scratch_on_disk();
my $direct = takes_direct($disk);
my $ALL    = '--tests=' . join q{,}, @BLOCK_TESTS;
my %usable = map { $_ => 1 } engines();
my @ENGINES = map { [ "--engine=$_", $_ eq 'sync' ? () : '--iodepth=64' ] } grep { $usable{$_} } qw(sync libaio io_uring);

# The same blocks are damaged in the same way every time.
srand 20;

# Runs these tests, each of which begins when what $at has for it was done to the data files: those of
# so many bytes, in their order.
sub run_damaged {
    my ($at, $bytes, $tests, @options) = @_;
    my $kept = scratch();
    POSIX::mkfifo("$kept/keys", oct 600) or die "$kept/keys: $!\n";
    my $where = (grep {/\A-D\z/} @options) ? $disk : $dir;
    my $run = start({ in => "$kept/keys" }, '-d', $where, qw(-r0 -q -n0 -yp), '--tests=' . join(q{,}, @{$tests}), @options);
    local $SIG{PIPE} = 'IGNORE';
    open my $keys, '>', "$kept/keys" or die "$kept/keys: $!\n";
    $keys->autoflush;
    for my $test (@{$tests}) {
        my $asked = qr/Press Enter to start \Q$TITLE{$test}\E: /;
        wait_until("the prompt of $test", sub { slurp($run->{err_file}) =~ $asked || !readlink "/proc/$run->{pid}/exe" });
        $at->{$test}->(data_files($run->{pid}, $bytes)) if $at->{$test};
        print {$keys} "\n";
    }
    finish($run);
    is_deeply([ tree($where) ], [], 'nothing is left');
    return $run;
}

# The second word of a file's first stamp is its number.
sub data_files {
    my ($pid, $bytes) = @_;
    my (%seen, @files);
    for my $name (glob "/proc/$pid/fd/*") {
        next if !-f $name || -s _ != $bytes || $seen{ (stat _)[1] }++;
        open my $file, '+<:raw', $name or die "$name: $!\n";
        my %file = (handle => $file, bytes => read_file($file, $bytes));
        $file{number} = unpack 'x8Q', $file{bytes};
        push @files, \%file;
    }
    my @sorted = sort { $a->{number} <=> $b->{number} } @files;
    return @sorted;
}

sub read_file {
    my ($file, $bytes) = @_;
    my $text;
    sysseek $file, 0, SEEK_SET or die "seek: $!\n";
    (sysread($file, $text, $bytes) // 0) == $bytes or die "read: $!\n";
    return $text;
}

# Replaces these units of a file by what $change makes of each.
sub damage {
    my ($file, $units, $change, $size) = @_;
    $size //= $UNIT;
    for my $number (@{$units}) {
        my $unit = $change->(substr($file->{bytes}, $number * $size, $size), $number);
        sysseek $file->{handle}, $number * $size, SEEK_SET or die "seek: $!\n";
        (syswrite($file->{handle}, $unit) // 0) == length $unit or die "write: $!\n";
    }
    $file->{handle}->sync or die "fsync: $!\n";
    return;
}

sub some_units {
    my ($count, $of) = @_;
    return [ (shuffle(0 .. $of - 1))[ 0 .. $count - 1 ] ];
}

# What the program says of a test: {named => [[file, offset, what]], count => in all, sum => of the run}.
sub told {
    my ($run, $test) = @_;
    my %told = (named => [], sum => $run->{err} =~ /^bonnie: the storage returned something else than was written: (\d+) damaged places?\n\z/m ? $1 : 0);
    while ($run->{err} =~ /bonnie: $test: data file (\d+) in \S+ at (\d+): (.*)$/mg) {
        push @{ $told{named} }, [ $1, $2, $3 ];
    }
    $told{count} = $run->{err} =~ /bonnie: $test: (\d+) damaged places in all$/m ? $1 : @{ $told{named} };
    return \%told;
}

# Exactly these units were found, the first of them named in these words, and the report is printed.
sub found_ok {
    my ($run, $test, $units, $words, $size) = @_;
    my $told = told($run, $test);
    $size //= $UNIT;
    is($run->{status}, 1, 'exit status 1');
    is($told->{count}, scalar @{$units}, "$test: found as many as there are");
    is($told->{sum},   scalar @{$units}, 'which the last line says');
    my @named = @{ $told->{named} };
    is(scalar @named, @{$units} < 8 ? scalar @{$units} : 8, 'the first of them by name');
    my %damaged = map { $_ * $size => 1 } @{$units};
    my %named   = map { ("$_->[0] $_->[1]" => 1) } grep { $damaged{ $_->[1] } } @named;
    is(scalar(keys %named), scalar @named, 'each at its place');
    my @other = grep { $_->[2] !~ (ref $words eq 'CODE' ? $words->($_->[1]) : qr/\A$words\z/) } @named;
    is_deeply(\@other, [], 'in the right words');
    like(csv_of($run)->{$test}, qr/\A[\d.+]+\z/, 'and its figure is printed all the same') if $test ne 'iops';
    return;
}

sub sound_ok {
    my ($run, $name) = @_;
    return is("$run->{status}" . ($run->{err} =~ /(bonnie: .*)/ ? $1 : q{}), '0', $name);
}

sub flip {
    my ($unit, $byte) = @_;
    substr($unit, $byte, 1) ^= chr(1 << int rand 8);
    return $unit;
}

# What becomes of a unit: [kind, modes that find it, how, words]. `old` is the file as it was before it
# was rewritten; generation 1.0 follows that.
my $NOW  = qr/generation 1\.0 expected/;
my $OLD  = sub { my ($file, $number) = @_; return substr $file->{old}, $number * $UNIT, $UNIT };
my $FROM = sub { my ($file, $number) = @_; return ($number + 7) % (length($file->{bytes}) / $UNIT) };
my @KINDS = (
    [ 'a bit of the stamp', 'stamp', sub { flip($_[1], int rand 40) }, qr/flipped: $NOW, changed bytes found/ ],
    [ 'a bit of the check word', 'stamp', sub { flip($_[1], 4088 + int rand 8) }, qr/flipped: $NOW, changed bytes found/ ],
    [ 'a bit anywhere', 'full', sub { flip($_[1], int rand 4096) }, qr/flipped: $NOW, changed bytes found/ ],
    [ 'stale', 'stamp', sub { $OLD->($_[0], $_[2]) }, qr/stale: $NOW, generation 0\.0 found/ ],
    [ 'torn at the start', 'stamp', sub {
            my $bytes = 512 * (1 + int rand 7);
            return substr($OLD->($_[0], $_[2]), 0, $bytes) . substr $_[1], $bytes;
    }, qr/torn: $NOW, parts of another write found/ ],
    [ 'torn at the end', 'stamp', sub {
            my $bytes = 512 * (1 + int rand 7);
            return substr($_[1], 0, $bytes) . substr $OLD->($_[0], $_[2]), $bytes;
    }, qr/torn: $NOW, parts of another write found/ ],
    [ 'torn in the middle', 'full', sub {
            my $sector = 512 * (1 + int rand 6);
            return substr($_[1], 0, $sector) . substr($OLD->($_[0], $_[2]), $sector, 512) . substr $_[1], $sector + 512;
    }, qr/torn: $NOW, parts of another write found/ ],
    [ 'half written', 'stamp', sub { substr($_[1], 0, 2048) . "\0" x 2048 }, qr/torn: $NOW, parts of another write found/ ],
    [ 'misplaced', 'stamp', sub { substr $_[0]{bytes}, $UNIT * $FROM->($_[0], $_[2]), $UNIT }, sub {
            my ($offset) = @_;
            my $from = $UNIT * $FROM->({ bytes => "\0" x (8 << 20) }, $offset / $UNIT);
            return qr/\Amisplaced: $NOW, what belongs into data file 0 at $from found\z/;
    } ],
    [ 'zeroed', 'stamp', sub { "\0" x $UNIT }, qr/zeroed: $NOW, zeros found/ ],
);

# Damages 1000 units of 2048 after they were rewritten.
sub damage_before_get_block {
    my ($units, $how, @options) = @_;
    my $old;
    return run_damaged({
        rewrite   => sub { $old = $_[0]{bytes} },
        get_block => sub { my ($file) = @_; $file->{old} = $old; damage($file, $units, sub { $how->($file, @_) }) },
    }, 8 << 20, [qw(put_block rewrite get_block)], '-s8', @options);
}

for my $kind (@KINDS) {
    my ($name, $mode, $how, $words) = @{$kind};
    for my $engine (@ENGINES) {
        subtest "$name: @{$engine}" => sub {
            my $units = some_units(1000, 2048);
            my @verify = $mode eq 'full' ? '--verify=full' : ();
            found_ok(damage_before_get_block($units, $how, '--cache=keep', @{$engine}, @verify), 'get_block', $units, $words);
        };
    }
    next if $mode eq 'stamp';
    subtest "$name: --verify=stamp" => sub {
        my $how_inside = $name =~ /bit/ ? sub { flip($_[1], 40 + int rand 4000) } : $how;
        sound_ok(damage_before_get_block(some_units(1000, 2048), $how_inside, qw(--cache=keep --verify=stamp)), 'is not what it looks at');
    };
}

subtest 'one at a time, in order' => sub {
    my $units = [ 5, 17, 2047 ];
    my $run   = damage_before_get_block($units, sub { "\0" x $UNIT }, '--cache=keep');
    is_deeply([ map { $_->[1] / $UNIT } @{ told($run, 'get_block')->{named} } ], $units, 'three of them, from the first to the last');
    unlike($run->{err}, qr/in all/, 'with no need for a sum');
    is(told($run, 'get_block')->{sum}, 3, 'but for that of the run');
};

subtest '--verify=off' => sub {
    sound_ok(damage_before_get_block(some_units(1000, 2048), sub { "\0" x $UNIT }, qw(--cache=keep --verify=off), @{$_}), "@{$_}: nothing is found") for @ENGINES;
};

subtest 'caches are emptied before' => sub {
    my $units = some_units(1000, 2048);
    found_ok(damage_before_get_block($units, $KINDS[0][2], '--cache=evict'), 'get_block', $units, $KINDS[0][3]);
};

SKIP: {
    skip 'no O_DIRECT here', scalar @ENGINES if !$direct;
    for my $engine (@ENGINES) {
        subtest "-D @{$engine}" => sub {
            my $units = some_units(1000, 2048);
            found_ok(damage_before_get_block($units, sub { flip($_[1], int rand 4096) }, @{$engine}, qw(-D --verify=full)), 'get_block', $units, $KINDS[2][3]);
        };
    }
}

subtest 'several files' => sub {
    my $run = run_damaged({ get_block => sub {
                my ($first, $second) = @_;
                is($second->{number}, 1, 'two of them');
                my $other = $first->{bytes};
                damage($second, [ 3, 4 ], sub { substr $other, $_[1] * $UNIT, $UNIT });
    } }, 4 << 20, [qw(put_block get_block)], qw(-s8 -c2 --cache=keep));
    is_deeply([ map { "@{$_}" } @{ told($run, 'get_block')->{named} } ],
        [ map { my $at = $_ * $UNIT; "1 $at misplaced: generation 0.0 expected, what belongs into data file 0 at $at found" } 3, 4 ],
        'what belongs into one and is in the other');
};

# [what, bytes, its unit, how, options]
for my $case (
    [ 'chunks that are no multiple of a unit', 1_024_000, 512, sub { flip($_[0], int rand 512) }, qw(-s1000k:1000 --verify=full) ],
    [ 'contents that compress', 2 << 20, 4096, sub { flip($_[0], int rand 4096) }, qw(-s2 --data=compress=25 --verify=full) ],
    [ 'zeros',  2 << 20, 4096, sub { flip($_[0], int rand 4096) }, qw(-s2 --data=zero --verify=full) ],
    [ 'zeros, the stamp alone', 2 << 20, 4096, sub { flip($_[0], int rand 40) }, qw(-s2 --data=zero --verify=stamp) ],
) {
    my ($name, $bytes, $unit, $how, @options) = @{$case};
    subtest $name => sub {
        my $units = some_units(300, int($bytes / $unit));
        my $run = run_damaged({ get_block => sub { damage($_[0], $units, $how, $unit) } }, $bytes, [qw(put_block get_block)], '--cache=keep', @options);
        is($run->{status}, 1, 'exit status 1');
        is(told($run, 'get_block')->{count}, 300, 'found as many as there are');
        is((grep { $_->[2] !~ /\Aflipped: generation 0\.0 expected, changed bytes found\z/ } @{ told($run, 'get_block')->{named} }), 0, 'in the right words');
    };
}

subtest 'every test that reads' => sub {
    for my $engine (@ENGINES) {
        # Rewriting finds it, and mends it.
        my $units = some_units(100, 256);
        my $run = run_damaged({ rewrite => sub { damage($_[0], $units, sub { "\0" x $UNIT }) } }, 1 << 20,
            [qw(put_block rewrite get_block)], qw(-s1:4k --cache=keep), @{$engine});
        found_ok($run, 'rewrite', $units, qr/zeroed: generation 0\.0 expected, zeros found/);
        is(told($run, 'get_block')->{count}, 0, 'what was rewritten is sound');

        # Others go to a place several times.
        my %damaged = map { $_ * $UNIT => 1 } @{$units};
        for my $test (qw(seeks iops)) {
            $run = run_damaged({ $test => sub { damage($_[0], $units, sub { flip($_[0], int rand 4096) }) } }, 1 << 20,
                [ 'put_block', $test ], qw(-s1:4k:5000:3 --iops-writes=0 --iops-duration=0.5 --cache=keep --verify=full), @{$engine});
            my $told = told($run, $test);
            is($run->{status}, 1, "@{$engine}, $test: exit status 1");
            cmp_ok($told->{count}, '>=', 10, 'damage is found');
            is($told->{sum}, $told->{count}, 'and counted');
            is((grep { $damaged{ $_->[1] } } @{ $told->{named} }), 8, 'where it is');
            like($_->[2], qr/\Aflipped: generation 0\.\d+ expected, changed bytes found\z/, 'in words') for @{ $told->{named} };
        }
    }
};

subtest 'iops in sectors' => sub {
    my $units = some_units(50, 128);
    my $run = run_damaged({ iops => sub { damage($_[0], $units, sub { "\0" x 512 }, 512) } }, 64 << 10,
        [qw(put_block iops)], qw(-s64k --iops-block=512 --iops-writes=0 --iops-duration=0.5 --cache=keep));
    my %damaged = map { $_ * 512 => 1 } @{$units};
    is($run->{status}, 1, 'exit status 1');
    is((grep { $damaged{ $_->[1] } && $_->[2] =~ /\Azeroed: / } @{ told($run, 'iops')->{named} }), 8, 'each sector is looked at');
};

subtest 'lost changes' => sub {
    # What the seeks have changed is undone before iops reads it.
    my ($old, $changed);
    my $undo = sub {
        my ($file) = @_;
        my @units = grep { substr($old, $_ * $UNIT, $UNIT) ne substr $file->{bytes}, $_ * $UNIT, $UNIT } 0 .. 255;
        $changed = { map { $_ * $UNIT => 1 } @units };
        damage($file, \@units, sub { substr $old, $_[1] * $UNIT, $UNIT });
    };
    my $run = run_damaged({ seeks => sub { $old = $_[0]{bytes} }, iops => $undo }, 1 << 20,
        [qw(put_block rewrite seeks iops)], qw(-s1:4k:1000:2 --cache=keep --iops-writes=0 --iops-duration=0.3));
    my @named = @{ told($run, 'iops')->{named} };
    cmp_ok(scalar(keys %{$changed}), '>', 20, 'the seeks change many places');
    is($run->{status}, 1, 'exit status 1');
    is((grep { $changed->{ $_->[1] } && $_->[2] =~ /\Astale: generation 1\.[1-9]\d* expected, generation 1\.0 found\z/ } @named), 8, 'iops finds that they were lost');
};

subtest 'the report is written' => sub {
    my $kept = scratch();
    my $units = some_units(10, 256);
    my $run = run_damaged({ get_block => sub { damage($_[0], $units, sub { "\0" x $UNIT }) } }, 1 << 20, [qw(put_block get_block)],
        qw(-s1 --cache=keep), "--output=$kept/report");
    is($run->{status}, 1, 'exit status 1');
    like(-e "$kept/report" ? slurp("$kept/report") : 'no file', qr/^1\.98,/m, 'to its file too');
};

# Many collisions: few blocks, many in flight, many writers and readers.
my $runs = $ENV{BONNIE_TEST_LONG} ? 100 : 20;
for my $engine (@ENGINES, ['--engine=sync', '-b']) {
    subtest "no damage: @{$engine}" => sub {
        # [part of the runs, options]
        for my $case ([ 2, qw(-s256k:4k:3000:4 -c2) ], [ 4, qw(-s64k:8k:1000:3 -c3 --iops-block=512) ], [ 4, qw(-s64k:1k:1000:3 --iops-block=12k) ]) {
            my ($part, @options) = @{$case};
            my $run = bonnie('-d', $dir, qw(-r0 -q -n0 --verify=full --cache=keep --iops-duration=0.02 --iops-writes=50), $ALL,
                '-x' . $runs / $part, @{$engine}, @options);
            sound_ok($run, "@options");
            is(scalar(() = $run->{out} =~ /^1\.98,/mg), $runs / $part, 'so many runs');
        }
    SKIP: {
            skip 'no O_DIRECT here', 1 if !$direct;
            my $run = bonnie('-d', $disk, qw(-r0 -q -n0 -D --verify=full --cache=keep --iops-duration=0.05 --iops-writes=50 -s256k:4k:300:3 -c2),
                $ALL, '-x' . $runs / 5, @{$engine});
            sound_ok($run, '-D');
        }
    };
}

# The engine null stores nothing, and so has nothing to verify. What it does to transfers is for the rest
# of the program to bear.
sub null {
    my ($test, $word, @options) = @_;
    return bonnie('-d', $dir, qw(-r0 -q -n0 -s1:4k:200:2 --engine=null --cache=keep --iops-duration=0.05), "--tests=$test", "--null=$word", @options);
}

subtest 'null' => sub {
    for my $test (@BLOCK_TESTS) {
        sound_ok(null($test, 'corrupt=5', '--verify=full'), "$test: what was never written is not verified");
        sound_ok(null($test, 'short=5'), "$test: a short transfer is no failure");
        sound_ok(null($test, 'short=1', '--iodepth=1'), "$test: nor is the first");
        for my $depth (qw(--iodepth=1 --iodepth=64)) {
            my $verb = $test eq 'put_block' ? 'write' : $test eq 'get_block' ? 'read' : qr/(?:read|write)/;
            refused_ok(null($test, 'fail=9', $depth), qr/\Abonnie: $verb data file 0 in \Q$dir\E at \d+: Input\/output error$/, "$test $depth: a failed transfer");
        }
        my $csv = csv_of(null($test, 'delay=2000', qw(-s64k:4k:20:1)));
        next if $test eq 'iops';
        my ($number, $unit) = $csv->{"${test}_latency"} =~ /\A(\d+)(us|ms|s)\z/;
        my %us = (us => 1, ms => 1000, s => 1_000_000);
        cmp_ok($number * $us{$unit}, '>=', 2000, "$test: a delay is told");
    }
    my $table = null('iops', 'delay=2000,short=3', '-mlab')->{err};
    like($table, qr/^lab +4k +10% +[\d.]+ +\d+ +(?:[2-9]\d{3,}us|\d{5}us|\d+ms|\d+s)/m, 'iops: a delay is told');
    refused_ok(null('seeks', 'delay=100,fail=20', '-c3', '-s1:4k:400:2'), qr/data file [012] in \Q$dir\E at \d+: Input\/output error$/, 'one of three files');
};

is_deeply([ tree($_) ], [], 'nothing is left in the directory') for $dir, $disk;
done_testing();
