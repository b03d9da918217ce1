#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# generate_randfile writes the integers of rand(3) for a seed, four bytes each, most significant
# byte first; bonnie -Z reads the file; failures and signals leave nothing that looks complete.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Root;
BEGIN { Root::private_mounts() }
use BonnieRun  qw(%SIGNAL bonnie finish program refused_ok run_tool scratch start tree wait_until);
use Calls      qw(is_sanitized);
use RunProgram qw(slurp spew);
use Trace      qw(can_trace trace);

my $dir = scratch();

sub generate { return run_tool('generate_randfile', @_) }

# rand(3) of glibc, whose manual describes TYPE_3: an additive feedback generator of
# 31 words.
sub rand_of {
    my ($seed, $count) = @_;
    my @r = ($seed || 1);
    $r[0] -= 2**32 if $r[0] >= 2**31;
    for my $i (1 .. 30) {
        my ($high, $low) = (int($r[-1] / 127773), 0);
        $low = $r[-1] - $high * 127773;
        my $next = 16807 * $low - 2836 * $high;
        push @r, $next < 0 ? $next + 2147483647 : $next;
    }
    push @r, $r[ $_ - 31 ] for 31 .. 33;
    for my $i (34 .. 343) {
        push @r, ($r[-31] + $r[-3]) % 2**32;
    }
    my @numbers;
    while (@numbers < $count) {
        push @r, ($r[-31] + $r[-3]) % 2**32;
        push @numbers, $r[-1] >> 1;
    }
    return @numbers;
}

for my $seed (0, 1, 5, 12345, 4294967295) {
    my $run = generate('-s', $seed, 1000);
    is($run->{status}, 0, "seed $seed: exit status 0");
    is($run->{err}, "Generating 1000 random numbers with seed $seed.\n", 'told on standard error');
    ok($run->{out} eq pack('N*', rand_of($seed, 1000)), 'the integers of rand(3), big-endian');
}
is(generate('--seed=5', 3)->{out}, pack('H*', '232add1b05f2a7dd7f129a6a'), '--seed, and the bytes of three numbers');
is(generate('3', '-s', '5')->{out}, generate('-s5', '--', '3')->{out}, 'COUNT before the options, or after --');
is(length generate('-s5', 100_001)->{out}, 400_004, 'a COUNT that is no multiple of what is written at once');

my ($seed) = generate(1)->{err} =~ /seed (\d+)[.]/;
cmp_ok(abs($seed - time), '<', 3600, 'without -s the time is the seed');

# ---- a file -------------------------------------------------------------------------------------

spew("$dir/numbers", 'old');
is(generate('-s5', '-f', "$dir/numbers", 1000)->{status}, 0, '-f');
ok(slurp("$dir/numbers") eq pack('N*', rand_of(5, 1000)), 'has replaced the file');
is(generate('-s5', '--trust-directory', "--file=$dir/more", 10)->{out}, q{}, '--file: nothing on standard output');
is_deeply([ tree($dir) ], [qw(more numbers)], 'and no other file is there');

# A file without a name gets one through /proc. Without /proc, the file has a temporary name from
# the start.
SKIP: {
    skip 'strace cannot trace here', 4 if !can_trace();
    my @no_proc = ('-e', 'trace=?access,faccessat,linkat', '-e', 'inject=?access,faccessat:error=EPERM');
    my ($run, @calls) = trace({ program => 'generate_randfile' }, \@no_proc, '-s7', '-f', "$dir/numbers", 1000);
    is("$run->{status}$run->{err}", "0Generating 1000 random numbers with seed 7.\n", 'without /proc: exit status 0');
    ok(slurp("$dir/numbers") eq pack('N*', rand_of(7, 1000)), 'the file is complete');
    is_deeply([ grep { $_->{name} eq 'linkat' } @calls ], [], 'and was given no name by /proc');
    is_deeply([ tree($dir) ], [qw(more numbers)], 'and no other file is there');
    generate('-s5', '-f', "$dir/numbers", 1000);
}

my @small = ('-d', scratch(), qw(-q -r0 -s1 -n0 -f --tests=put_block));
my %csv = map { $_ => [ split /,/, bonnie(@small, '-Z', "$dir/$_")->{out} ] } qw(numbers more);
like($csv{$_}[4], qr/\A\d+\z/, "bonnie -Z $_ has taken a seed from it") for sort keys %csv;
isnt($csv{numbers}[4], $csv{more}[4], 'another one from each');
is((split /,/, bonnie(@small, '-Z', "$dir/numbers")->{out})[4], $csv{numbers}[4], 'and the same from the same');

# ---- refused ------------------------------------------------------------------------------------

my $COUNT = qr/a whole number from 1 to 10\^15/;
refused_ok(generate(),             qr/COUNT is missing: $COUNT/, 'no COUNT');
refused_ok(generate('1', '2'),     qr/unexpected argument '2'/,  'two COUNTs');
refused_ok(generate($_),           qr/COUNT: '\Q$_\E' is not accepted; expected $COUNT/, "COUNT $_")
    for qw(0 x 1x 1.5 1e9 0x10 1000000000000001 99999999999999999999), q{};
refused_ok(generate('-s', $_, 1),  qr/--seed: '\Q$_\E' is not accepted; expected a whole number from 0 to 4294967295/, "-s $_")
    for qw(-1 x 4294967296);
