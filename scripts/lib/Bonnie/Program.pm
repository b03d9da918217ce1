# What both programs share: options, help, exit status.
package Bonnie::Program;

use strict;
use warnings;
use Encode ();
use Exporter 'import';
use File::Basename qw(basename);
use Getopt::Long   ();
use Bonnie::Input  qw(read_results);
use Bonnie::Output qw(write_report);
use Bonnie::Version;

our @EXPORT_OK = qw(run_program);

# %program: help => TEXT; options => [ Getopt::Long specifications ];
# report => sub ($options, @records), which returns the whole report.
# Returns the exit status.
sub run_program {
    my (%program) = @_;

    # A closed pipe is to be an error with a message, not a silent death.
    local $SIG{PIPE} = 'IGNORE';
    binmode STDERR, ':encoding(UTF-8)';
    return 0 if eval { work(%program); 1 };
    my $error = $@;
    print {*STDERR} basename($0), ": $error";
    return 1;
}

sub work {
    my (%program) = @_;
    my $options = parse_options(@{ $program{options} // [] });
    return write_report($program{help})    if $options->{help};
    return write_report(version_message()) if $options->{version};
    my $report = $program{report}->($options, read_results(@ARGV));
    write_report($report, $options->{output});
    return;
}

sub parse_options {
    my @extra  = @_;
    my $parser = Getopt::Long::Parser->new(config => [qw(bundling no_ignore_case no_auto_abbrev)]);
    my (%options, $complaint);
    local $SIG{__WARN__} = sub { $complaint //= lcfirst shift };
    $parser->getoptions(\%options, 'help|h', 'version|V', 'output|o=s', @extra)
        or die $complaint =~ s/\s*\z//r, "; try --help\n";
    die "--output needs a file name; try --help\n" if ($options{output} // q{-}) eq q{};
    return \%options;
}

sub version_message {
    return basename($0) . " $Bonnie::Version::VERSION\n";
}

1;
