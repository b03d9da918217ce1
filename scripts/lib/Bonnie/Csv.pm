# SPDX-License-Identifier: GPL-2.0-or-later
# Reads the CSV lines of every generation into records (see Record.pm), also those
# that were quoted, wrapped, put behind other words, or given other separators.
#
# The number of fields tells the generation: 27 is 1.03, 47 and 48 are 1.9x, 50 is 1.98. A number
# alone proves nothing: what has no figures where figures belong is no result.
package Bonnie::Csv;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use List::Util qw(any max);
use Bonnie::Figure qw($NOT_RUN is_run number_figure latency_figure);
use Bonnie::Plain  qw(plain_text shorten);
use Bonnie::Tests  qw(test_names tests_in_half);

our @EXPORT_OK = qw(next_result parse_line $LONGEST_LINE $MOST_IN_VAIN);

# In bytes; results are far shorter.
our $LONGEST_LINE = 65_536;

my @HEAD    = qw(format version label concurrency seed file_size chunk_size);
my @SEEKING = qw(seek_count seekers);
my @FILES   = qw(num_files max_size min_size num_dirs);

my @IO_TESTS   = map { $_->{name} } tests_in_half('io');
my @FILE_TESTS = map { $_->{name} } tests_in_half('files');
my ($IO_PAIRS, $FILE_PAIRS) = map { [ map { ("$_.rate", "$_.cpu") } @{$_} ] } \@IO_TESTS, \@FILE_TESTS;
my @LATENCIES = map {"$_.latency"} test_names();

my %COLUMNS = (
    27 => [ qw(label file_size), @{$IO_PAIRS}, 'num_files', @{$FILE_PAIRS} ],
    47 => [ @HEAD, @{$IO_PAIRS}, @FILES, @{$FILE_PAIRS}, @LATENCIES ],
    48 => [ @HEAD, @{$IO_PAIRS}, @FILES, 'file_chunk_size', @{$FILE_PAIRS}, @LATENCIES ],
    50 => [ @HEAD, @SEEKING, @{$IO_PAIRS}, @FILES, 'file_chunk_size', @{$FILE_PAIRS}, @LATENCIES ],
);

# The first field of a line that states its format, and the numbers of fields that a format has;
# any other first field is the label of a line of 1.03.
my $KNOWN_FORMAT = qr/1[.]9\d[[:alnum:]]*/a;

sub counts_of ($first) {
    return $first !~ /\A$KNOWN_FORMAT\z/ ? 27 : $first ge '1.98' ? 50 : $first ge '1.96' ? 48 : (47, 48);
}

my $SEPARATOR = qr/[,;\t|]/;

