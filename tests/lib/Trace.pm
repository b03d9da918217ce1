# SPDX-License-Identifier: GPL-2.0-or-later
# Runs bonnie under strace, and finds which system calls it made in which of its tests.
package Trace;

use strict;
use warnings;
use Exporter 'import';
use File::Temp ();
use BonnieRun  qw(bonnie have);

our @EXPORT_OK = qw(%TITLE also_older can_trace phases same_call trace usual_name);

# The program's line at the start of a test.
our %TITLE = (
    putc       => 'Writing by character',
    put_block  => 'Writing in chunks',
    rewrite    => 'Rewriting',
    getc       => 'Reading by character',
    get_block  => 'Reading in chunks',
    seeks      => 'Seeking',
    iops       => 'Reading and writing at random places',
    seq_create => 'Creating files in sorted order',
    seq_stat   => 'Reading files in directory order',
    seq_del    => 'Deleting files in directory order',
    ran_create => 'Creating files in random order',
    ran_stat   => 'Reading files in random order',
    ran_del    => 'Deleting files in random order',
);
my %TEST_OF = (reverse(%TITLE), map { ("$_ at random places" => 'iops') } qw(Reading Writing));

sub can_trace {
    return have('strace') && system('strace -qq -o /dev/null true 2>/dev/null') == 0;
}

# trace(\%how, \@strace_options, ARGUMENT...): (the run, its system calls). Each call is a hash:
# pid, name, args, result (what follows the equals sign). Calls are in the order in which they
# began; `order` is a call's position, and `ended` that of the next call that began after it had
# returned.
sub trace {
    my ($how, $options, @args) = @_;
    my $log = File::Temp->new;
    chmod oct(666), "$log";
    my $run = bonnie({ %{$how}, wrap => [ qw(strace -f -qq -a1 -s48 -o), "$log",
        only_these(@{$options}), (map { also_older($_) } @{$options}), '--' ] }, @args);
    return ($run, calls("$log"));
}

# The option with which the kernel stops the program for the traced calls alone. Signals that strace
# injects do not reach the program then.
sub only_these {
    my $options = "@_";
    return $options =~ /\btrace=/ && $options !~ /\bsignal=/ ? '--seccomp-bpf' : ();
}

# The loader reads the headers of a library, whose number differs from one to the next.
my $LOADER = qr/\Ap?read(?:64)?\(\d+, "(?:\\177ELF|\\6\\0\\0\\0\\4\\0\\0\\0)/;

sub calls {
    my ($file) = @_;
    my (@calls, %unfinished);
    open my $log, '<', $file or die "$file: $!\n";
    while (my $line = readline $log) {
        my ($pid, $text) = $line =~ /\A(\d+) +(.*)\n\z/ or next;
        if ($text =~ /\A<\.\.\. (\w+) resumed>(.*?)(?:\) += (.*))?\z/) {
            my $call = delete $unfinished{$pid} or next;
            $call->{args} .= $2;
            $call->{result} = $3 // q{};
            $call->{ended}  = @calls;
        }
        elsif ($text =~ /\Asyscall_0x/ || $text =~ m{"/(?:sys/|proc/cpuinfo|proc/thread-self/|proc/self/(?!fd/))|[.]gcda"} || $text =~ $LOADER) {
            next; # strace shows unknown calls whatever is asked for; these read or write counters, or load a library
        }
        elsif ($text =~ /\A(\w+)\((.*)\z/s) {
            my ($name, $args) = same_call($1, $2);
            my %call = (pid => $pid, name => $name, made => $1, args => $args, result => q{}, order => scalar @calls);
            if ($call{args} =~ s/ ?<unfinished \.\.\.>\z//) {
                $unfinished{$pid} = \%call;
            }
            elsif ($call{args} =~ s/\) += (.*)\z//) {
                $call{result} = $1;
            }
            push @calls, \%call;
            $call{ended} = @calls;
        }
    }
    return @calls;
}

# Other libraries make other calls for the same purpose: musl older ones for files, and readv() and writev() in stdio;
# libaio of Debian 13 one with a mask of signals. same_call(NAME, ARGS): the call as glibc and libaio of Debian 12 make it.
# A transfer of several parts becomes that of its first part that is not empty.
my %USUAL = (readv => 'read', writev => 'write', open => 'openat', pipe => 'pipe2', io_pgetevents => 'io_getevents',
    map { $_ => 'newfstatat' } qw(stat lstat fstat));

sub usual_name { return $USUAL{ $_[0] } // $_[0] }

sub same_call {
    my ($name, $args) = @_;
    if ($name =~ /v\z/) {
        $args =~ s/\[(?:\{iov_base="", iov_len=0\}, )?\{iov_base=(.*?), iov_len=(\d+)\}.*?\], \d+/$1, $2/ if $USUAL{$name};
    }
    elsif ($name =~ /\A(?:open|l?stat)\z/) {
        $args = "AT_FDCWD, $args";
    }
    elsif ($name eq 'fstat') {
        $args =~ s/,(.*?)(?=\)|\z)/, "",$1, AT_EMPTY_PATH/;
    }
    return (usual_name($name), $args);
}

# An option of strace that also names the calls that other libraries make for the same purpose.
my %ALSO = (read => 'readv', write => 'writev', openat => '?open', newfstatat => '?stat,?lstat,?fstat', pipe2 => '?pipe', io_getevents => '?io_pgetevents');

sub also_older {
    my ($option) = @_;
    my ($kind, $calls, $rest) = $option =~ /\A((?:trace|inject)=)([\w,?]+)(.*)\z/s or return $option;
    return $kind . join(q{,}, map { my $also = $ALSO{s/\A[?]//r}; defined $also ? "$_,$also" : $_ } split /,/, $calls) . $rest;
}

# The calls of each test that was announced on stderr: {test => [calls]}. `write` must be traced.
sub phases {
    my (@calls) = @_;
    my (%phase, $test);
    for my $call (@calls) {
        if ($call->{name} eq 'write' && $call->{args} =~ /\A2(?:<[^>]*>)?, "([^"]*?)(?:\.\.\.)?"/) {
            $test = $TEST_OF{$1} if $TEST_OF{$1};
            $test = undef if $1 =~ /\Adone/;
        }
        push @{ $phase{$test} }, $call if defined $test;
    }
    return \%phase;
}

1;
