# SPDX-License-Identifier: GPL-2.0-or-later
# Reads the CSV lines of every generation into records (see Record.pm).
#
# The number of fields tells the generation: 27 is 1.03, 47 and 48 are
# 1.9x, 50 is 1.98.
package Bonnie::Csv;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(any);
use Bonnie::Figure qw($NOT_RUN number_figure latency_figure);
use Bonnie::Plain  qw(plain_text shorten);
use Bonnie::Tests  qw(test_names tests_in_half);

our @EXPORT_OK = qw(parse_line);

my @HEAD    = qw(format version label concurrency seed file_size chunk_size);
my @SEEKING = qw(seek_count seekers);
my @FILES   = qw(num_files max_size min_size num_dirs);

my @IO_PAIRS   = map { ("$_->{name}.rate", "$_->{name}.cpu") } tests_in_half('io');
my @FILE_PAIRS = map { ("$_->{name}.rate", "$_->{name}.cpu") } tests_in_half('files');
my @LATENCIES  = map { "$_.latency" } test_names();

my %COLUMNS = (
    27 => [ qw(label file_size), @IO_PAIRS, 'num_files', @FILE_PAIRS ],
    47 => [ @HEAD, @IO_PAIRS, @FILES, @FILE_PAIRS, @LATENCIES ],
    48 => [ @HEAD, @IO_PAIRS, @FILES, 'file_chunk_size', @FILE_PAIRS, @LATENCIES ],
    50 => [ @HEAD, @SEEKING, @IO_PAIRS, @FILES, 'file_chunk_size', @FILE_PAIRS, @LATENCIES ],
);

# A line with fewer commas is ordinary output of a program.
my $COMMAS_OF_A_RESULT = 20;

# The first field of a line that states its format.
my $KNOWN_FORMAT = qr/1[.]9\d[[:alnum:]]*/a;

# Returns (record, problems). Neither a record nor a problem: an ordinary line.
# Only a problem: a result that cannot be read. A record with problems: some of
# its figures cannot be read.
sub parse_line {
    my ($line) = @_;
    $line =~ s/^\xEF\xBB\xBF//;    # the byte order mark of some editors
    $line = trimmed($line);
    return if $line =~ /^#/ || !looks_like_result($line) || is_header($line);

    my $problem = why_unreadable($line);
    return (undef, $problem) if $problem;
    return build_record(map { trimmed($_) } split /,/, $line, -1);
}

# Without the blanks around it, which some programs put behind commas.
sub trimmed {
    my ($text) = @_;
    return $text =~ s/\A\s++//ar =~ s/(?<!\s)\s++\z//ar;    # the possessive match never starts within a run of spaces, which would take quadratic time
}

sub looks_like_result {
    my ($line) = @_;
    return $line =~ /^$KNOWN_FORMAT\s*+(?:,|\z)/a || ($line =~ tr/,//) >= $COMMAS_OF_A_RESULT;
}

sub is_header {
    my ($line) = @_;
    return $line =~ /^[[:alpha:]][\w ]*+(?:,[[:alpha:]][\w ]*+)*+\z/a;
}

# Checks before the fields are used, because there may be any number of them.
sub why_unreadable {
    my ($line)  = @_;
    my ($begin) = split /,/, $line, 2;
    my $count = 1 + $line =~ tr/,//;
    my $first = shorten(plain_text($begin), 20);
    my $known = trimmed($begin) =~ /^$KNOWN_FORMAT\z/;
    return "number of fields is $count; a result has 27, 47, 48 or 50" if !$COLUMNS{$count};
    return "number of fields is 27; format $first has 47, 48 or 50"    if $known && $count == 27;
    return "unknown format \"$first\"" if !$known && $count != 27;
    return;
}

sub build_record {
    my @fields = @_;
    my %field;
    @field{ @{ $COLUMNS{ scalar @fields } } } = @fields;
    split_classic_settings(\%field) if @fields == 27;
    repair_settings(\%field);

    my %record = (settings(\%field), tests => { map { $_ => test(\%field, $_) } test_names() });
    my @problems = bad_figures(\%record);
    return (undef, 'none of its figures can be read') if !is_result(\%record, scalar @problems);
    return (\%record, @problems);
}

# 1.03 has SIZE:CHUNK and FILES:MAX:MIN/DIRS in one field each, and no version
# of its own.
sub split_classic_settings {
    my ($field) = @_;
    $field->{format} = $field->{version} = '1.03';
    @{$field}{qw(file_size chunk_size)} = split_at_colons($field->{file_size}, 2);

    my ($sizes, $dirs) = split m{/}, $field->{num_files}, 2;
    @{$field}{qw(num_files max_size min_size)} = split_at_colons($sizes // q{}, 3);
    $field->{num_dirs} = $dirs // q{};
    return;
}

sub split_at_colons {
    my ($text, $count) = @_;
    my @parts = split /:/, $text, $count;
    return map { $_ // q{} } @parts[ 0 .. $count - 1 ];
}

# Bonnie++ from 1.9x to 2.00a omits both chunk sizes, and prints num_dirs one
# column late, in place of the second one. Programs from version 3 on have each
# field in its own column, and a version with one dot; only their lines of 50
# fields say the chunk size.
sub repair_settings {
    my ($field) = @_;
    return if $field->{format} eq '1.03';
    my ($major) = $field->{version} =~ /^(\d+)/a;
    my $is_ours = defined $major && $major >= 3;
    $field->{version} =~ s/\A(\d+)[.](\d)(\d)\z/$1.$2.$3/a if $is_ours;
    $field->{chunk_size} = undef if $field->{chunk_size} eq q{} && !($is_ours && exists $field->{seekers});
    return if $is_ours;
    return if $field->{num_dirs} ne q{} || !defined $field->{file_chunk_size};
    $field->{num_dirs}        = $field->{file_chunk_size};
    $field->{file_chunk_size} = undef;
    return;
}

sub settings {
    my ($field) = @_;
    my %settings;
    for my $name (@HEAD, @SEEKING, @FILES, 'file_chunk_size') {
        my $bytes = $field->{$name};
        $settings{$name} = defined $bytes ? plain_text($bytes) : undef;
    }
    return %settings;
}

sub test {
    my ($field, $name) = @_;
    my ($rate, $cpu, $latency) = map { $field->{"$name.$_"} // q{} } qw(rate cpu latency);
    return $NOT_RUN if "$rate$cpu$latency" eq q{};
    return { rate => number_figure($rate), cpu => number_figure($cpu), latency => latency_figure($latency) };
}

sub bad_figures {
    my ($record) = @_;
    my @bad;
    for my $name (test_names()) {
        for my $kind (qw(rate cpu latency)) {
            my $figure = $record->{tests}{$name}{$kind};
            next if $figure->{state} ne 'bad';
            push @bad, "$kind of $name is not a number: \"" . shorten($figure->{text}, 40) . q{"};
        }
    }
    return @bad;
}

# A line without any readable figure, or without both a format and figures, only
# happens to have the right number of commas.
sub is_result {
    my ($record, $problems) = @_;
    my @figures = map { values %{$_} } values %{ $record->{tests} };
    return 1 if any { $_->{state} =~ /^(?:value|fast)\z/ } @figures;
    return !$problems && $record->{format} ne '1.03';
}

1;
