#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Each allocation fails in turn, or memory is short from the start: the run reports that and
# leaves nothing behind, or its report is complete in spite of it.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp ();
use Test::More;
use BonnieRun  qw(bonnie engines finish scratch start);
use Calls      qw(failures is_sanitized was_refused);
use Fault      qw(every playground report_of run_cases shape_of);
use RunProgram qw(slurp);
use Trace      qw(can_trace);

my $dir  = scratch(oct 777); # for -u nobody, too
my $shim = "$dir/fail_malloc.so";
my $cc   = $ENV{BONNIE_CC} // 'cc';
plan skip_all => "$cc does not build the library that makes malloc fail"
    if system("$cc -Wall -Werror -O1 -shared -fPIC -o '$shim' '$FindBin::Bin/fail_malloc.c'") != 0;
$ENV{ASAN_OPTIONS} .= ':verify_asan_link_order=0'; # the library is loaded before the sanitizer's
plan skip_all => 'this build does not take a malloc that is preloaded'
    if bonnie({ env => { LD_PRELOAD => $shim } }, '--version')->{status} ne '0';

my $NO_MEMORY = qr/: Cannot allocate memory|start worker \d of \d: Resource temporarily unavailable/;
my $common = '-d DIR -r0 -q --format=csv --min-time=0 --cache=keep'; # dropping the caches of the system is slow
my $blocks = '-s256k:16k:20:2 -n0 -f --iops-duration=0.01';
my %runs   = (
    'data and files'  => '-s256k:16k:20:2 -n1:100:1:2',
    'workers'         => "$blocks -c3 -n1:-1:0:3 --tests=put_block,iops,seq_create",
    'JSON to a file'  => "$blocks --format=json,html,text --output=DIR/report --tests=put_block,seeks",
    'steady state'    => "$blocks --steady-state --round-time=0.01 --max-rounds=5 --precondition=1 --json --tests=seeks",
    'several runs'    => '-s128k:16k -n0 -f -x3 --json --tests=put_block,get_block',
    'preset gobonniego' => '--preset=gobonniego -s256k -c2 --iops-duration=0.01 --json',
    (map { ($_ => "$blocks --engine=$_ --iodepth=4 --tests=put_block,seeks") } grep {/libaio|io_uring/} engines()),
    '-u nobody'       => "$blocks --tests=rewrite --cache=evict -u nobody",
);
delete $runs{'-u nobody'} if $> != 0;
delete @runs{ 'workers', 'preset gobonniego' } if is_sanitized(); # without memory they start no thread

for my $name (sort keys %runs) {
    my @args   = split q{ }, "$common $runs{$name}";
    my $ground = playground();
    my $usual  = begin($ground, { FAIL_MALLOC_COUNT => "$dir/count" }, @args);
    is(finish($usual)->{status}, 0, "$name: it works") or diag($usual->{err});
    my $shape = shape_of(report_of($ground, $usual));
    run_cases("malloc: $name", [ map { { name => "allocation $_", at => $_ } } every(6, 1 .. slurp("$dir/count")) ],
        start => sub {
            my ($case, $in) = @_;
            chmod oct(666), $case->{notes} = File::Temp->new;
            return begin($in, { FAIL_MALLOC_AT => $case->{at}, FAIL_MALLOC_NOTES => "$case->{notes}" }, @args);
        },
        judge => sub {
            my ($case, $run, $in) = @_;
            my ($failed, @crashed_in) = split /\n(?:in )?/, slurp("$case->{notes}");
            $case->{notes} = undef;
            my $now = shape_of(report_of($in, $run));
            return 'missed', $now eq $shape ? () : "$run->{status}: $run->{err}" if !defined $failed;
            return 'recovered', $now eq $shape ? () : "another report: $now" if "$run->{status}$run->{err}" eq '0';
            # glibc 2.36 may crash while it looks up a user. That is not our fault, and no file
            # exists yet.
            return 'missed' if $run->{status} =~ /\Asignal (?:6|11)\z/ && $run->{err} =~ /\A(?:\S+: nss_|\z)/ && grep {/\Aget(?:pw|gr)/} @crashed_in;
            my $told = $run->{status} eq '1' && $run->{err} =~ /\Abonnie: [^\n]*$NO_MEMORY\n\z/;
            return 'told', $told ? () : "$run->{status}: $run->{err}@crashed_in", $now eq shape_of(q{}) ? () : "a report: $now";
        },
    );
}

sub begin {
    my ($ground, $env, @args) = @_;
    return start({ env => { %{$env}, LD_PRELOAD => $shim } }, map {s/\bDIR\b/$ground->{dir}/r} @args);
}

# Limits: name => the shell command, the system's answer, and the end of the line.
my @few    = split q{ }, "$common $blocks -c3";
my %limits = (
    'address space' => [ 'v', 'ENOMEM', qr/$NO_MEMORY/, map { 1024 * $_ } 4 .. 60 ],
    'descriptors'   => [ 'n', 'EMFILE', qr/(?:: Too many open files|need \d+ open files at a time; the limit is \d+ \(ulimit -Hn\))/, 3 .. 30 ],
);
for my $name (sort keys %limits) {
    my ($option, $error, $reason, @values) = @{ $limits{$name} };
    my @cases = map { { name => "ulimit -$option $_", at => $_ } } every(8, grep { loads($option, $_) } @values);
SKIP: {
        skip 'strace cannot trace here', 1 if !can_trace();
        skip "$name: with so little this build is not even loaded", 1 if !@cases;
        run_cases("limited: $name", \@cases,
            hits  => .25, # the other limits always have an effect
            start => sub {
                my ($case, $in) = @_;
                $case->{log} = File::Temp->new;
                return start({ wrap => [ failures($case->{log}), limited($option, $case->{at}) ] }, map {s/\bDIR\b/$in->{dir}/r} @few);
            },
            judge => sub {
                my ($case, $run) = @_;
                my $refused = was_refused($case->{log}, qr/\w+/, $error);
                $case->{log} = undef;
                return $refused ? 'recovered' : 'missed' if $run->{status} eq '0' && $run->{out} =~ /\A1[.]98,.*\n\z/;
                my $well = "$run->{status}$run->{out}" eq '1' && $run->{err} =~ /\Abonnie: [^\n]*$reason\n\z/;
                return 'told', $well ? () : "$run->{status}: $run->{err}";
            },
        );
    }
}

sub limited {
    my ($option, $value) = @_;
    return ('sh', '-c', "ulimit -$option $value; exec \"\$@\"", 'sh');
}

# Whether the dynamic linker reaches main().
sub loads {
    my ($option, $value) = @_;
    return bonnie({ wrap => [ limited($option, $value) ] }, '--version')->{status} eq '0';
}

done_testing();