refused_ok(generate('-f', q{}, 1), qr/--file: '' is not accepted; expected the path of a file/, 'an empty -f');
refused_ok(generate('-x', 1),      qr/unknown option -x; --help lists the options/, 'an unknown option');
refused_ok(generate('--what', 1),  qr/unknown option --what/,          'a long one');
refused_ok(generate('-5'),         qr/unknown option -5/,                           'a negative COUNT');
refused_ok(generate('-s'),         qr/--seed needs a value: SEED/,           'an option without its value');

like(generate('--version')->{out}, qr/\Agenerate_randfile \d+[.]\d+[.]\d+\n\z/, '--version');
like(generate('--help')->{out}, qr/\AUsage: generate_randfile .*-s, --seed SEED/s, '--help');
is(generate($_)->{status}, 0, "$_: exit status 0") for qw(-V -h);
is(generate('--quiet', 1)->{err}, q{}, '--quiet: nothing is told');

# ---- failures -----------------------------------------------------------------------------------

# Checks that one line gives the reason, after the line with the seed.
sub failed_ok {
    my ($run, $reason, $name) = @_;
    is($run->{status}, 1, "$name: exit status 1");
    like($run->{err}, qr/\A(?:Generating .*\n)?generate_randfile: .*$reason\n\z/, "$name: the reason in one line");
    return;
}

for my $count (1, 1_000_000) {
    failed_ok(generate({ out => '/dev/full' }, $count), 'No space left on device', "$count numbers to a full device");
    failed_ok(generate('-f', '/dev/full', $count), 'No space left on device', "-f, $count numbers to a full device");
    failed_ok(generate({ out => 'closed' }, $count), 'Bad file descriptor', "$count numbers to a closed standard output");
}
failed_ok(generate('-f', "$dir/none/numbers", 1), 'No such file or directory', 'a directory that is not there');
failed_ok(generate('-f', $dir, 1), 'Is a directory', 'a directory');

SKIP: {
    skip 'small filesystems of our own need root and its mounts', 3 if !Root::may_mount();
    my $full = Root::tmpfs('size=1m');
    spew("$full/numbers", 'old');
    failed_ok(generate('-f', "$full/numbers", 1_000_000), 'No space left on device', 'a full filesystem');
    is(slurp("$full/numbers"), 'old', 'the file that was there is as it was');
    slurp('/dev/null'); # releases the file
    is_deeply([ tree($full) ], ['numbers'], 'and nothing else is there');
}

# ---- signals ------------------------------------------------------------------------------------

for my $signal (qw(TERM INT HUP QUIT XFSZ KILL)) {
    my $run = start({ program => 'generate_randfile' }, '-f', "$dir/endless", 1_000_000_000_000);
    wait_until('it begins', sub { slurp($run->{err_file}) =~ /seed/ });
    kill $signal => $run->{pid};
    finish($run);
    is($run->{status}, "signal $SIGNAL{$signal}", "SIG$signal: ended by the same signal");
    is_deeply([ tree($dir) ], [qw(more numbers)], 'and nothing is left');
}

my $generate = program('generate_randfile');
is(qx(sh -c 'ulimit -f 100; "$generate" -q 1000000 2>&1 >"$dir/limited"'), "generate_randfile: files are limited to 50.0 KiB, but one of 3.81 MiB is needed (ulimit -f)\n", 'a limit to the size of files is told of standard output, too, before anything is written');
is(-s "$dir/limited", 0, 'which stays empty');
is(qx(sh -c 'echo old >"$dir/longer"; head -c 50000 /dev/zero >>"$dir/longer"; ulimit -f 100; "$generate" -q 1000 2>&1 >>"$dir/longer"'), "generate_randfile: files are limited to 50.0 KiB, but one of 52.7 KiB is needed (ulimit -f)\n", 'so is what a file has already, and keeps');
is(-s "$dir/longer", 50_004, 'which gets nothing more');
is(qx(sh -c 'ulimit -f 100; (head -c 50000 /dev/zero; "$generate" -q 1000) 2>&1 >"$dir/longer"'), "generate_randfile: files are limited to 50.0 KiB, but one of 52.7 KiB is needed (ulimit -f)\n", 'and what others have written before');
is(qx(sh -c 'echo old >"$dir/longer"; "$generate" -q -s5 2 2>&1 >>"$dir/longer"; od -A n -t x1 "$dir/longer"'), " 6f 6c 64 0a 23 2a dd 1b 05 f2 a7 dd\n", 'numbers are added to a file with >>');
is(qx(bash -c '"$generate" -s5 1000000000000 2>/dev/null | head -c 8 | od -A n -t x1; echo \${PIPESTATUS[0]}'),
    " 23 2a dd 1b 05 f2 a7 dd\n141\n", 'a reader that goes ends it by SIGPIPE, at once');

# The program does not need more memory for a longer file.
SKIP: {
    skip 'a sanitizer wants terabytes of address space', 1 if is_sanitized();
    my $address_space = 16_384;
    is(qx(sh -c 'ulimit -v $address_space; "$generate" -s5 20000000 2>/dev/null' | wc -c) + 0, 80_000_000, "80 MB in $address_space KiB of address space");
}

done_testing();