# Where a line of a known format begins, also behind other words and with a decimal comma; ten
# figures in a row; the first fields of 1.03; and the number of separators that no other line has.
my $BEGINS   = qr/(?<![\w.,;|"'])(?=["']?1[.,]9\d[[:alnum:]]*["']?[ ]*$SEPARATOR)/a;
my $TEN      = qr/(?:(?<![\w.])(?:[+]{3}[+]*+|\d[\d.]*+[[:alpha:]]{0,2}+)["' ]*+$SEPARATOR(?:$SEPARATOR|["' ])*+){9}(?:[+]{3}|\d)/a;
my $CLASSIC  = qr/\A[^,;\t|]{0,200}$SEPARATOR["' ]*+\d++[KMGT](?::\w++)?["' ]*+$SEPARATOR(?:["' \d.+]*+$SEPARATOR){3}/a;
my $MANY     = 20;
my $TOO_MANY = 500;

# A line with more figures that cannot be read is a fragment, or something else.
my $MOST_BAD = 3;

# A label may have so many separators that were not quoted.
my $MOST_IN_LABEL = 4;

# What a result may have been wrapped into, and how many lines may be tried in vain in one input.
my $MOST_PIECES         = 60;
my $LONGEST_RESULT      = 4096;
our $MOST_IN_VAIN    = 10_000;

# Reads what is at pos of the bytes that $text refers to, and moves pos past it: a line, or all lines
# that a result was wrapped into. ${$tries}: how many more lines may be tried in vain. Returns
# (record, what is to be said of how it was read, problems); for record and problems see
# parse_line().
sub next_result ($text, $tries) {
    ${$text} =~ /\G([^\n]*+)\n?/gc;
    my $line = $1;
    return (undef, undef, "a line of more than $LONGEST_LINE bytes is skipped") if length $line > $LONGEST_LINE;
    my $whole = cleaned($line);
    my ($record, @problems) = parse_line($whole);
    my @read = $record && !@problems ? ($record, undef, $whole) : $line =~ $SEPARATOR ? wrapped($text, $whole, $tries) : ();
    return ($record, undef, @problems) if !@read;
    ($record, my $note, $whole) = @read;
    my $rest = $whole =~ /\d\z/a ? rest_below($text) : undef;
    return defined $rest ? (doubted($whole), "the last field may end with \"$rest\", on the line below") : ($record, $note);
}

# What the line below has if it may be the end of the last field: one number, and then no more than a few characters.
sub rest_below ($text) { return ${$text} =~ /\G[>\s\0]*+(\d(?:\0*+\d){0,2}+)(?![\w.])[^\d\n]{0,20}+(?:\n|\z)/a ? $1 =~ tr{\0}{}dr : undef }

# A result whose last figure cannot be read.
sub doubted ($whole) { return (parse_line($whole =~ s/(?=["']*+\z)/?/r))[0] }

# Returns (record, what is to be said, the line), or nothing.
sub wrapped ($text, $whole, $tries) {
    my ($begin, @found) = (pos ${$text});
    for my $pieces (2 .. $MOST_PIECES) {
        last if length $whole > $LONGEST_RESULT || ${$text} !~ /\G./s || --${$tries} < 0;
        ${$text} =~ /\G([^\n]{0,$LONGEST_RESULT})[^\n]*+\n?/gc;
        my $piece = cleaned($1);
        last if $piece eq q{} || $piece =~ /\s/ && $piece !~ $SEPARATOR || is_whole($piece) || @found && $piece =~ /\A\d+\z/a;
        my $may_end = $whole =~ /\d\z/a && $piece =~ /\A\d+\W*\z/a;
        $whole = $whole =~ s/[=\\]\z//r . $piece;
        my $count = 1 + substr($whole, $whole =~ $BEGINS ? $-[0] : 0) =~ tr/,;\t|//;    # not of what stands before it
        last if $count > 50 + $MOST_IN_LABEL;
        next if $count < 27 || $count == 47;    # 48, of which a comma was lost at the end of a line
        my ($record, @problems) = parse_line($whole);
        if ($record && !@problems) {
            @found = (pos ${$text}, $may_end ? doubted($whole) : $record, "$pieces lines are read as one that was wrapped", $whole);
        } elsif (@found) {
            @found = () if $piece =~ /\A$SEPARATOR/;
            last;
        }
    }
    pos(${$text}) = @found ? shift @found : $begin;
    return @found;
}

sub is_whole ($line) { return $line =~ tr/,;\t|// >= 26 && !!(parse_line($line))[0] }

# Returns (record, problems). Neither a record nor a problem: an ordinary line. Only a problem: a
# result that cannot be read. A record with problems: some of its figures cannot be read.
sub parse_line ($line) {
    $line = cleaned($line);
    my $count = $line =~ tr/,;\t|//;
    return (undef, 'number of fields is ' . ($count + 1) . '; a result has 27, 47, 48 or 50') if $count > $TOO_MANY;
    my $problem;
    while ($line =~ /$BEGINS/g) {
        my ($record, @problems) = parse_fields(fields_of(substr $line, $-[0]));
        my $before = substr $line, 0, $-[0];
        return (undef, 'a result behind # is skipped') if $record && $before =~ /\A\s*#[#\s]*\z/;
        return ($record, @problems, $before =~ $TEN ? 'what stands before a result on its line is skipped' : ()) if $record;
        $problem //= $problems[0] if $-[0] == 0 || substr($line, $-[0]) =~ /(?:$SEPARATOR.*){10}/;
    }
    return (undef, $problem) if defined $problem;
    return if $count < $MANY && $line !~ $TEN && $line !~ $CLASSIC && $line !~ /\A$KNOWN_FORMAT\z/;
    my @fields = fields_of($line);
    return if !grep { !/\A[[:alpha:]][\w ]*+\z/a } @fields;    # a header
    return parse_fields(@fields);
}

# Without what mail, editors and other systems put around lines.
sub cleaned ($line) {
    $line =~ tr/\0//d;
    $line =~ s/\A(?:\xEF\xBB\xBF)?+[> \r]*+//;
    my $blanks = $line =~ tr/\t// < $MANY ? qr/\s/ : qr/[ \r]/;    # tabs at the end of tabs are empty fields
    return $line =~ s/(?<!$blanks)$blanks++\z//r;    # the possessive match never starts within a run of blanks, which would take quadratic time
}

# Separated by commas if it has as many as a result, or else by what it has most of; as far as they are quoted, without the quotes; with
# decimal commas, if commas are not the separator.
sub fields_of ($line) {
    $line =~ s/\A(["'])([^"']*+)\1\z/$2/;
    my %count = (q{,} => $line =~ tr/,//, q{;} => $line =~ tr/;//, "\t" => $line =~ tr/\t//, q{|} => $line =~ tr/|//);
    my $is_usual = $count{q{,}} =~ /\A(?:26|46|47|49)\z/;
    my ($separator) = grep { $is_usual || $count{$_} == max(values %count) } q{,}, q{;}, "\t", q{|};
    my $blanks = $separator eq "\t" ? qr/[ ]*+/ : qr/\s*+/;
    $line =~ s/\A[ ]*[|]|[|]\z//g if $separator eq q{|};
    my @fields;
    while ($line =~ /\G$blanks(?:(["'])((?:(?!\1).|\1\1)*+)\1$blanks|([^$separator]*+))(\Q$separator\E|\z)/gc) {
        my ($quoted, $plain, $end) = ($2, $3, $4);
        push @fields, ($quoted // $plain) =~ s/\A(\d+),(\d+)\s*\z/$1.$2/ar =~ s/\s++\z//r;
        last if $end eq q{};
    }
    return @fields;
}

# Returns the same as parse_line().
sub parse_fields {
    my @fields = @_;
    my @counts = counts_of($fields[0] // q{});
    my $more   = @fields - max(@counts);
    return (undef, why_not(@fields)) if $more < 0 && !grep { $_ == @fields } @counts;
    return (undef, why_not(@fields)) if $more > $MOST_IN_LABEL;
    my $label = @counts == 1 && $counts[0] == 27 ? 0 : 2;
    splice @fields, $label, $more + 1, join q{,}, @fields[ $label .. $label + $more ] if $more > 0;
    my ($record, @problems) = build_record(@fields);
    return $more <= 0 || $record && !@problems ? ($record, @problems) : (undef, why_not(@_));
}

sub why_not (@fields) {
    my $count  = @fields;
    my $first  = $fields[0] // q{};
    my @counts = counts_of($first);
    return "number of fields is $count; a result has 27, 47, 48 or 50" if !$COLUMNS{$count};
    return "unknown format \"" . shorten(plain_text($first), 20) . q{"} if $counts[0] == 27;
    return "number of fields is $count; format " . shorten(plain_text($first), 20) . ' has ' . join ' or ', @counts;
}

sub build_record (@fields) {
    my %field;
    @field{ @{ $COLUMNS{ scalar @fields } } } = @fields;
    split_classic_settings(\%field) if @fields == 27;
    repair_settings(\%field);

    my %record = (settings(\%field), tests => { map { $_ => test(\%field, $_) } test_names() });
    my @problems = (bad_settings(\%field), bad_figures(\%record));
    my $misplaced = misplaced(\%field, \%record) // (@problems > $MOST_BAD ? $problems[0] : undef);
    return (undef, "not a result of @{[ scalar @fields ]} fields: $misplaced") if defined $misplaced;
    return (\%record, @problems);
}

# 1.03 has SIZE:CHUNK and FILES:MAX:MIN/DIRS in one field each, and no version of its own.
sub split_classic_settings ($field) {
    $field->{format} = $field->{version} = '1.03';
    @{$field}{qw(file_size chunk_size)} = split_at_colons($field->{file_size}, 2);

    my ($sizes, $dirs) = split m{/}, $field->{num_files}, 2;
    @{$field}{qw(num_files max_size min_size)} = split_at_colons($sizes // q{}, 3);
    $field->{num_dirs} = $dirs // q{};
    return;
}

sub split_at_colons ($text, $count) {
    my @parts = split /:/, $text, $count;
    return map { $_ // q{} } @parts[ 0 .. $count - 1 ];
}

# Bonnie++ from 1.9x to 2.00a omits both chunk sizes, and prints num_dirs one column late, in place
# of the second one. Programs from version 3 on have each field in its own column, and a version
# with one dot; only their lines of 50 fields say the chunk size.
sub repair_settings ($field) {
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

sub settings ($field) {
    my %settings;
    for my $name (@HEAD, @SEEKING, @FILES, 'file_chunk_size') {
        my $bytes = $field->{$name};
        $settings{$name} = defined $bytes ? plain_text($bytes) : undef;
    }
    return %settings;
}

sub test ($field, $name) {
    my ($rate, $cpu, $latency) = map { $field->{"$name.$_"} // q{} } qw(rate cpu latency);
    return $NOT_RUN if "$rate$cpu$latency" eq q{};
    return { rate => number_figure($rate), cpu => number_figure($cpu), latency => latency_figure($latency) };
}

sub bad_figures ($record) {
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

# Of a thousand CPUs.
my $MOST_PERCENT = 100_000;

my %SETTING = (
    concurrency => qr/\d*/a,
    seed        => qr/\d*/a,
    file_size   => qr/(?:\d+[kKMGTP])?/a,
    num_files   => qr/(?:\d+(?:[.]\d+)?)?/a,
);

sub bad_settings ($field) {
    my @bad = grep { ($field->{$_} // q{}) !~ /\A$SETTING{$_}\z/ } sort keys %SETTING;
    return map { "$_ is \"" . shorten(plain_text($field->{$_}), 20) . q{"} } @bad;
}

# Why fields cannot be those of a result, in words; undef: they can. $field: as written.
sub misplaced ($field, $record) {
    for my $name (test_names()) {
        my ($rate, $cpu, $latency) = map { is_run($_) } @{ $record->{tests}{$name} }{qw(rate cpu latency)};
        return "$name has CPU time, but no rate"        if $cpu && !$rate;
        return "$name has a rate, but no CPU time"      if $rate && !$cpu;
        return "$name has a rate, but no number for CPU time" if $record->{tests}{$name}{rate}{state} eq 'value' && $record->{tests}{$name}{cpu}{state} eq 'fast';
        return "$name has a latency, but was not run"   if $latency && !$rate;
        return "$name has a rate, but no latency"       if $rate && !$latency && exists $field->{"$name.latency"};
        return "$name has a CPU time of $record->{tests}{$name}{cpu}{text} %" if ($record->{tests}{$name}{cpu}{value} // 0) > $MOST_PERCENT;
        return "the latency of $name has no unit"       if ($field->{"$name.latency"} // q{}) =~ /\A\d[\d.]*\z/a;
    }
    return if $record->{format} ne '1.03';
    return (bad_settings($field))[0] if bad_settings($field);
    return 'file_size is that of a chunk' if $field->{file_size} =~ /k\z/;
    return 'it has no figure' if !any { is_run($_->{rate}) } values %{ $record->{tests} };
    for my $half ([ file_size => @IO_TESTS ], [ num_files => @FILE_TESTS ]) {
        my ($amount, @tests) = @{$half};
        return "$amount is empty, but tests of it were run" if $field->{$amount} eq q{} && any { is_run($record->{tests}{$_}{rate}) } @tests;
    }
    return 'its label may be the seed of a longer line' if $field->{label} =~ m{\A\d{9,}+\W*\z}a && $field->{file_size} eq q{};
    return 'it has neither a label nor a size' if $field->{label} eq q{} && $field->{file_size} eq q{};
    return;
}

1;
