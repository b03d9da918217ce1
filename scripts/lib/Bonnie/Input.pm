# SPDX-License-Identifier: GPL-2.0-or-later
# Reads all input files, and reports on stderr what cannot be read. A file may
# contain CSV lines, JSON reports and other output of programs in any order.
#
# Files may be hostile. Time and memory grow in proportion to their size: no
# byte is examined more than a few times.
package Bonnie::Input;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Ab::Result qw(campaign_of is_campaign);
use Bonnie::Csv      qw(parse_line);
use Bonnie::Cut      ();
use Bonnie::Json     qw(report_records);
use Bonnie::JsonText qw(try_value);
use Bonnie::Load     ();
use Bonnie::Output   qw(tell_line);
use Bonnie::Path     qw(open_to_read read_whole);
use Bonnie::Plain    qw(plain_text);
use Bonnie::ZcavLog  qw(is_zcav zcav_courses);

our @EXPORT_OK = qw(read_logs_too read_results $LONGEST_LINE);

# A line that begins like this is the first one of a JSON report.
my $JSON_BEGINS = qr/(?:\xEF\xBB\xBF)?+(?=\{[ \t\r\n]*+")/;

# Lines that begin neither like a result nor like a report. Matches many of them
# at once.
my $ORDINARY = qr/\G(?:[\n\r]++|(?:(?![{1\xEF\s])[^,\n]{0,10000}+\n){1,1000}+)/a;

# In bytes; CSV results are far shorter. A JSON report may be as long as its file.
our $LONGEST_LINE = 65_536;

# Further problems of a file are counted but not listed.
my $MOST_LISTED = 20;

# Returns the records in the order of the input. Dies when a file cannot be
# read, or when none of them has a result.
sub read_results { return read_files(0, @_) }

# Does the same, but files of zcav become courses (see ZcavLog.pm).
sub read_logs_too { return read_files(1, @_) }

sub read_files {
    my ($takes_logs, @files) = @_;
    @files = q{-} if !@files;
    my @records = map { read_file($_, $takes_logs) } @files;
    my @names   = map { display_name($_) } @files;
    die "no result found in @names\n" if !@records;
    return @records;
}

sub display_name {
    my ($file) = @_;
    return $file eq q{-} ? 'standard input' : plain_text($file);
}

# %file: name; line, its number at the current position; problems, their number;
# hopeless, { places where no report begins => 1 }.
sub read_file {
    my ($path, $takes_logs) = @_;
    my %file   = (name => display_name($path), line => 1, problems => 0, hopeless => {});
    my $bytes  = contents($path, $file{name});
    return zcav_courses(\$bytes, $file{name}) if $takes_logs && is_zcav(\$bytes);
    my @records;
    pos($bytes) = 0;
    while (pos $bytes < length $bytes) {
        my $begin   = pos $bytes;
        my $results = $bytes =~ /\G$JSON_BEGINS/gc ? next_report(\$bytes, \%file) : next_line(\$bytes, \%file);
        $_->{source} = { file => $file{name}, line => $file{line} } for @{$results};
        push @records, @{$results};
        $file{line} += lines_between(\$bytes, $begin, pos $bytes);
    }
    tell_of_the_rest(\%file);
    return @records;
}

sub lines_between {
    my ($text, $begin, $end) = @_;
    return substr(${$text}, $begin, $end - $begin) =~ tr/\n//;
}

sub contents {
    my ($file, $name) = @_;
    return eval { read_whole($file eq q{-} ? copy_of_stdin() : open_to_read($file)) } // die "cannot read $name: $@";
}

sub copy_of_stdin {
    open my $handle, '<&', \*STDIN or die "$!\n";
    return $handle;
}

# Both read what is at pos of the bytes that $text refers to, move pos past it,
# and return \@records.

sub next_line {
    my ($text, $file) = @_;
    return [] if ${$text} =~ /$ORDINARY/gc;
    ${$text} =~ /\G([^\n]*+)\n?/gc;
    return problem($file, "a line of more than $LONGEST_LINE bytes is skipped") if length $1 > $LONGEST_LINE;
    my ($record, @problems) = parse_line($1);
    problem($file, $_) for @problems;
    return [ $record // () ];
}

# After a report that cannot be read, goes on with the next line, because
# another report may begin inside one that was cut off. Does not try values that
# were still open where reading failed, because they would fail there again.
sub next_report {
    my ($text, $file) = @_;
    my $begin = pos ${$text};
    return skip_line($text) if $file->{hopeless}{$begin};
    my ($report, $fault) = try_value($text);
    if ($fault) {
        $file->{hopeless} = { map { $_ => 1 } @{ $fault->{hopeless} } };
        my $line = $file->{line} + lines_between($text, $begin, $fault->{place});
        pos(${$text}) = $begin;
        problem($file, "a JSON report that cannot be read: $fault->{why} in line $line");
        return skip_line($text);
    }
    my ($records, @problems) = records_of($report);
    problem($file, $_) for @problems;
    return $records;
}

# A load, a report of boncut or a campaign is one record: { load => ... }, { cut => ... }, {
# campaign => ... }.
sub records_of {
    my ($report) = @_;
    return Bonnie::Load::records($report) if Bonnie::Load::is_report($report);
    return Bonnie::Cut::records($report)  if Bonnie::Cut::is_report($report);
    return report_records($report) if !is_campaign($report);
    my ($campaign, @problems) = campaign_of($report);
    return ([ map { { campaign => $_ } } grep {defined} $campaign ], @problems);
}

sub skip_line {
    my ($text) = @_;
    ${$text} =~ /\G[^\n]*+\n?/gc;
    return [];
}

# Reports a problem, and returns no record.
sub problem {
    my ($file, $words) = @_;
    $file->{problems}++;
    tell_line("$file->{name}:$file->{line}: $words") if $file->{problems} <= $MOST_LISTED;
    return [];
}

sub tell_of_the_rest {
    my ($file) = @_;
    my $more = $file->{problems} - $MOST_LISTED;
    tell_line("$file->{name}: $more more like these") if $more > 0;
    return;
}

1;
