#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# --verify finds, counts and names any damage to the data, in every test that reads and with
# every engine; and it finds none where there is none. This test damages the unnamed files of the
# running program while the program waits at a prompt.

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
use SweepSize  qw(sized);
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

# Runs these tests. Before each of them begins, the sub that $at has for it damages the data files
# of this size, which it gets in their order. A test that is named twice is meant once more in the
# next run of -x.
sub run_damaged {
    my ($at, $bytes, $tests, @options) = @_;
    my $kept = scratch();
    POSIX::mkfifo("$kept/keys", oct 600) or die "$kept/keys: $!\n";
    my $where = (grep {/\A-D\z/} @options) ? $disk : $dir;
    my %asked;
    my $names = join q{,}, grep { !$asked{$_}++ } @{$tests};
    %asked = ();
    my $run = start({ in => "$kept/keys" }, '-d', $where, qw(-r0 -q -n0 -yp), "--tests=$names", @options);
    local $SIG{PIPE} = 'IGNORE';
    open my $keys, '>', "$kept/keys" or die "$kept/keys: $!\n";
    $keys->autoflush;
    for my $test (@{$tests}) {
        my $asked = qr/Press Enter to start \Q$TITLE{$test}\E: /;
        my $times = ++$asked{$test};
        wait_until("the prompt of $test", sub { $times == (() = slurp($run->{err_file}) =~ /$asked/g) || !readlink "/proc/$run->{pid}/exe" });
        $at->{$test}->(data_files($run->{pid}, $bytes)) if $at->{$test};
        print {$keys} "\n";
    }
    finish($run);
    is_deeply([ tree($where) ], [], 'nothing is left');
    return $run;
}

