# SPDX-License-Identifier: GPL-2.0-or-later
# Runs other programs, and makes directories that are removed at the end.
package Bench::Run;

use strict;
use warnings;
use Exporter 'import';
use File::Basename qw(dirname);
use File::Glob     qw(bsd_glob);
use File::Temp     qw(tempdir);

our @EXPORT_OK = qw(content_of has_program output_of own_program has_begun has_ended end_programs scratch_in compiled queue_sources);

# The programs that run now, by process ID. None of them may outlive this program and go
# on writing.
my %running;

END {
    my $status = $?;
    end_programs();
    $? = $status;
}

# Notes that this program has started a process, and that it has waited for one.
sub has_begun { my ($pid) = @_; return $running{$pid} = 1 }
sub has_ended { my ($pid) = @_; return delete $running{$pid} }

# Ends all programs that run, even if they are stopped. They remove what they made.
sub end_programs {
    for my $pid (keys %running) {
        kill TERM => $pid;
        kill CONT => $pid;
        waitpid $pid, 0;
        has_ended($pid);
    }
    return;
}

# The contents of a file; nothing if the file cannot be read.
sub content_of {
    my ($file) = @_;
    open my $in, '<', $file or return q{};
    local $/ = undef;
    return readline($in) // q{};
}

# The path of a program of this suite: what the variable with its name says, that of the build
# directory, or the installed one.
sub own_program {
    my ($name) = @_;
    return $ENV{ uc $name } // (-x "./$name" ? "./$name" : $name);
}

sub has_program {
    my ($name) = @_;
    return scalar grep { -x "$_/$name" && -f _ } split /:/, $ENV{PATH};
}

# What a command prints. Dies if the command fails.
sub output_of {
    my @command = @_;
    no warnings 'exec'; # it dies in that case
    my $pid = open my $out, '-|', @command or die "$command[0]: $!\n";
    has_begun($pid);
    my $text = join q{}, readline $out;
    my $closed = close $out;
    has_ended($pid);
    die "$command[0] failed\n" if !$closed;
    return $text;
}

# A new directory below this one. It is removed with its contents when this program ends.
sub scratch_in {
    my ($directory) = @_;
    return tempdir('bench-XXXXXXXX', DIR => $directory, CLEANUP => 1);
}

# The path of the program built from bench/NAME.c and the other files it needs. It
# is built once.
my %programs;

sub compiled {
    my ($name, @more) = @_;
    my $bench = bench_directory();
    return $programs{$name} //= do {
        my $program = tempdir(CLEANUP => 1) . "/$name";
        output_of('cc', '-O2', '-D_GNU_SOURCE', "-I$bench/../src", '-o', $program, "$bench/$name.c", @more, '-lm');
        $program;
    };
}

sub bench_directory {
    return dirname(__FILE__) . '/../..';
}

sub has_header {
    my ($name) = @_;
    return system("echo '#include <$name>' | cc -E - >/dev/null 2>&1") == 0;
}

# The sources of the queue and of the engines that can be built here, and the libraries to link.
sub queue_sources {
    my $src = bench_directory() . '/../src';
    my @sources = map { bsd_glob("$src/$_.c") } qw(io/* util/* measure/histogram sys/stop io/engines/null io/engines/sync);
    for my $library ([qw(libaio LIBAIO aio)], [qw(liburing LIBURING uring)]) {
        my ($header, $macro, $linked) = @{$library};
        my $source = $header eq 'liburing' ? 'io_uring' : $header;
        push @sources, "-DHAVE_$macro", "$src/io/engines/$source.c", "-l$linked" if has_header("$header.h");
    }
    return @sources;
}

1;
