# What every report reads: one result, whatever file it came from.
#
#   label                             plain text, may be empty
#   format  version                   of the CSV line; of the program
#   concurrency seed file_size chunk_size seek_count seekers
#   num_files max_size min_size num_dirs file_chunk_size
#                                     plain text as written; '' is the default;
#                                     undef where this generation has no field
#   tests    { NAME => { rate => FIGURE, cpu => FIGURE, latency => FIGURE } }
#   source   { file => ..., line => ... }
package Bonnie::Record;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(any);
use Bonnie::Figure qw(is_run);
use Bonnie::Tests  qw(tests_in_half);

our @EXPORT_OK = qw(figure has_half has_latency setting);

sub figure {
    my ($record, $test, $kind) = @_;
    return $record->{tests}{ $test->{name} }{$kind};
}

# A setting's text, empty also where the generation does not record it.
sub setting {
    my ($record, $name) = @_;
    return $record->{$name} // q{};
}

# 'io' or 'files': was any of it asked for?
sub has_half {
    my ($record, $half) = @_;
    my $amount = $half eq 'io' ? 'file_size' : 'num_files';
    return 1 if setting($record, $amount) ne q{};
    return any { is_run(figure($record, $_, 'rate')) } tests_in_half($half);
}

sub has_latency {
    my ($record, $half) = @_;
    return any { is_run(figure($record, $_, 'latency')) } tests_in_half($half);
}

1;