# The third word of a file's first stamp is its number.
sub data_files {
    my ($pid, $bytes) = @_;
    my (%seen, @files);
    for my $name (glob "/proc/$pid/fd/*") {
        next if !-f $name || -s _ != $bytes || $seen{ (stat _)[1] }++;
        open my $file, '+<:raw', $name or die "$name: $!\n";
        my %file = (handle => $file, bytes => read_file($file, $bytes));
        $file{number} = unpack 'x16Q', $file{bytes};
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

# In these units of a file, replaces the contents by what $change returns for {
# file, number, bytes }.
sub damage {
    my ($file, $units, $change, $size) = @_;
    $size //= $UNIT;
    for my $number (@{$units}) {
        my $unit = $change->({ file => $file, number => $number, bytes => substr($file->{bytes}, $number * $size, $size) });
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

# The program's findings in a test: { named => [ [ file, offset, what ] ], count => of the test, sum
# => of the run }.
sub told {
    my ($run, $test) = @_;
    my %told = (named => [], sum => $run->{err} =~ /^bonnie: the storage returned something other than what was written: (\d+) damaged places?\n\z/m ? $1 : 0);
    while ($run->{err} =~ /bonnie: $test: data file (\d+) in \S+ at (\d+): (.*)$/mg) {
        push @{ $told{named} }, [ $1, $2, $3 ];
    }
    $told{count} = $run->{err} =~ /bonnie: $test: (\d+) damaged places in all$/m ? $1 : @{ $told{named} };
    return \%told;
}

# Checks that the program found exactly these units, that it describes the first ones with these
# words, and that it prints the report.
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
    my $of = @{$units} == 1 ? 'place' : 'places';
    my ($lines) = "$run->{out}$run->{err}" =~ s/^(?:Press Enter to start [^:\n]*: )+//mgr =~ /^((?:DAMAGED: .*\n(?:  .*\n)+)+)/m;
    like($lines // q{}, qr/^DAMAGED: $test: ${\scalar @{$units}} $of in the [\d.]+ [KMG]?i?B that were checked\n  data file \d+ at \d+: \w/m, 'the answer is above the table');
    unlike($lines // q{}, qr/,/, 'without a comma: scripts take a line with one for CSV');
    like(csv_of($run)->{$test}, qr/\A[\d.+]+\z/, 'and its figure is printed all the same') if $test ne 'iops';
    return;
}

sub sound_ok {
    my ($run, $name) = @_;
    return is("$run->{status}" . ($run->{err} =~ /(bonnie: .*)/ ? $1 : q{}), '0', $name);
}

# Flips one bit in this byte of a unit.
sub flip {
    my ($unit, $byte) = @_;
    my $bytes = $unit->{bytes};
    substr($bytes, $byte, 1) ^= chr(1 << int rand 8);
    return $bytes;
}

sub flip_anywhere { my ($unit) = @_; return flip($unit, int rand length $unit->{bytes}) }
sub zeros { my ($unit) = @_; return "\0" x length $unit->{bytes} }

# The unit's contents before it was rewritten as generation 1.0.
sub before {
    my ($unit) = @_;
    return substr $unit->{file}{old}, $unit->{number} * $UNIT, $UNIT;
}

# The unit with its old bytes in this part.
sub torn {
    my ($unit, $at, $length) = @_;
    my $bytes = $unit->{bytes};
    substr($bytes, $at, $length) = substr before($unit), $at, $length;
    return $bytes;
}

# Misdirected writes: the contents of unit $number come from the unit with this number.
sub taken_from {
    my ($number, $of) = @_;
    return ($number + 7) % $of;
}

sub misdirected {
    my ($unit) = @_;
    my $bytes = $unit->{file}{bytes};
    return substr $bytes, $UNIT * taken_from($unit->{number}, length($bytes) / $UNIT), $UNIT;
}

sub misdirected_words {
    my ($offset) = @_;
    my $from = $UNIT * taken_from($offset / $UNIT, 2048);
    return qr/\Amisdirected: generation 1\.0 expected, what belongs to data file 0 at $from found\z/;
}

# Each kind of damage to a unit, the mode of --verify that finds it, and its
# description in the report.
my $CHANGED = qr/flipped: generation 1\.0 expected, changed bytes found/;
my $TORN    = qr/torn: generation 1\.0 expected, parts of another write found/;
my @KINDS   = (
    { name => 'a bit of the stamp',      mode => 'stamp', change => sub { flip(@_, int rand 48) },       words => $CHANGED },
    { name => 'a bit of the check word', mode => 'stamp', change => sub { flip(@_, 4088 + int rand 8) }, words => $CHANGED },
    { name => 'a bit anywhere', mode => 'full', change => \&flip_anywhere, outside_stamp => sub { flip(@_, 48 + int rand 4000) }, words => $CHANGED },
    { name => 'stale', mode => 'stamp', change => \&before, words => qr/stale: generation 1\.0 expected, generation 0\.0 found/ },
    { name => 'torn at the start',  mode => 'stamp', change => sub { torn(@_, 0, 512 * (1 + int rand 7)) },                     words => $TORN },
    { name => 'torn at the end',    mode => 'stamp', change => sub { my $at = 512 * (1 + int rand 7); torn(@_, $at, 4096 - $at) }, words => $TORN },
    { name => 'torn in the middle', mode => 'full',  change => sub { torn(@_, 512 * (1 + int rand 6), 512) },                   words => $TORN },
    { name => 'half written', mode => 'stamp', change => sub { my ($unit) = @_; substr($unit->{bytes}, 0, 2048) . "\0" x 2048 }, words => $TORN },
    { name => 'misdirected', mode => 'stamp', change => \&misdirected, words => \&misdirected_words },
    { name => 'zeroed', mode => 'stamp', change => \&zeros, words => qr/zeroed: generation 1\.0 expected, zeros found/ },
);

# Damages 1000 of 2048 units after they were rewritten.
sub damage_before_get_block {
    my ($units, $change, @options) = @_;
    my $old;
    return run_damaged({
        rewrite   => sub { my ($file) = @_; $old = $file->{bytes} },
        get_block => sub { my ($file) = @_; $file->{old} = $old; damage($file, $units, $change) },
    }, 8 << 20, [qw(put_block rewrite get_block)], '-s8', @options);
}

for my $kind (@KINDS) {
    for my $engine (@ENGINES) {
        subtest "$kind->{name}: @{$engine}" => sub {
            my $units = some_units(1000, 2048);
            my @verify = $kind->{mode} eq 'full' ? '--verify=full' : ();
            found_ok(damage_before_get_block($units, $kind->{change}, '--cache=keep', @{$engine}, @verify), 'get_block', $units, $kind->{words});
        };
    }
    next if $kind->{mode} eq 'stamp';
    subtest "$kind->{name}: --verify=stamp" => sub {
        my $change = $kind->{outside_stamp} // $kind->{change};
        sound_ok(damage_before_get_block(some_units(1000, 2048), $change, qw(--cache=keep --verify=stamp)), 'is not what it looks at');
    };
}

subtest 'one at a time, in order' => sub {
    my $units = [ 5, 17, 2047 ];
    my $run   = damage_before_get_block($units, \&zeros, '--cache=keep');
    is_deeply([ map { $_->[1] / $UNIT } @{ told($run, 'get_block')->{named} } ], $units, 'three of them, from the first to the last');
    unlike($run->{err}, qr/in all/, 'with no need for a sum');
    is(told($run, 'get_block')->{sum}, 3, 'but for that of the run');
};

subtest '--verify=off' => sub {
    sound_ok(damage_before_get_block(some_units(1000, 2048), \&zeros, qw(--cache=keep --verify=off), @{$_}), "@{$_}: nothing is found") for @ENGINES;
};

subtest 'caches are emptied before' => sub {
    my $units = some_units(1000, 2048);
    found_ok(damage_before_get_block($units, $KINDS[0]{change}, '--cache=evict'), 'get_block', $units, $CHANGED);
};

SKIP: {
    skip 'no O_DIRECT here', scalar @ENGINES if !$direct;
    for my $engine (@ENGINES) {
        subtest "-D @{$engine}" => sub {
            my $units = some_units(1000, 2048);
            found_ok(damage_before_get_block($units, \&flip_anywhere, @{$engine}, qw(-D --verify=full)), 'get_block', $units, $CHANGED);
        };
    }
}

subtest 'several files' => sub {
    my $run = run_damaged({ get_block => sub {
                my ($first, $second) = @_;
                is($second->{number}, 1, 'two of them');
                my $other = $first->{bytes};
                damage($second, [ 3, 4 ], sub { my ($unit) = @_; substr $other, $unit->{number} * $UNIT, $UNIT });
    } }, 4 << 20, [qw(put_block get_block)], qw(-s8 -c2 --cache=keep));
    is_deeply([ map { "@{$_}" } @{ told($run, 'get_block')->{named} } ],
        [ map { my $at = $_ * $UNIT; "1 $at misdirected: generation 0.0 expected, what belongs to data file 0 at $at found" } 3, 4 ],
        'what belongs into one and is in the other');
};

# The size of the file, and that of its units.
for my $case (
    { name => 'chunks that are no multiple of a unit', bytes => 1_024_000, unit => 512, change => \&flip_anywhere, options => [qw(-s1000k:1000 --verify=full)] },
    { name => 'contents that compress', bytes => 2 << 20, unit => 4096, change => \&flip_anywhere, options => [qw(-s2 --data=compress=25 --verify=full)] },
    { name => 'zeros', bytes => 2 << 20, unit => 4096, change => \&flip_anywhere, options => [qw(-s2 --data=zero --verify=full)] },
    { name => 'zeros, the stamp alone', bytes => 2 << 20, unit => 4096, change => sub { flip(@_, int rand 40) }, options => [qw(-s2 --data=zero --verify=stamp)] },
) {
    subtest $case->{name} => sub {
        my $units = some_units(300, int($case->{bytes} / $case->{unit}));
        my $run = run_damaged({ get_block => sub { my ($file) = @_; damage($file, $units, @{$case}{qw(change unit)}) } },
            $case->{bytes}, [qw(put_block get_block)], '--cache=keep', @{ $case->{options} });
        is($run->{status}, 1, 'exit status 1');
        is(told($run, 'get_block')->{count}, 300, 'found as many as there are');
        is((grep { $_->[2] !~ /\Aflipped: generation 0\.0 expected, changed bytes found\z/ } @{ told($run, 'get_block')->{named} }), 0, 'in the right words');
    };
}

# How long iops may take to come to enough of the damaged places: on a busy machine it takes longer.
my @SECONDS = (0.5, 3, 10);

subtest 'every test that reads' => sub {
    for my $engine (@ENGINES) {
        # Rewriting finds the damage, and mends it.
        my $units = some_units(100, 256);
        my $run = run_damaged({ rewrite => sub { my ($file) = @_; damage($file, $units, \&zeros) } }, 1 << 20,
            [qw(put_block rewrite get_block)], qw(-s1:4k --cache=keep), @{$engine});
        found_ok($run, 'rewrite', $units, qr/zeroed: generation 0\.0 expected, zeros found/);
        is(told($run, 'get_block')->{count}, 0, 'what was rewritten is sound');

        # Other tests visit a block several times.
        my %damaged = map { $_ * $UNIT => 1 } @{$units};
        for my $test (qw(seeks iops)) {
            my $told;
            for my $seconds (@SECONDS) {
                $run = run_damaged({ $test => sub { my ($file) = @_; damage($file, $units, \&flip_anywhere) } }, 1 << 20,
                    [ 'put_block', $test ], qw(-s1:4k:5000:3 --iops-writes=0 --cache=keep --verify=full), "--iops-duration=$seconds", @{$engine});
                $told = told($run, $test);
                last if $told->{count} >= 10;
            }
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
    my ($run, @named);
    for my $seconds (@SECONDS) {
        $run = run_damaged({ iops => sub { my ($file) = @_; damage($file, $units, \&zeros, 512) } }, 64 << 10,
            [qw(put_block iops)], qw(-s64k --iops-block=512 --iops-writes=0 --cache=keep), "--iops-duration=$seconds");
        @named = @{ told($run, 'iops')->{named} };
        last if @named >= 8;
    }
    my %damaged = map { $_ * 512 => 1 } @{$units};
    is($run->{status}, 1, 'exit status 1');
    is((grep { $damaged{ $_->[1] } && $_->[2] =~ /\Azeroed: / } @named), 8, 'each sector is looked at');
};

subtest 'lost changes' => sub {
    # Undoes the changes of the seeks before iops reads the data.
    my ($old, $changed);
    my $undo = sub {
        my ($file) = @_;
        my @units = grep { substr($old, $_ * $UNIT, $UNIT) ne substr $file->{bytes}, $_ * $UNIT, $UNIT } 0 .. 255;
        $changed = { map { $_ * $UNIT => 1 } @units };
        damage($file, \@units, sub { my ($unit) = @_; substr $old, $unit->{number} * $UNIT, $UNIT });
    };
    my ($run, @named);
    for my $seconds (@SECONDS) {
        $run = run_damaged({ seeks => sub { my ($file) = @_; $old = $file->{bytes} }, iops => $undo }, 1 << 20,
            [qw(put_block rewrite seeks iops)], qw(-s1:4k:1000:2 --cache=keep --iops-writes=0), "--iops-duration=$seconds");
        @named = @{ told($run, 'iops')->{named} };
        last if @named >= 8;
    }
    cmp_ok(scalar(keys %{$changed}), '>', 20, 'the seeks change many places');
    is($run->{status}, 1, 'exit status 1');
    is((grep { $changed->{ $_->[1] } && $_->[2] =~ /\Astale: generation 1\.[1-9]\d* expected, generation 1\.0 found\z/ } @named), 8, 'iops finds that they were lost');
};

# Blocks of an earlier run appear in the place of its files if a write over them
# is lost.
subtest 'what an earlier run wrote' => sub {
    my @tests = qw(put_block get_block);
    my $older = sub { my ($earlier) = @_; return sub { my ($unit) = @_; substr $earlier, ($unit->{number} * 7 + 3) % 256 * $UNIT, $UNIT } };
    my $earlier;
    my $run = run_damaged({ get_block => sub { my ($file) = @_; $earlier = $file->{bytes} } }, 1 << 20, \@tests, qw(-s1 -z77 --cache=keep));
    sound_ok($run, 'an earlier process, with a seed');
    my $units = some_units(100, 256);
    for my $seed (77, 78) {
        $run = run_damaged({ get_block => sub { my ($file) = @_; damage($file, $units, $older->($earlier)) } }, 1 << 20, \@tests, '-s1', "-z$seed", '--cache=keep');
        found_ok($run, 'get_block', $units, qr/stale: generation 0\.0 expected, data of an earlier run \(seed 77\) found/);
    }

    # The file belongs to the previous run of -x. It is filled outside the measured time, so each
    # run writes it once.
    for my $case (\@tests, ['get_block']) {
        my @each = @{$case};
        my @seen;
        my $swap = sub {
            my ($file) = @_;
            push @seen, $file->{bytes};
            damage($file, $units, sub { my ($unit) = @_; substr $seen[0], $unit->{number} * $UNIT, $UNIT }) if @seen == 2;
        };
        $run = run_damaged({ get_block => $swap }, 1 << 20, [ @each, @each ], qw(-s1 -z77 -x2 --cache=keep));
        my $told = told($run, 'get_block');
        is($told->{count}, 100, "@each, second run: each of them is found");
        is((grep { $_->[2] =~ /\Astale: generation [01]\.0 expected, data of an earlier run \(seed 77\) found\z/ } @{ $told->{named} }), 8, 'and named');
    }
};

subtest 'the report is written' => sub {
    my $kept = scratch();
    my $units = some_units(10, 256);
    my $run = run_damaged({ get_block => sub { my ($file) = @_; damage($file, $units, \&zeros) } }, 1 << 20, [qw(put_block get_block)],
        qw(-s1 --cache=keep), "--output=$kept/report");
    is($run->{status}, 1, 'exit status 1');
    like(-e "$kept/report" ? slurp("$kept/report") : 'no file', qr/^1\.98,/m, 'to its file too');
};

# Few blocks, with many operations in flight and many writers and readers, which
# often meet at the same block.
my $times = sized(1, 5, 25);
for my $engine (@ENGINES, ['--engine=sync', '-b']) {
    subtest "no damage: @{$engine}" => sub {
        # [runs, options]
        for my $case ([ 2 * $times, qw(-s256k:4k:3000:4 -c2) ], [ $times, qw(-s64k:8k:1000:3 -c3 --iops-block=512) ], [ $times, qw(-s64k:1k:1000:3 --iops-block=12k) ]) {
            my ($runs, @options) = @{$case};
            my $run = bonnie('-d', $dir, qw(-r0 -q -n0 --verify=full --cache=keep --iops-duration=0.02 --iops-writes=50), $ALL,
                "-x$runs", @{$engine}, @options);
            sound_ok($run, "@options");
            is(scalar(() = $run->{out} =~ /^1\.98,/mg), $runs, 'the number of runs');
        }
    SKIP: {
            skip 'no O_DIRECT here', 1 if !$direct;
            my $run = bonnie('-d', $disk, qw(-r0 -q -n0 -D --verify=full --cache=keep --iops-duration=0.05 --iops-writes=50 -s256k:4k:300:3 -c2),
                $ALL, "-x$times", @{$engine});
            sound_ok($run, '-D');
        }
    };
}

# The engine null stores nothing, so there is nothing to verify. The rest of the program has to
# cope with what the engine does to transfers.
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
            refused_ok(null($test, 'fail=9', '--iops-duration=10', $depth), qr/\Abonnie: $verb data file 0 in \Q$dir\E at \d+: Input\/output error$/, "$test $depth: a failed transfer");
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
