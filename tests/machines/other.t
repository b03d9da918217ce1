#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs built for another machine, which an emulator runs, and programs of this machine: whole
# runs of both, and each understands what the other has written. The environment names the emulator
# (BONNIE_EMULATOR), a build for this machine (BONNIE_NATIVE) and, if there is one, the other
# machine's Perl (BONNIE_FOREIGN_PERL).

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP   ();
use Test::More;
use BonnieRun  qw(@ALL_TESTS bonnie refused_ok scratch source tree);
use RunProgram qw(slurp spew);

my @emulator = split q{ }, $ENV{BONNIE_EMULATOR} // q{};
plan skip_all => 'make check has not been given EMULATOR and NATIVE' if !@emulator || !$ENV{BONNIE_NATIVE};
my $dir = scratch();

# how(MACHINE, NAME): how to run the program with this name that was built for 'here' or
# 'there'.
sub how {
    my ($machine, $name) = @_;
    return $machine eq 'here' ? { program => "$ENV{BONNIE_NATIVE}/$name" } : { $name eq 'bonnie' ? () : (program => $name), wrap => \@emulator };
}

# ---- a whole run, with the engine that needs nothing of the kernel but read and write --------------
my @WHOLE = ('-d', $dir, qw(-r0 -s8 -n1 -c2 --verify=full --engine=sync --iops-duration=0.1 --min-time=0), '--tests=' . join q{,}, @ALL_TESTS);
my %report;
for my $machine (qw(here there)) {
    for my $format (qw(json csv)) {
        my $run = bonnie(how($machine, 'bonnie'), @WHOLE, '-q', "--format=$format");
        is($run->{status}, '0', "$machine: a whole run, $format") or diag($run->{err});
        spew($report{$machine}{$format} = "$dir/$machine.$format", $run->{out});
    }
    my $json = JSON::PP::decode_json(slurp($report{$machine}{json}));
    is_deeply([ map { $_->{name} } @{ $json->{runs}[0]{tests} } ], \@ALL_TESTS, "$machine: every test is in the report");
}
is_deeply([ sort grep { !/[.](?:json|csv)\z/ } tree($dir) ], [], 'nothing is left in the directory');

# Features that the emulator lacks are refused in one line, and nothing takes their
# place.
for my $engine (qw(libaio io_uring)) {
    refused_ok(bonnie(how('there', 'bonnie'), '-d', $dir, qw(-q -r0 -s1 -n0), "--engine=$engine"), qr/\b(?:$engine|AIO)\b/i, "$engine in the emulator");
}

# ---- data that the other has written ----------------------------------------------------------------
my @LOAD = ("-url=$dir/$$-XXX", '-max-requests=40', '-max-body-size=20KiB', '-min-body-size=1', '-seed=5', '-requests-engine=disk', '-show-progress=false');
for my $pair ([qw(here there)], [qw(there here)]) {
    my ($writer, $reader) = @{$pair};
    my $written = bonnie(how($writer, 'bonload'), '-wt=2', @LOAD);
    is($written->{status}, '0', "$writer writes files") or diag($written->{err});
    my $read = bonnie(how($reader, 'bonload'), '-rt=2', '-verify=full', '--json', @LOAD);
    is($read->{status}, '0', "$reader verifies them") or diag($read->{err});
    my $found = JSON::PP::decode_json($read->{out} || '{}') // {};
    is($found->{damaged}, 0, "$reader: none is damaged");
    cmp_ok($found->{verified_bytes}, '>', 40 * 1024, "$reader: and their bytes were looked at");
    unlink glob "$dir/$$-*";

    mkdir "$dir/$writer" or die "$dir/$writer: $!\n";
    my $log = bonnie(how($writer, 'boncut'), qw(write --time=1 --units=4 -c2), '--methods=fsync,replace,truncate', "$dir/$writer");
    like($log->{out}, qr/^replace \d/m, "$writer: promises are made");
    my $check = bonnie({ %{ how($reader, 'boncut') }, input => $log->{out} }, qw(check), "$dir/$writer");
    is($check->{status}, 3, "$reader: all promises were kept, and nothing was cut") or diag($check->{out}, $check->{err});
}

# ---- reports of the other, drawn on both -----------------------------------------------------------
my @perl = split q{ }, $ENV{BONNIE_FOREIGN_PERL} // q{};
SKIP: {
    skip 'the Perl of the other machine was not given', 10 if !@perl;
    my @order = map { my $perl = $_; chomp(my $first = qx($perl -e 'print unpack("C", pack("S", 1)), "\n"')); $first } 'perl', "@perl";
    note("the first byte of a 1: here $order[0], there $order[1]");
    for my $machine (qw(here there)) {
        for my $format (qw(json csv)) {
            my @pages = map { drawn($_, $report{$machine}{$format}) } [$^X], \@perl;
            like($pages[0], qr{<html.*</html>\s*\z}s, "a page of the $format report made $machine");
            like($pages[0], qr{C library.*glibc \d+[.]\d+}s, 'which names the C library') if $format eq 'json';
            ok($pages[0] eq $pages[1], 'and the same byte for byte when it is drawn there');
        }
    }
}

sub drawn {
    my ($perl, $file) = @_;
    local $ENV{LC_ALL} = 'C';
    my $pid = open my $page, '-|', @{$perl}, source('scripts/bon_csv2html'), $file or die "@{$perl}: $!\n";
    local $/ = undef;
    return readline($page) // q{};
}

done_testing();
