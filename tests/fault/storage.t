#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Storage that fails, is full, or may not be written to: the run ends with the reason and leaves
# nothing behind. The errors are the kernel's own, including those of transfers in flight.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Fcntl qw(O_CREAT O_WRONLY);
use File::Temp ();
use Test::More;
use Time::HiRes qw(time);
use Root;
BEGIN { Root::private_mounts() }
use Attack      qw(stopped);
use BonnieRun   qw(@BLOCK_TESTS engines start wait_until wait_until_working);
use Calls       qw(failures was_refused);
use FailingDisk ();
use Fault       qw(every playground run_cases);
use RunProgram  qw(slurp);
use Trace       qw(%TITLE can_trace);

my %usable  = map { $_ => 1 } engines();
my @engines = grep { $usable{$_} } qw(sync libaio io_uring);

# ---- a disk that fails to read or to write -------------------------------------------------------

SKIP: {
    my ($disk, $why_not) = FailingDisk->new(96);
    skip $why_not, 1 if !$disk;
    my @cases;
    for my $engine (@engines) {
        for my $test (@BLOCK_TESTS, 'putc') {
            next if $test eq 'putc' && $engine ne 'sync';
            my @fails = $test eq 'get_block' ? 'read' : $test =~ /put/ ? 'write' : qw(read write);
            push @cases, map { { name => "$engine, $test: no $_", engine => $engine, test => $test, fails => $_ } } @fails;
        }
    }
    # One at a time, because there is one disk.
    my @ground = playground($disk->dir);
    system 'sync', '-f', $disk->dir; # otherwise the failing disk would lose the foreign files, too
    run_cases('a disk that stops working', [ every(8, @cases) ],
        grounds => \@ground,
        start   => sub {
            my ($case, $ground) = @_;
            my @direct = $case->{test} eq 'putc' ? '-b' : '-D';
            my $run = start('-d', $ground->{dir}, @direct, qw(-r0 -n0 --cache=keep --format=csv),
                $case->{test} eq 'putc' ? qw(-s64 -f64) : qw(-s16:64k:1000000:3 -f16 --time=100 --iops-duration=100), "--engine=$case->{engine}", $case->{engine} eq 'sync' ? () : '--iodepth=4', "--tests=$case->{test}");
            wait_until('the test', sub { slurp($run->{err_file}) =~ /^\Q$TITLE{ $case->{test} }\E/m });
            wait_until_working($run->{pid});
            $run->{fault_at} = time;
            $disk->fail($case->{fails});
            return $run;
        },
        judge   => sub {
            my ($case, $run) = @_;
            $disk->mend;
            my @lines = grep { !/[.]{3}|: running as root|the size is less|; about \d/ } split /\n/, $run->{err};
            my $file  = qr/data file 0 in \S+(?: at \d+)?/;
            # ext4 answers EUCLEAN when it cannot read its own blocks. What cannot be removed now is named, too.
            my $reason = qr/(?:Input\/output error|Structure needs cleaning)/;
            my $well  = @lines == 1 && $lines[0] =~ /\Abonnie: (?:read|write|write back|fsync|putc to) $file: $reason(?:; remove directory \S+: $reason)?\z/;
            return 'told', $run->{status} eq '1' && $run->{out} eq q{} && $well ? () : "$run->{status}: $run->{out}$run->{err}";
        },
        may_leave => sub { return [] }, # what cannot be written cannot be removed permanently
    );
}

# ---- limits on size, processes and time; no room -------------------------------------------------

my $small  = '-r0 -q --format=csv --min-time=0';
my %signal = (XCPU => 24, XFSZ => 25);
my $blocks = '-s4:64k -n0 -f --tests=put_block';
my $too_large = qr/files are limited to \S+ \w+, but one of \S+ \w+ is needed \(ulimit -f\)/;

# name => the limit, the exit status, the message (undef: none), and the run.
sub sh { my ($limit) = @_; return [ 'sh', '-c', "$limit; exec \"\$@\"", 'sh' ] }
my %limits = (
    'files of 64 KiB at most'  => [ sh('ulimit -f 64'), 1, $too_large, $blocks ],
    'files of nothing at most' => [ sh('ulimit -f 0'), "signal $signal{XFSZ}", undef, $blocks ], # not even the reason can be written
    'files of 3 MB at most'    => [ sh('ulimit -f 3000'), 1, $too_large, $blocks ],
    'small files of 4 KiB at most' => [ sh('ulimit -f 4'), 1, $too_large, '-s0 -n1:9000:9000 --tests=seq_create' ],
    'a second of CPU'          => [ sh('ulimit -S -t 1'), "signal $signal{XCPU}", undef, '-s1024g:1m -n0 -f --engine=null --tests=put_block' ],
);
my %processes = map {
    ("$_ processes at most" => [ [ 'prlimit', "--nproc=$_" ], 1, qr/: Resource temporarily unavailable|can be started \(ulimit -u\)/,
        '-s1:64k:40:3 -n1:0:0:2 -c3 --iops-duration=0.01 --tests=put_block,seeks,iops,seq_create' ])
} 2 .. 9; # one of the processes is strace

