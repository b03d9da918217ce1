# SPDX-License-Identifier: GPL-2.0-or-later
# The grammar of the programs in Perl, which is that of src/cli: a table of options for the parser,
# --help and the shell completions.
package Bonnie::Options;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use File::Basename qw(basename);
use List::Util     qw(min);
use Bonnie::Plain  qw(plain_text shorten wrapped);

our @EXPORT_OK = qw(@COMMON all_options help_text parse_options);

# A row of a table: { group => heading in --help; letter, name; value => what it is called, or none;
# kind => a key of %KINDS (default: text, which may be empty unless `accepted` says what it is), or none without a value; min, max; accepted => what a
# refusal says; help }. With `often` the option may be given several times.
our @COMMON = (
    { letter => 'o', name => 'output', value => 'FILE', kind => 'file', help => 'write the report to FILE, complete or not at all' },
    { letter => 'q', name => 'quiet', help => 'print no progress and no advice' },
    { name => 'trust-directory', help => 'trust all who can change or move a directory (not for root; see the manual)' },
    { letter => 'V', name => 'version', help => 'print the version and exit' },
    { letter => 'h', help => 'print a short help and exit' },
    { name => 'help', help => 'print this help and exit' },
    { name => 'all-options' },
);

my $NUMBER  = qr/(?:\d+[.]?\d*|[.]\d+)/a;
my %SECONDS = (ns => 1e-9, us => 1e-6, "\xC2\xB5s" => 1e-6, "\xCE\xBCs" => 1e-6, ms => 1e-3, s => 1, m => 60, h => 3600, d => 86_400);
my $UNIT    = join q{|}, sort { length $b <=> length $a } keys %SECONDS;

# As in value_duration() of src/cli/option.c.
my $MOST_SECONDS = 1_000_000;

# What a program of another name means by it: the name of a format is no file (value_file() there).
my %FORMAT = map { $_ => 1 } qw(json text csv html human);

# kind => [ sub ($value, $row), which returns what the value means, or nothing; what is accepted ].
my %KINDS = (
    text     => [ sub { return length $_[0] || !defined $_[1]{accepted} ? $_[0] : () }, sub { return $_[0]{value} } ],
    file     => [ sub { return length $_[0] && !$FORMAT{ $_[0] } ? $_[0] : () }, sub { return $FORMAT{ $_[1] } ? "the path of a file; ./$_[1] is a file of that name" : 'the path of a file' } ],
    count    => [ sub { return $_[0] =~ /\A\d{1,15}\z/a ? within($_[0] + 0, $_[1]) : () }, sub { return 'a whole number' . range($_[0]) } ],
    decimal  => [ sub { return $_[0] =~ /\A$NUMBER\z/ ? within($_[0] + 0, $_[1]) : () }, sub { return 'a number' . range($_[0]) } ],
    duration => [ \&seconds, sub { return 'a time above 0 and up to 1000000 seconds: 90, 90s, 1.5s, 300ms or 1m30s' } ],
);

