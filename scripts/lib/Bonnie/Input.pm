# SPDX-License-Identifier: GPL-2.0-or-later
# Reads all input files, and reports on stderr what cannot be read. A file may
# contain CSV lines, JSON reports and other output of programs in any order.
#
# Files may be hostile. Time and memory grow in proportion to their size: no
# byte is examined more than a few times.
package Bonnie::Input;

use strict;
use warnings;
use experimental 'signatures';
use Encode ();
use Exporter 'import';
use File::Basename qw(basename);
use Bonnie::Ab::Result qw(campaign_of is_campaign);
use Bonnie::Csv      qw(next_result $MOST_IN_VAIN);
use Bonnie::Cut      ();
use Bonnie::GoBonnieGo ();
use Bonnie::Json     qw(report_records);
use Bonnie::JsonText qw(try_value);
use Bonnie::Load     ();
use Bonnie::OtherForms qw(other_form);
use Bonnie::Output   qw(tell_line);
use Bonnie::Path     qw(open_to_read read_whole);
use Bonnie::Plain    qw(plain_text);
use Bonnie::Why      ();
use Bonnie::ZcavLog  qw(is_zcav zcav_courses);

our @EXPORT_OK = qw(read_logs_too read_results);

# A line that begins like this is the first one of a JSON report.
my $JSON_BEGINS = qr/(?:\xEF\xBB\xBF)?+(?=\{[ \t\r\n]*+")/;

# Lines that begin neither like a result nor like a report. Matches many of them at once.
my $ORDINARY = qr/\G(?:[\n\r]++|(?:(?![{1\xEF\s])[^,;\t|\n]{0,10000}+\n){1,1000}+)/a;

# Further problems of a file are counted but not listed.
my $MOST_LISTED = 20;

# Returns the records in the order of the input. Dies when a file cannot be
# read, or when none of them has a result.
sub read_results { return read_files(0, @_) }

# Does the same, but files of zcav become courses (see ZcavLog.pm).
sub read_logs_too { return read_files(1, @_) }

sub read_files ($takes_logs, @files) {
    @files = q{-} if !@files;
    my (@records, @without);
    for my $path (@files) {
        my ($file, @found) = read_file($path, $takes_logs);
        push @records, @found;
        push @without, $file if !@found;
    }
    die 'no result found in ', join(q{, }, map { $_->{name} . $_->{form} } @without), "\n" if !@records;
    tell_line("no result found in $_->{name}$_->{form}") for grep { !$_->{is_empty} } @without;
    return @records;
}

sub display_name ($file) { return $file eq q{-} ? 'standard input' : plain_text($file) }

# %file: name; line, its number at the current position; problems, their number;
# tries, as next_result() takes it; hopeless, { places where no report begins => 1 }. form and is_empty, of a
# file without results. Returns it, and the records.
sub read_file ($path, $takes_logs) {
    my %file   = (name => display_name($path), line => 1, problems => 0, tries => $MOST_IN_VAIN, hopeless => {});
    my $bytes = contents($path, $file{name});
    return (\%file, zcav_courses(\$bytes, $file{name})) if $takes_logs && is_zcav(\$bytes);
    my @records;
    pos($bytes) = 0;
    while (pos $bytes < length $bytes) {
        my $begin   = pos $bytes;
        my $results = $bytes =~ /\G$JSON_BEGINS/gc ? next_report(\$bytes, \%file) : next_line(\$bytes, \%file);
        for my $record (@{$results}) {
            $record->{source} = { file => $file{name}, line => $file{line} };
            $record->{label} //= basename($file{name}) =~ s/[.]json\z//r if $record->{tests};
        }
        push @records, @{$results};
        $file{line} += lines_between(\$bytes, $begin, pos $bytes);
    }
    tell_of_the_rest(\%file);
    my $form = @records || $file{problems} ? undef : other_form($bytes);
    return ({ %file, form => defined $form ? " ($form)" : q{}, is_empty => $bytes !~ /\S/ }, @records);
}

sub lines_between ($text, $begin, $end) {
    return substr(${$text}, $begin, $end - $begin) =~ tr/\n//;
}

sub contents ($file, $name) {
    return decoded(eval { read_whole($file eq q{-} ? copy_of_stdin() : open_to_read($file)) } // die "cannot read $name: $@");
}

# As UTF-8, whose lines end with a line feed.
sub decoded ($bytes) {
    my ($encoding) = $bytes =~ /\A(?:\xFF\xFE|\xFE\xFF)/ ? 'UTF-16' : $bytes =~ /\A(?:[^\0]\0){8}/ ? 'UTF-16LE' : $bytes =~ /\A(?:\0[^\0]){8}/ ? 'UTF-16BE' : undef;
    $bytes = Encode::encode('UTF-8', Encode::decode($encoding, $bytes)) if $encoding;
    $bytes =~ tr/\r/\n/ if index($bytes, "\n") < 0;
    return $bytes;
}

sub copy_of_stdin {
    open my $handle, '<&', \*STDIN or die "$!\n";
    return $handle;
}

# Both read what is at pos of the bytes that $text refers to, move pos past it,
# and return \@records.

sub next_line ($text, $file) {
    return [] if ${$text} =~ /$ORDINARY/gc;
    my ($record, $note, @problems) = next_result($text, \$file->{tries});
    problem($file, $_) for $note // (), @problems;
    return [ $record // () ];
}

# After a report that cannot be read, goes on with the next line, because
# another report may begin inside one that was cut off. Does not try values that
# were still open where reading failed, because they would fail there again.
sub next_report ($text, $file) {
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

# A load, a report of boncut or of bonwhy, or a campaign is one record: { load => ... }, { cut => ... },
# { why => ... }, { campaign => ... }.
sub records_of ($report) {
    return Bonnie::Load::records($report) if Bonnie::Load::is_report($report);
    return Bonnie::Cut::records($report)  if Bonnie::Cut::is_report($report);
    return Bonnie::Why::records($report)  if Bonnie::Why::is_report($report);
    return Bonnie::GoBonnieGo::records($report) if Bonnie::GoBonnieGo::is_report($report);
    return report_records($report) if !is_campaign($report);
    my ($campaign, @problems) = campaign_of($report);
    return ([ map { { campaign => $_ } } grep {defined} $campaign ], @problems);
}

sub skip_line ($text) {
    ${$text} =~ /\G[^\n]*+\n?/gc;
    return [];
}

# Reports a problem, and returns no record.
sub problem ($file, $words) {
    $file->{problems}++;
    tell_line("$file->{name}:$file->{line}: $words") if $file->{problems} <= $MOST_LISTED;
    return [];
}

sub tell_of_the_rest ($file) {
    my $more = $file->{problems} - $MOST_LISTED;
    tell_line("$file->{name}: $more more like these") if $more > 0;
    return;
}

1;
