# SPDX-License-Identifier: GPL-2.0-or-later
# Runs bonnie, and finds figures in its reports.
package Bench::Bonnie;

use strict;
use warnings;
use Exporter 'import';
use Bench::Run qw(output_of);

our @EXPORT_OK = qw(beside_bonnie use_bonnie bonnie_version bonnie_fields bonnie_iops bonnie_reads as_user $PUT_BLOCK $GET_BLOCK);

# Fields of the CSV line with KiB/s, counted from 0.
our $PUT_BLOCK = 11;
our $GET_BLOCK = 17;

my $bonnie;

sub use_bonnie {
    ($bonnie) = @_;
    return;
}

# The path of another program of the suite.
sub beside_bonnie {
    my ($name) = @_;
    return $bonnie =~ m{/} ? $bonnie =~ s{[^/]*\z}{$name}r : $name;
}

sub bonnie_version {
    my ($version) = output_of($bonnie, '--version') =~ /(\S+)$/m;
    return $version;
}

# Both bonnies must be told to stay root.
sub as_user {
    return $> == 0 ? qw(-u root) : ();
}

# The fields of the CSV line.
sub bonnie_fields {
    my @options = @_;
    my $text = output_of($bonnie, qw(-q -r 0 --format=csv), as_user(), @options);
    chomp(my $line = (split /^/, $text)[-1]);
    return split /,/, $line, -1;
}

my @RANDOM_READS = qw(-q -r 0 -n 0 --tests=iops --iops-writes=0 --iops-block=4k);

# A command that reads blocks of 4 KiB at random places until it is killed.
sub bonnie_reads {
    my @options = @_;
    return ($bonnie, @RANDOM_READS, '--iops-duration=86400', as_user(), @options);
}

# The rate of random reads, and the seconds of CPU time that each takes. The CSV line has no field
# for the latter: %CP is a whole number, where 100 is one CPU, so rounding loses at most half of
# one, which is 1 % of what a busy engine takes.
sub bonnie_iops {
    my @options = @_;
    my $text = output_of($bonnie, @RANDOM_READS, qw(-m bench --format=text), as_user(), @options);
    my ($rate, $cpu) = $text =~ /block writes.*\nbench\s+\S+\s+\d+%\s+([\d.]+)\s+(\d+)/;
    die "$bonnie: no rate of iops\n" if !defined $rate || $rate <= 0;
    return ($rate, $cpu / 100 / $rate);
}

1;
