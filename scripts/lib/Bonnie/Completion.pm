# SPDX-License-Identifier: GPL-2.0-or-later
# Completions for bash, zsh and fish, from the table of options of a program (scripts/completions has its form).
package Bonnie::Completion;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';

our @EXPORT_OK = qw(bash_completion fish_completion fish_link zsh_completion);

# All spellings of an option, with dashes: "-s", "--size". Names with one dash also work with two.
sub spellings ($table, $option) {
    my @names  = grep { length } @{$option}{qw(name alias)};
    my @dashes = $table->{dashes} eq '-' ? qw(- --) : $table->{dashes};
    return (
        (map {"-$_"} grep { length } $option->{letter}),
        (map { my $name = $_; map {"$_$name"} @dashes } @names),
    );
}

# A text in single quotes, as POSIX shells read it.
sub single_quoted ($text) { return q{'} . $text =~ s/'/'\\''/gr . q{'} }

# ---- bash -----------------------------------------------------------------------

# The completion needs only bash 4, and not the functions of the package bash-completion. Readline
# also breaks words at = and :, so the completion returns only the part after the last of these.
my $TEMPLATE = <<'END';
# Completion of @NAME@ for bash, made from its table of options.
_@FUNCTION@()
{
    local line=${COMP_LINE:0:COMP_POINT} word before option='' head='' value offer='' words='' dashes='' last
    word=${line##*[[:space:]]}
    before=${line%"$word"}
    before=${before%"${before##*[![:space:]]}"}
    before=${before##*[[:space:]]}
    value=$word
    if [[ $word == -*=* ]]; then
        option=${word%%=*}= head=${word%%=*}= value=${word#*=}
    else
        option=$before
    fi
    case $option in
@VALUES@    esac
    if [[ -z $offer && $word == -*=* ]]; then
        offer=unknown
    elif [[ -z $offer && $word == -* ]]; then
        offer=words
        words='@OPTIONS@'
@DASHES@    elif [[ -z $offer ]]; then
        offer=@OPERANDS@
    fi
    case $offer in
    words) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$value") ;;
    list)
        last=${value##*,}
        head+=${value%"$last"}
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$last")
        compopt -o nospace 2>/dev/null
        ;;
    files)
        mapfile -t COMPREPLY < <(compgen -f -- "$value")
        compopt -o filenames 2>/dev/null
        ;;
    directories)
        mapfile -t COMPREPLY < <(compgen -d -- "$value")
        compopt -o filenames 2>/dev/null
        ;;
    users) mapfile -t COMPREPLY < <(compgen -u -- "$value") ;;
    groups) mapfile -t COMPREPLY < <(compgen -g -- "$value") ;;
    *) COMPREPLY=() ;;
    esac
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace 2>/dev/null
    last=${word##*["$COMP_WORDBREAKS"]}
    COMPREPLY=("${COMPREPLY[@]/#/$dashes$head}")
    COMPREPLY=("${COMPREPLY[@]#"${word%"$last"}"}")
} && complete -F _@FUNCTION@ @NAMES@
END

# The branch of `case` for the values of an option. Options without known values have a branch,
# too, so that their values are not taken for operands.
sub arm ($table, $option) {
    return q{} if $option->{value} eq 'none';
    my @spelled  = spellings($table, $option);
    my @long     = grep {/\A-+\w{2,}/} @spelled;
    my @patterns = ($option->{value} eq 'required' ? @spelled : (), map {"$_="} @long);
    my $offer    = $option->{offer} || 'unknown';
    my @words    = @{ $option->{words} };
    ($offer, @words) = qw(words true false) if $option->{value} eq 'boolean';
    my $words = @words && $offer =~ /\A(?:words|list)\z/ ? " words='@words'" : q{};
    return @patterns ? '    ' . join(' | ', @patterns) . ") offer=$offer$words ;;\n" : q{};
}

# The completions of a word that begins with a dash.
sub offered ($table, $option) {
    my $name = $option->{name} ? "$table->{dashes}$option->{name}" : "-$option->{letter}";
    return $option->{value} eq 'required' && $option->{name} ? "$name=" : $name;
}

sub bash_completion ($table) {
    my @options = @{ $table->{options} };
    my %part = (
        NAME     => $table->{name},
        NAMES    => join(q{ }, $table->{name}, @{ $table->{names} }),
        FUNCTION => $table->{name} =~ s/\W/_/gr,
        VALUES   => join(q{}, map { arm($table, $_) } @options),
        OPTIONS  => join("\n            ", map { offered($table, $_) } @options),
        OPERANDS => $table->{offer} || 'unknown',
        DASHES   => $table->{dashes} eq '-' ? "        [[ \$word == --* ]] && dashes=- value=\${word#-}\n" : q{},
    );
    return $TEMPLATE =~ s/[@](\w+)[@]/$part{$1}/gr;
}

