#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Each system call of a run fails in turn: the first, the second ... of every kind, in every way
# that fits it. The run reports the failure and leaves nothing behind, or continues where that
# does no harm. BONNIE_FAULT_RUN and BONNIE_FAULT_CALL in the environment select runs and calls by
# regular expressions.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use List::Util qw(shuffle);
use Test::More;
use File::Temp ();
use BonnieRun  qw(engines scratch start takes_direct);
use Calls      qw(census faults_of harmless injected injection is_sanitized says_why);
use Fault      qw(every hit_in_all playground report_of run_cases sampled shape_of);
use Root       ();
use RunProgram qw(spew);
use SweepSize  qw(is_long);
use Trace      qw(can_trace);

plan skip_all => 'strace cannot trace here' if !can_trace();

# name => the arguments, and what is special about the run; DIR is the
# directory.
my $SMALL  = '-r0 -q --format=csv --min-time=0';
my $blocks = '-s256k:16k:40:2 -n0 -f --iops-duration=0.01';
my $direct = takes_direct(scratch()) ? '-D' : q{};
my $disk   = scratch(); # the file that zcav reads and writes
spew("$disk/file", 'data' x 1_048_576);
my %runs   = (
    'data'             => [ { by_character => 1 }, '-s256k:16k:40:2 -n0' ],
    'pieces'           => [ {}, '-s32:1m:40:2 -n0 -f --cache=keep --tests=put_block,rewrite' ],
    'data -b -D'       => [ {}, "$blocks -b $direct" ],
    'files'            => [ { short => 1 }, '-s0 -n1:100:1:2' ],
    'files -b'         => [ {}, '-s0 -n1 -b --tests=seq_create,seq_stat,ran_del' ],
    'hard links'       => [ {}, '-s0 -n1:-1 --tests=seq_create,ran_stat' ],
    'symbolic links'   => [ {}, '-s0 -n1:-2:0:3 --tests=ran_create,seq_del' ],
    'workers'          => [ {}, "$blocks -n1:0:0:3 -c3 --tests=put_block,get_block,iops,seq_create" ],
    'progress, verify' => [ { talks => 1 }, "$blocks --verify=full --tests=put_block,rewrite,get_block" ],
    'seekers'          => [ {}, '-s128k:16k:200:3 -n0 --cache=keep --tests=seeks' ],
    'JSON to a file'   => [ {}, "$blocks --json --tests=put_block,seeks --output=DIR/report" ],
    'preset gobonniego' => [ {}, '--preset=gobonniego -s256k -c2 --iops-duration=0.01 --json' ],
    (map { ($_ => [ {}, "$blocks --iodepth=4 --tests=put_block,rewrite,get_block,seeks,iops $direct --engine=$_" ]) }
        grep {/libaio|io_uring/} engines()),
    (map { ($_ => [ { as_root => 1 }, '-s128k:16k:20:2 -n1 -f -u nobody --tests=rewrite,seeks,seq_stat' ]) }
        grep { Root::is_root() } 'dropper, -u nobody'),
    'getc_putc'         => [ { program => 'getc_putc', talks => 1, by_character => 1 }, '-d DIR -s64 -m lab' ],
    'generate_randfile' => [ { program => 'generate_randfile', talks => 1 }, '-s5 -f DIR/report 100000' ],
    'zcav'              => [ { program => 'zcav', goes_on => 1 }, "-q -b1 --json $disk/file" ],
    'zcav of two'       => [ { program => 'zcav', goes_on => 1 }, "-q -b1 --json -c2 $disk/file $disk/file" ],
    'zcav -w'           => [ { program => 'zcav', goes_on => 1 }, "-q -b1 -w --json $disk/file" ],
    (map { ("zcav $_" => [ { program => 'zcav', goes_on => 1 }, "-q -b2:1 --json --iodepth=2 --engine=$_ $direct $disk/file" ]) }
        grep {/libaio|io_uring/} engines()),
);

my $none_of = is_sanitized() ? qr/\Am(?:map|unmap|protect|advise|remap)\z/ : qr/\A\z/;

$ENV{$_} //= q{.} for qw(BONNIE_FAULT_RUN BONNIE_FAULT_CALL);

# How many cases of a run are tried, unless all are; how many calls of one kind get a fault; and how many cases must at
# least meet their fault with --long.
my $MOST  = 10;
my $CALLS = is_long() ? 8 : 5;
my $LEAST = 2000;

