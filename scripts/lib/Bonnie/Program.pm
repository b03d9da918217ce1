# SPDX-License-Identifier: GPL-2.0-or-later
# What all programs share: options, help, exit status.
package Bonnie::Program;

use strict;
use warnings;
use experimental 'signatures';
use Encode ();
use Exporter 'import';
use Fcntl qw(F_GETFL O_ACCMODE O_RDONLY);
use File::Basename qw(basename);
use POSIX          qw(dup2);
use Bonnie::Input  qw(read_logs_too read_results);
use Bonnie::Options qw(@COMMON all_options help_text parse_options);
use Bonnie::Output qw(check_report complain write_bytes write_report);
use Bonnie::Path   ();
use Bonnie::Version;

our @EXPORT_OK = qw(run_program);

# %program: usage => TEXT, the head of every help; brief => what -h adds; options => rows of Options.pm;
# operands => what they are for completions ("files", or none); after_dashes => as in Options.pm;
# check => sub ($options), which dies when options are wrong, before anything is read; logs => true if
# the program also reads logs of zcav; report => sub ($options, @records), which returns the whole report,
# and an exit status if that may be other than 0, and then a line that says what and by how much; or
# work => sub ($options, @arguments), the same for a program that reads no results. Returns the exit status.
sub run_program (%program) {

    # If descriptor 1 was closed, it is now the file of this program, which /dev/stdout would name.
    my $flags = fcntl STDOUT, F_GETFL, 0;
    dup2(POSIX::open('/dev/null', O_RDONLY), 1) if !$flags || ($flags & O_ACCMODE) == O_RDONLY;

    # A closed pipe, or a limit to the size of files, must cause an error message, not silent death.
    local $SIG{PIPE} = 'IGNORE';
    local $SIG{XFSZ} = sub { };
    local $SIG{__WARN__} = sub { complain($_[0] =~ s/\n\z//r) };
    binmode STDERR, ':encoding(UTF-8)';
    my $status = eval { work(%program) };
    return $status if defined $status;
    complain($@ =~ s/\n\z//r);
    return 1;
}

sub work (%program) {
    my $name = basename($0);
    my @rows = (@{ $program{options} }, @COMMON);
    my ($options, @operands) = parse_options(\@rows, $program{after_dashes}, @ARGV);
    $Bonnie::Path::trusts_movers = $options->{'trust-directory'};
    return say_only(all_options($program{operands}, @rows)) if $options->{'all-options'};
    return say_only($program{usage} . help_text(@rows) . "\nThe manual is $name(1).\n") if $options->{help};
    return say_only("$program{usage}\n$program{brief}\n$name --help lists all options; the manual is $name(1).\n") if $options->{h};
    return say_only("$name $Bonnie::Version::VERSION\n") if $options->{version};
    $program{check}->($options) if $program{check};
    complain('reading results from the terminal until Ctrl-D; --help says more') if -t STDIN && !$program{work} && !$options->{quiet} && !grep { $_ ne q{-} } @operands;
    check_report($options->{output}) if $program{work};
    my $read = $program{logs} ? \&read_logs_too : \&read_results;
    my ($report, $status, $why) = $program{work} ? $program{work}->($options, @operands) : $program{report}->($options, $read->(@operands));
    write_report($report, $options->{output});
    complain($why) if $status && defined $why;
    return $status // 0;
}

sub say_only ($text) {
    write_bytes($text);
    return 0;
}

1;
