# Runs bonnie under strace, and finds which system calls it made in which of its tests.
package Trace;

use strict;
use warnings;
use Exporter 'import';
use File::Temp ();
use BonnieRun  qw(bonnie have);

our @EXPORT_OK = qw(%TITLE can_trace phases trace);

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
my %TEST_OF = reverse %TITLE;

sub can_trace {
    return have('strace') && system('strace -qq -o /dev/null true 2>/dev/null') == 0;
}

# trace(\%how, \@strace_options, ARGUMENT...): (the run, its system calls). Each call is a hash:
# pid, name, args, result (what follows the equals sign), in the order in which the calls began;
# `order` is its position, and `ended` the position of the next call that began after it had
# returned.
sub trace {
    my ($how, $options, @args) = @_;
    my $log = File::Temp->new;
    chmod oct(666), "$log";
    my $run = bonnie({ %{$how}, wrap => [ qw(strace -f -qq -a1 -s48 -o), "$log", (map { with_parts($_) } @{$options}), '--' ] }, @args);
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
            next; # strace shows unknown calls whatever is asked for; these read or write counters
        }
        elsif ($text =~ /\A(\w+)\((.*)\z/s) {
            my %call = (pid => $pid, as_one_part($1, $2), result => q{}, order => scalar @calls);
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

# The stdio of some C libraries, such as musl's, moves the same bytes with readv() and writev(): these calls are shown as
# the read() or write() of their first part.
sub as_one_part {
    my ($name, $args) = @_;
    my $plain = { readv => 'read', writev => 'write' }->{$name} // return (name => $name, args => $args);
    $args =~ s/\[\{iov_base=(.*?), iov_len=(\d+)\}.*?\], \d+/$1, $2/;
    return (name => $plain, args => $args);
}

# Options of strace that name read or write name these calls, too.
sub with_parts {
    my ($option) = @_;
    return $option =~ s/\b(read|write)\b/$1,$1v/gr if $option =~ /\Atrace=/;
    return $option =~ s/\Ainject=(read|write):/inject=$1,$1v:/r;
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