sub limited {
    my ($name, $how, %limits) = @_;
    run_cases($name, [ map { { name => $_, limit => $limits{$_} } } every(8, sort keys %limits) ],
        start => sub {
            my ($case, $ground) = @_;
            my ($wrap, undef, undef, $args) = @{ $case->{limit} };
            chmod oct(666), $case->{log} = File::Temp->new;
            return start({ %{$how}, wrap => [ failures($case->{log}), @{$wrap} ] }, '-d', $ground->{dir}, split q{ }, "$small $args");
        },
        judge => sub {
            my ($case, $run) = @_;
            my (undef, $status, $line) = @{ $case->{limit} };
            my $refused = was_refused($case->{log}, qr/clone3?/, 'EAGAIN');
            $case->{log} = undef;
            return $refused ? 'recovered' : 'missed' if "$run->{status}$run->{err}" eq '0' && $how->{as} && $run->{out} =~ /\A1[.]98,.*\n\z/;
            my $words = defined $line ? $run->{err} =~ /\Abonnie: [^\n]*$line\n\z/ : $run->{err} eq q{};
            my $well  = "$run->{status}$run->{out}" eq $status && $words;
            return $status eq '1' ? 'told' : 'ended', $well ? () : "$run->{status}: $run->{out}$run->{err}";
        },
    );
    return;
}

SKIP: {
    skip 'strace cannot trace here', 1 if !can_trace();
    limited('limits of size and time', {}, %limits);
    skip 'needs root: only another user has few processes', 1 if !Root::is_root() || !BonnieRun::nobody_can();
    limited('limits of processes', { as => 'nobody' }, %processes);
}

# Another program fills the filesystem while the run is at work.
SKIP: {
    skip 'small filesystems need root and mounts of its own', 1 if !Root::may_mount();
    my $no_space = qr/: No space left on device/;
    my @full = (
        (map { { name => "full disk, $_", size => 'size=12m', args => "-s8:64k -n0 -f --tests=put_block,rewrite --engine=$_" } } @engines),
        { name => 'full disk, putc',        size => 'size=12m', args => '-s8:64k -n0 -f8 --tests=putc' },
        { name => 'full disk, small files', size => 'size=24m', args => '-s0 -n1:9000:9000 --tests=seq_create' },
        { name => 'no inodes for files',    size => 'size=8m,nr_inodes=4000', args => '-s0 -n2 --tests=seq_create',    inodes => 1 },
        { name => 'no inodes for links',    size => 'size=8m,nr_inodes=4000', args => '-s0 -n2:-2 --tests=ran_create', inodes => 1 },
    );
    # The run is stopped when it has made its directory, until there is no room left.
    skip 'strace cannot trace here', 1 if !can_trace();
    for my $size (qw(size=12m size=24m), 'size=8m,nr_inodes=4000') {
        my $fs      = Root::tmpfs($size);
        my @grounds = playground("$fs");
        run_cases("no room left, $size", [ grep { $_->{size} eq $size } @full ],
            grounds => \@grounds,
            start   => sub {
                my ($case, $ground) = @_;
                my $run = stopped('mkdirat', 1, '-d', $ground->{dir}, split q{ }, "$small $case->{args}");
                take_all("$fs", $case->{inodes});
                $run->{fault_at} = time;
                kill CONT => -$run->{pid};
                return $run;
            },
            judge   => sub {
                my ($case, $run) = @_;
                system "rm -rf $fs/taken";
                my $well = "$run->{status}$run->{out}" eq '1' && $run->{err} =~ /\Abonnie: [^\n]*$no_space\n\z/;
                return 'told', $well ? () : "$run->{status}: $run->{out}$run->{err}";
            },
        );
    }
}

# Uses up all room, or all inodes.
sub take_all {
    my ($dir, $inodes) = @_;
    mkdir "$dir/taken";
    for (my $i = 0; sysopen(my $file, "$dir/taken/$i", O_WRONLY | O_CREAT); $i++) {
        next if $inodes;
        1 while syswrite $file, 'x' x 65536;
        return;
    }
    return;
}

done_testing();