for my $name (sort keys %runs) {
    next if $name !~ /$ENV{BONNIE_FAULT_RUN}/;
    my ($how, $args) = @{ $runs{$name} };
    my @args = grep { $_ ne '-q' || !$how->{talks} } split q{ }, $how->{program} ? $args : "-d DIR $SMALL $args";
    my $ground = playground();
    my ($usual, $calls) = census({ program => $how->{program} }, in_directory($ground->{dir}, @args));
    is($usual->{status}, 0, "$name: it works") or diag($usual->{err});
    my $shape = shape_of(report_of($ground, $usual));
    run_cases($name, [ every($MOST, cases($calls)) ],
        start => sub {
            my ($case, $in) = @_;
            chmod oct(666), $case->{log} = File::Temp->new;
            my @strace = (qw(strace -f -q -y -ttt -s48 -o), "$case->{log}", $how->{as_root} ? () : '--seccomp-bpf');
            push @strace, injection(@{$case}{qw(call fault when)}, $how->{short} // 512);
            return start({ program => $how->{program}, wrap => [ @strace, '--' ] }, in_directory($in->{dir}, @args));
        },
        judge     => sub { return judge($how, $shape, @_) },
        program   => $how->{program},
        may_leave => sub { return is_of_removal($_[0]) ? [ grep { $args =~ /-u nobody/ } qw(-u nobody) ] : undef },
    );
}

cmp_ok(hit_in_all(), '>=', $LEAST, 'the cases of all runs') if is_long() && "$ENV{BONNIE_FAULT_RUN}$ENV{BONNIE_FAULT_CALL}" eq '..';

sub in_directory {
    my ($dir, @args) = @_;
    return map {s/\bDIR\b/$dir/r} @args;
}

# Cases for every call that may fail, in several places and in all ways; shuffled, but
# always in the same way.
sub cases {
    my ($calls) = @_;
    my @cases;
    for my $call (sort grep { $_ !~ $none_of && /$ENV{BONNIE_FAULT_CALL}/ } keys %{$calls}) {
        my ($first, $last) = @{ $calls->{$call} };
        for my $when (sampled($CALLS, $first .. $last)) {
            push @cases, { name => "$call $_ at $when", call => $call, fault => $_, when => $when } for faults_of($call);
        }
    }
    srand 1;
    return shuffle(@cases);
}

# How a run ended, and what is wrong with that, if anything.
sub judge {
    my ($how, $usual, $case, $run, $ground) = @_;
    my ($what, $seconds) = injected($case->{log});
    $run->{after_fault} = $seconds if defined $seconds;
    $case->{log} = undef;
    $case->{hit} = $what // q{};
    my $report = shape_of(report_of($ground, $run));
    return 'told' if $how->{goes_on} && is_bad_place($case, $run);
    my @wrong
        = $run->{status} eq '0' ? after_success($how, $case, $what, $run)
        : $run->{status} eq '1' ? after_failure($how, $case, $what, $run)
        :                         $run->{status};
    my $names_damage = is_damage($run) && $case->{fault} =~ /retval=|short/; # the report shows the damage, too
    push @wrong, "another report: $report" if $report ne $usual && ($report ne shape_of(q{}) || $run->{status} eq '0') && !$names_damage;
    push @wrong, "a report: $report"       if $report eq $usual && $run->{status} ne '0' && !after_the_tests($case, $run);
    push @wrong, map {s/\n/; /gr} 'after ' . ($what // 'nothing'), $run->{err} if @wrong;
    return ($run->{status} ? 'told' : defined $what ? 'recovered' : 'missed', @wrong);
}

# zcav reports a place that it cannot read or write, and continues: everything else must be
# in the report.
sub is_bad_place {
    my ($case, $run) = @_;
    return $run->{status} eq '1' && $case->{fault} =~ /EIO|retval=0/
        && $run->{err} =~ /\A(?:zcav: (?:read|write) \S+ at \d+: Input\/output error\n)+zcav: \d+ bytes on \d of \d devices cannot be (?:read|written)\n\z/;
}

# Whether the call removes something, or is the last check of a directory before its
# removal.
sub is_of_removal {
    my ($case) = @_;
    return $case->{call} eq 'unlinkat' || $case->{hit} =~ m{\Anewfstatat[(]\d+<[^>]*(?:/(?:bonnie|getc_putc)[.]\w{16}>, ""|>, "(?:bonnie|getc_putc)[.]\w{16}")};
}

sub after_success {
    my ($how, $case, $what, $run) = @_;
    my @wrong;
    my $buffer_size = $how->{by_character} && ($what // q{}) =~ /AT_EMPTY_PATH/; # stdio asks for the size of a data file
    push @wrong, 'a false success' if defined $what && !$buffer_size && !defined harmless($what, $case->{fault});
    push @wrong, 'words'           if $run->{err} ne q{} && !$how->{talks};
    return @wrong;
}

sub after_failure {
    my ($how, $case, $what, $run) = @_;
    return if is_damage($run) && $case->{fault} =~ /retval=|short/ || ($what // q{}) =~ /\Awrite[(]2<.*"\w+: /; # the fault hit the report of the failure itself
    return if $case->{call} =~ /\Awritev?\z/ && $case->{fault} =~ /\AE/ && $run->{err} eq q{}; # the fault hit the dropper first, and then the report of that
    my @lines = grep { !$how->{talks} || !/[.]{3}|\AGenerating |\Abonnie: (?:running as root|the size is less)|; about \d/ } split /\n/, $run->{err};
    @lines = grep { !/: data file \d+ in / } @lines if $case->{fault} =~ /retval=|short/; # the damage was found before something else failed
    return scalar(@lines) . ' lines' if @lines != 1;
    return if ($what // q{}) =~ /\Awrite[(]\d+<pipe:/ && $lines[0] =~ m{cannot be known: Input/output error\z}; # the process that asks loop devices could not answer
    return if $case->{call} =~ /stat/ && $case->{fault} =~ /\AE(?:ACCES|NOENT)/ && $lines[0] =~ /another user can change its directory/; # what cannot be looked at is not safe
    return if ($what // q{}) =~ /, F_GETFL/ && $lines[0] =~ /: Bad file descriptor\z/; # musl's fdopendir() takes a failed fcntl() for O_PATH
    return if ($what // q{}) =~ m{\Alseek[(]\d+</etc/(?:passwd|group)>} && $lines[0] =~ /: no (?:user|group) is named /; # glibc takes a list in which it cannot seek for an empty one
    return says_why($lines[0], $case->{call}, $case->{fault}) ? () : 'not the reason';
}

# A call that moved less than it reported: the program finds the damage when it
# reads the data.
sub is_damage {
    my ($run) = @_;
    return $run->{err} =~ /(?:something other than what was written: \d+ damaged places$| returned wrong bytes of .*, between)|has \d+ bytes, which is not what was written$/m;
}

# The report may be complete before the clean-up fails.
sub after_the_tests {
    my ($case, $run) = @_;
    return is_damage($run) || $run->{err} =~ /^bonnie: (?:remove|delete) /m;
}

done_testing();
