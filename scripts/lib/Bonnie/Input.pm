# Reads all input files; what cannot be read is named on stderr. CSV lines,
# JSON reports and what else programs print may stand in one file.
package Bonnie::Input;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Csv      qw(parse_line);
use Bonnie::Json     qw(report_records);
use Bonnie::JsonText qw(read_value);
use Bonnie::Plain    qw(plain_text);

our @EXPORT_OK = qw(read_results);

# Where a line begins like this, it is the first one of a JSON report.
my $JSON_BEGINS = qr/(?:\xEF\xBB\xBF)?(?=\{\s*")/;

# Returns the records in the order in which they were given; dies when a
# file cannot be read or nothing in all of them is a result.
sub read_results {
    my @files   = @_ ? @_ : (q{-});
    my @records = map { read_file($_) } @files;
    my @names   = map { display_name($_) } @files;
    die "no result found in @names\n" if !@records;
    return @records;
}

sub display_name {
    my ($file) = @_;
    return $file eq q{-} ? 'standard input' : plain_text($file);
}

sub read_file {
    my ($file) = @_;
    my $name   = display_name($file);
    my $bytes  = contents($file, $name);
    my $line   = 1;
    my @records;
    pos($bytes) = 0;
    while (pos $bytes < length $bytes) {
        my $begin = pos $bytes;
        my ($results, @problems) = $bytes =~ /\G$JSON_BEGINS/gc ? next_report(\$bytes) : next_line(\$bytes);
        $_->{source} = { file => $name, line => $line } for @{$results};
        warn_about($name, $line, $_) for @problems;
        push @records, @{$results};
        $line += substr($bytes, $begin, pos($bytes) - $begin) =~ tr/\n//;
    }
    return @records;
}

sub contents {
    my ($file, $name) = @_;
    my $handle = open_input($file, $name);
    local $/ = undef;
    my $bytes = readline $handle;

    # At the end of a file close succeeds; after a read error it does not.
    close $handle or die "cannot read $name: $!\n";
    return $bytes // q{};
}

sub open_input {
    my ($file, $name) = @_;
    die "cannot read $name: Is a directory\n" if $file ne q{-} && -d $file;
    my $handle;
    my $opened = $file eq q{-} ? open($handle, '<&', \*STDIN) : open($handle, '<:raw', $file);
    die "cannot read $name: $!\n" if !$opened;
    binmode $handle;
    return $handle;
}

# Both take what is at pos of the bytes that $text refers to, move pos behind
# it, and return (\@records, problems).

sub next_line {
    my ($text) = @_;
    ${$text} =~ /\G([^\n]*\n?)/gc;
    my ($record, @problems) = parse_line($1);
    return ([ $record // () ], @problems);
}

# After one that cannot be read it goes on with the next line.
sub next_report {
    my ($text) = @_;
    my $begin  = pos ${$text};
    my $report = eval { read_value($text) };
    return report_records($report) if $report;
    my $why  = $@ =~ s/\n\z//r;
    my $line = 1 + substr(${$text}, 0, pos ${$text}) =~ tr/\n//;
    pos(${$text}) = $begin;
    ${$text} =~ /\G[^\n]*\n?/gc;
    return ([], "a JSON report that cannot be read: $why in line $line");
}

sub warn_about {
    my ($name, $line, $problem) = @_;
    print {*STDERR} "$name:$line: $problem\n";
    return;
}

1;