sub within ($number, $row) {
    return $number >= ($row->{min} // 0) && $number <= ($row->{max} // $number) ? $number : ();
}

sub range ($row) {
    return (defined $row->{min} ? " from $row->{min}" : q{}) . (defined $row->{max} ? " to $row->{max}" : q{});
}

# "1m30s", "1.5s", or seconds alone.
sub seconds {
    my ($text) = @_;
    my $sum = $text =~ /\A$NUMBER\z/ ? $text : 0;
    if ($text =~ /\A(?:$NUMBER(?:$UNIT))+\z/) {
        $sum += $1 * $SECONDS{$2} while $text =~ /($NUMBER)($UNIT)/g;
    }
    return $sum > 0 && $sum <= $MOST_SECONDS ? $sum + 0 : ();
}

# Reads @words. Returns { name => value, or how often, or a list } and the operands. $after_dashes: no word
# before "--" may be an operand; a text says what comes there.
sub parse_options ($rows, $after_dashes, @words) {
    my (%given, @operands);
    while (@words) {
        my $word = shift @words;
        return (\%given, @operands, @words) if $word eq '--';
        if ($word =~ /\A--([^=]+)(?:=(.*))?\z/s) {
            my ($name, $value) = ($1, $2);
            my $row = named($rows, $name);
            die "--$row->{name} takes no value\n" if defined $value && !defined $row->{value};
            take(\%given, $row, $value, \@words);
        }
        elsif ($word =~ /\A-./s) {
            letters($rows, \%given, $word, \@words);
        }
        elsif (defined $after_dashes) {
            die "unexpected argument '", shown($word), "'; $after_dashes comes after --: -- ", shown(join q{ }, $word, @words), "\n";
        }
        else {
            push @operands, $word;
        }
    }
    return (\%given, @operands);
}

sub letters ($rows, $given, $word, $words) {
    my ($name) = $word =~ /\A-([^=]{2,})/s;
    die "unknown option -$name; did you mean --$name?\n" if defined $name && grep { ($_->{name} // q{}) eq $name } @{$rows};
    for (my $at = 1; $at < length $word; $at++) {
        my $letter = substr $word, $at, 1;
        my ($row) = grep { ($_->{letter} // q{}) eq $letter } @{$rows};
        die 'unknown option -', shown($letter), "; --help lists the options\n" if !$row;
        my $rest = substr $word, $at + 1;
        take($given, $row, defined $row->{value} && length $rest ? $rest : undef, $words);
        return if defined $row->{value};
    }
    return;
}

# The row with that name, or the only one whose name begins so.
sub named ($rows, $name) {
    my %row   = map { $_->{name} => $_ } grep { defined $_->{name} } @{$rows};
    my @begun = grep { !index $_, $name } sort keys %row;
    return $row{$name} // $row{ $begun[0] } if $row{$name} || @begun == 1;
    my $shown = shown("--$name");
    die "ambiguous option $shown: it may be ", join(', ', map {"--$_"} @begun), "\n" if @begun;
    my %far    = map { $_ => distance($_, $name) } length $name < 32 ? keys %row : ();
    my $least  = min(2, length($name) - 1, values %far);
    my @likely = map {"--$_"} grep { $far{$_} <= $least } sort keys %far;
    die "unknown option $shown; ", (@likely ? 'did you mean ' . join(', ', @likely) . q{?} : '--help lists the options'), "\n";
}

# The number of letters to insert, remove or replace (Levenshtein, 1966), a row of the matrix at a time.
sub distance ($from, $to) {
    my @row = 0 .. length $to;
    for my $i (1 .. length $from) {
        my @next = ($i);
        push @next, min($row[$_] + 1, $next[-1] + 1, $row[ $_ - 1 ] + (lc(substr $from, $i - 1, 1) ne lc substr $to, $_ - 1, 1)) for 1 .. length $to;
        @row = @next;
    }
    return $row[-1];
}

sub take ($given, $row, $value, $words) {
    my $key  = $row->{name} // $row->{letter};
    my $name = defined $row->{name} ? "--$key" : "-$key";
    return $given->{$key}++ if !defined $row->{value};
    $value //= shift @{$words} // die "$name needs a value: $row->{value}\n";
    my ($meaning, $accepted) = @{ $KINDS{ $row->{kind} // 'text' } };
    my ($meant) = $meaning->($value, $row);
    die "$name: '", shown($value), "' is not accepted; expected ", $row->{accepted} // $accepted->($row, $value), "\n" if !defined $meant;
    return push @{ $given->{$key} }, $meant if $row->{often};
    return $given->{$key} = $meant;
}

sub shown { return shorten(plain_text($_[0]), 100) }

# The options as --help lists them.
sub help_text (@rows) {
    my $text = q{};
    for my $row (grep { defined $_->{help} } @rows) {
        my $form = join ', ', (map {"-$_"} $row->{letter} // ()), map {"--$_"} $row->{name} // ();
        $text .= "\n$row->{group}\n" if defined $row->{group};
        $text .= "  $form" . (defined $row->{value} ? " $row->{value}" : q{}) . "\n" . wrapped($row->{help}, (q{ } x 8) x 2) . "\n";
    }
    return $text;
}

# The table in the form of cli_answer() (src/cli/parser.h), for scripts/completions.
sub all_options ($operands, @rows) {
    my %offer = (file => 'files');
    return join q{}, map { join("\t", map { $_ // q{} } @{$_}) . "\n" } [ 'program', basename($0), '--', $operands ],
        map { [ 'option', @{$_}{qw(letter name)}, undef, defined $_->{value} ? 'required' : 'none', $_->{offer} // $offer{ $_->{kind} // q{} }, undef, @{$_}{qw(value help)} ] }
        grep { defined $_->{help} } @rows;
}

1;
