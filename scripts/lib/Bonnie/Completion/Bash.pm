# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for bash, from the table of options of a program (scripts/completions has its form).
package Bonnie::Completion::Bash;

use strict;
use warnings;
use experimental 'signatures';
use Exporter 'import';
use Bonnie::Completion qw(spellings);

our @EXPORT_OK = qw(bash_completion);

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

1;