# ---- fish -----------------------------------------------------------------------

# In fish's single quotes a backslash quotes itself and the quote.
sub fish_quoted ($text) { return q{'} . $text =~ s/([\\'])/\\$1/gr . q{'} }

my %COMMAND = (
    directories => '(__fish_complete_directories)',
    users       => '(__fish_complete_users)',
    groups      => '(__fish_complete_groups)',
);

# The arguments of `complete` for a required value.
sub fish_value ($option) {
    return q{} if $option->{value} ne 'required';
    return ' -r -F' if $option->{offer} eq 'files';
    my $words = join q{ }, @{ $option->{words} };
    my $offer = $COMMAND{ $option->{offer} } // ($option->{offer} eq 'list' ? "(__fish_append , $words)" : $words);
    return length $offer ? ' -x -a ' . fish_quoted($offer) : ' -x';
}

sub fish_line ($table, $option) {
    my $long  = $table->{dashes} eq '-' ? '-o' : '-l';
    my @names = map {" $long $_"} grep { length } @{$option}{qw(name alias)};
    my $name  = join q{}, ($option->{letter} ? " -s $option->{letter}" : ()), @names;
    return "complete -c $table->{name}$name" . fish_value($option) . ' -d ' . fish_quoted($option->{help}) . "\n";
}

sub fish_completion ($table) {
    my $files = $table->{offer} eq 'files' ? q{} : "complete -c $table->{name} -f\n";
    return "# Completion of $table->{name} for fish, made from its table of options.\n$files"
        . join q{}, map { fish_line($table, $_) } @{ $table->{options} };
}

# The file for another name of the program: it refers to the first.
sub fish_link ($name, $other) { return "complete -c $other -w $name\n" }

# ---- zsh ------------------------------------------------------------------------

my %ACTION = (files => '_files', directories => '_directories', users => '_users', groups => '_groups');

# The action of _arguments for a value; a blank shows what is expected.
sub zsh_action ($option) {
    my @words = map {s/([:\\()])/\\$1/gr} @{ $option->{words} };
    return '(true false)'               if $option->{value} eq 'boolean';
    return "_sequence compadd - @words" if $option->{offer} eq 'list';
    return $ACTION{ $option->{offer} }  if $ACTION{ $option->{offer} };
    return @words ? "(@words)" : q{ };
}

# How an option takes its value: -s VALUE or -sVALUE, --size VALUE or --size=VALUE, or only
# attached.
my %LETTER = (none => q{}, required => q{+}, optional => q{-}, boolean => q{-});
my %NAME   = (none => q{}, required => q{=}, optional => '=-', boolean => '=-');

# A spec of _arguments for each spelling, which excludes the other spellings. With one dash, as
# in Go's flags, there is only that spelling.
sub zsh_specs ($table, $option) {
    my @spelled = grep { $table->{dashes} eq '--' || !/\A--/ } spellings($table, $option);
    my $help    = $option->{help} =~ s/([\[\]\\])/\\$1/gr;
    my $title   = ($option->{value_name} || 'value') =~ s/([:\\])/\\$1/gr;
    my $value   = {
        none     => q{},
        required => ":$title:" . zsh_action($option),
        optional => "::$title:" . zsh_action($option),
        boolean  => '::value:' . zsh_action($option),
    }->{ $option->{value} };
    my @specs;
    for my $word (@spelled) {
        my @others = grep { $_ ne $word } @spelled;
        my $before = @others ? "(@others)" : q{};
        my $mark   = ($word =~ /\A-\w\z/ ? \%LETTER : \%NAME)->{ $option->{value} };
        push @specs, single_quoted("$before$word$mark" . "[$help]$value");
    }
    return @specs;
}

sub zsh_completion ($table) {
    my @specs = map { zsh_specs($table, $_) } @{ $table->{options} };
    push @specs, single_quoted('*:file:_files') if $table->{offer} eq 'files';
    my $bundles = $table->{dashes} eq '--' ? ' -s' : q{};
    return "#compdef @{[ $table->{name}, @{ $table->{names} } ]}\n"
        . "# Completion of $table->{name} for zsh, made from its table of options.\n"
        . "_arguments$bundles -S \\\n    " . join(" \\\n    ", @specs) . "\n";
}

1;
