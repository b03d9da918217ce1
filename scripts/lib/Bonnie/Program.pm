# SPDX-License-Identifier: GPL-2.0-or-later
# What all programs share: options, help, exit status.
package Bonnie::Program;

use strict;
use warnings;
use Encode ();
use Exporter 'import';
use Fcntl qw(F_GETFL O_ACCMODE O_RDONLY);
use File::Basename qw(basename);
use Getopt::Long   ();
use POSIX          qw(dup2);
use Bonnie::Input  qw(read_logs_too read_results);
use Bonnie::Output qw(complain write_report);
use Bonnie::Path   ();
use Bonnie::Plain  qw(plain_text);
use Bonnie::Version;

our @EXPORT_OK = qw(run_program);

# %program: help => TEXT; brief => the text of -h (default: help); options => [ specifications for Getopt::Long ]; check => sub ($options),
# which dies when options are wrong, before anything is read; logs => true if the program also reads
# logs of zcav; report => sub ($options, @records), which returns the whole report, and an exit
# status if that may be other than 0, and then a line that says what and by how much; or work => sub ($options, @arguments), the same for a program
# that reads no results. Returns the exit status.
sub run_program {
    my (%program) = @_;

    # If descriptor 1 was closed, it is now the file of this program, which /dev/stdout would name.
    my $flags = fcntl STDOUT, F_GETFL, 0;
    dup2(POSIX::open('/dev/null', O_RDONLY), 1) if !$flags || ($flags & O_ACCMODE) == O_RDONLY;

    # A closed pipe must cause an error message, not silent death.
    local $SIG{PIPE} = 'IGNORE';
    local $SIG{__WARN__} = sub { complain($_[0] =~ s/\n\z//r) };
    binmode STDERR, ':encoding(UTF-8)';
    my $status = eval { work(%program) };
    return $status if defined $status;
    complain($@ =~ s/\n\z//r);
    return 1;
}

sub work {
    my (%program) = @_;
    my $options = parse_options(@{ $program{options} // [] });
    return say_only($program{help})                    if $options->{help};
    return say_only($program{brief} // $program{help}) if $options->{h};
    return say_only(basename($0) . " $Bonnie::Version::VERSION\n") if $options->{version};
    $program{check}->($options) if $program{check};
    complain('reading results from the terminal until Ctrl-D; --help says more') if -t STDIN && !grep { $_ ne q{-} } @ARGV;
    my $read = $program{logs} ? \&read_logs_too : \&read_results;
    my ($report, $status, $why) = $program{work} ? $program{work}->($options, @ARGV) : $program{report}->($options, $read->(@ARGV));
    write_report($report, $options->{output});
    complain($why) if $status && defined $why;
    return $status // 0;
}

sub say_only {
    my ($text) = @_;
    write_report($text);
    return 0;
}

sub parse_options {
    my @extra  = @_;
    my $parser = Getopt::Long::Parser->new(config => [qw(bundling no_ignore_case no_auto_abbrev)]);
    my (%options, $complaint);
    local $SIG{__WARN__} = sub { $complaint //= lcfirst shift };
    $parser->getoptions(\%options, 'help', 'h', 'version|V', 'output|o=s', 'trust-directory' => \$Bonnie::Path::trusts_movers, @extra)
        or die plain_text($complaint =~ s/\s*\z//r), "; try --help\n";
    die "--output needs a file name; try --help\n" if ($options{output} // q{-}) eq q{};
    return \%options;
}

1;
