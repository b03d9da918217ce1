# Running other programs, and directories that are gone afterwards.
package Bench::Run;

use strict;
use warnings;
use Exporter 'import';
use File::Basename qw(dirname);
use File::Temp     qw(tempdir);

our @EXPORT_OK = qw(has_program output_of scratch_in compiled);

# The program that runs now: it must not outlive this one, and go on writing.
my $running;

END {
    if ($running) {
        my $status = $?;
        kill TERM => $running;
        waitpid $running, 0;
        $? = $status;
    }
}

sub has_program {
    my ($name) = @_;
    return scalar grep { -x "$_/$name" && -f _ } split /:/, $ENV{PATH};
}

# What the command prints. Dies if it fails.
sub output_of {
    my @command = @_;
    no warnings 'exec'; # it dies instead
    $running = open my $out, '-|', @command or die "$command[0]: $!\n";
    my $text = join q{}, readline $out;
    my $closed = close $out;
    $running = undef;
    die "$command[0] failed\n" if !$closed;
    return $text;
}

# A new directory below that one, which goes with all that is in it when this program ends.
sub scratch_in {
    my ($directory) = @_;
    return tempdir('bench-XXXXXXXX', DIR => $directory, CLEANUP => 1);
}

# The path of the program that is made of bench/NAME.c, once.
my %programs;

sub compiled {
    my ($name) = @_;
    my $bench = dirname(__FILE__) . '/../..';
    return $programs{$name} //= do {
        my $program = tempdir(CLEANUP => 1) . "/$name";
        output_of('cc', '-O2', "-I$bench/../src", '-o', $program, "$bench/$name.c", '-lm');
        $program;
    };
}

1;
