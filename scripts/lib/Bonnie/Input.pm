# Reads all input files; what cannot be read is named on stderr.
package Bonnie::Input;

use strict;
use warnings;
use Exporter 'import';
use Bonnie::Csv   qw(parse_line);
use Bonnie::Plain qw(plain_text);

our @EXPORT_OK = qw(read_results);

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
    my $handle = open_input($file, $name);
    my @records;
    while (my $line = readline $handle) {
        my ($record, @problems) = parse_line($line);
        warn_about($name, $., $_) for @problems;
        next if !$record;
        $record->{source} = { file => $name, line => $. };
        push @records, $record;
    }

    # At the end of a file close succeeds; after a read error it does not.
    close $handle or die "cannot read $name: $!\n";
    return @records;
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

sub warn_about {
    my ($name, $line, $problem) = @_;
    print {*STDERR} "$name:$line: $problem\n";
    return;
}

1;
