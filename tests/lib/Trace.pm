# Runs bonnie under strace and tells which system calls it made, and in which of its tests.
package Trace;

use strict;
use warnings;
use Exporter 'import';
use File::Temp ();
use BonnieRun  qw(bonnie have);

our @EXPORT_OK = qw(%TITLE can_trace phases trace);

# What the program prints when a test begins.
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
my %TEST_OF = reverse %TITLE;

sub can_trace {
    return have('strace') && system('strace -qq -o /dev/null true 2>/dev/null') == 0;
}

# trace(\%how, \@strace_options, ARGUMENT...): (the run, its system calls). Each call is a hash:
# pid, name, args, result (what follows the equals sign), all of them in the order in which the
# calls began; `order` is that place, and `ended` the place of what began next when it returned.
sub trace {
    my ($how, $options, @args) = @_;
    my $log = File::Temp->new;
    chmod oct(666), "$log";
    my $run = bonnie({ %{$how}, wrap => [ qw(strace -f -qq -a1 -s48 -o), "$log", @{$options}, '--' ] }, @args);
    return ($run, calls("$log"));
}

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
        elsif ($text =~ /\Asyscall_0x/ || $text =~ m{"/(?:sys/|proc/cpuinfo|proc/thread-self/|proc/self/(?!fd/))|[.]gcda"}) {
            next; # strace shows a call that it does not know whatever is asked for; counters are read, or written
        }
        elsif ($text =~ /\A(\w+)\((.*)\z/s) {
            my %call = (pid => $pid, name => $1, args => $2, result => q{}, order => scalar @calls);
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

# The calls of each test that was announced on stderr: {test => [calls]}. `write` has to be traced.
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
