#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Completions for bash, zsh and fish: every option and value of every program, as a user gets them
# at the keyboard.

use strict;
use warnings;
use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use BonnieRun  qw(bonnie have has_terminal program run_tool scratch);
use RunProgram qw(run slurp spew);

my $DIR = abs_path($ENV{BONNIE_COMPLETIONS} // 'completions');
plan skip_all => 'a build for another machine has no completions' if !defined $DIR || !-d "$DIR/bash";

my $kept     = scratch();
# A terminal without a language takes only ASCII, which the name of the build may not be.
symlink $DIR, "$kept/completions" or die "$kept/completions: $!\n";
my @PROGRAMS = qw(bonnie boncut bonwhy zcav getc_putc generate_randfile bonload bon_ab bon_csv2html bon_csv2txt);
my %NAMES    = ((map { $_ => [$_] } @PROGRAMS), bonnie => [qw(bonnie bonnie++ gobonniego)], bonload => [qw(bonload goader)]);

# The table of options that a program prints: a hash for each option.
sub options_of {
    my ($program) = @_;
    my $run = run_tool($program eq 'bonnie' ? undef : $program, '--all-options');
    is("$run->{status}$run->{err}", '0', "$program --all-options");
    my @options;
    for my $line (grep {/\Aoption\t/} split /\n/, $run->{out}) {
        my %option;
        @option{qw(kind letter name alias value offer words value_name help)} = split /\t/, $line, -1;
        push @options, \%option;
    }
    return @options;
}

# What bash offers for a command line with the cursor at its end, in a fresh shell.
sub bash_offers {
    my ($line) = @_;
    my ($command) = $line =~ /\A(\S+)/;
    my $script = q{source "$1" && name=$(complete -p "$2") && name=${name#*-F } && COMP_LINE=$3 COMP_POINT=${#3} }
        . q{COMP_WORDBREAKS=$' \t\n"\'><=;|&(:' && ${name%% *} "$2" && printf '%s\n' "${COMPREPLY[@]}"};
    open my $out, '-|', 'bash', '--norc', '-c', $script, 'bash', "$DIR/bash/$command", $command, $line or die "bash: $!\n";
    return grep {length} map { chomp; $_ } readline $out;
}

# The words that a shell makes of a line typed at a terminal. Each line begins with the name of a
# program, which is a function here that stores its arguments.
sub typed {
    my ($shell, $command, $setup, @lines) = @_;
    my $seen = "$kept/seen";
    my %name = map { (split)[0] => 1 } @lines;
    my $body = $shell eq 'fish' ? "; printf '[%%s]' \$argv >>'$seen'; echo >>'$seen'; end" : "() { printf '[%%s]' \"\$@\" >>'$seen'; echo >>'$seen'; }";
    my @functions = map { sprintf $shell eq 'fish' ? "function %s$body" : "%s$body", $_ } sort keys %name;
    spew($seen, q{});
    spew("$kept/keys", join q{}, map {"$_\n"} @{$setup}, @functions, @lines, 'exit');
    system "cd '$kept' && TERM=xterm HOME='$kept' INPUTRC=/dev/null timeout 600 script -qec '$command' /dev/null <keys >screen 2>&1";
    return split /\n/, slurp($seen);
}

# ---- completeness, for every program -------------------------------------------------------------

for my $program (@PROGRAMS) {
    my @options = options_of($program);
    my $dash = $program eq 'bonload' ? q{-} : q{--};
    my %help = map { $_ => 1 } run_tool($program eq 'bonnie' ? undef : $program, '--help')->{out} =~ /^  (?:-\w, )?-{1,2}([\w-]{2,}|(?<=--)\w)/mg;
    my @long = map { $_->{name} } grep { length $_->{name} } @options;
    my %has = map { $_ => 1 } @long;
    is_deeply([ grep { !$has{$_} } sort keys %help ], [], "$program: all options of --help");

    for my $name (@{ $NAMES{$program} }) {
        my @offered = grep {/\A(?:\Q$dash\E\w[\w-]|--\w)/} bash_offers("$name $dash");
        is_deeply([ sort map {s/=\z//r} @offered ], [ sort map {"$dash$_"} @long ], "bash: $name has all of them");
    }
    my ($zsh, $fish) = map { slurp("$DIR/$_") } "zsh/_$program", "fish/$program.fish";
    like($zsh, qr/\A#compdef @{[ map {quotemeta} @{ $NAMES{$program} } ]}\n/, "zsh: the names of $program");
    for my $option (@options) {
        my ($letter, $name) = @{$option}{qw(letter name)};
        like($zsh,  qr/^ +'(?:\([^)]*\))?$dash\Q$name\E[=-]*\[/m,  "zsh: $program $dash$name") if length $name;
        like($zsh,  qr/^ +'(?:\([^)]*\))?-\Q$letter\E[+-]?\[/m,    "zsh: $program -$letter")   if length $letter;
        like($fish, qr/^complete -c $program .*-[lo] \Q$name\E /m, "fish: $program $name")     if length $name;
        like($fish, qr/^complete -c $program -s \Q$letter\E /m,    "fish: $program -$letter")  if length $letter;
    }

    # The program accepts every value that is offered, and every value that its
    # refusals name is offered.
    for my $option (grep { $_->{words} ne q{} } @options) {
        my $given = length $option->{name} ? "$dash$option->{name}=" : "-$option->{letter}";
        for my $word (split q{ }, $option->{words}) {
            my $value = $word =~ /[=:]\z/ ? "${word}1" : $word;
            my $run = run_tool($program eq 'bonnie' ? undef : $program, "$given$value", "${dash}help");
            is("$run->{status}$run->{err}", '0', "$program takes $given$value");
        }
        my ($list) = run_tool($program eq 'bonnie' ? undef : $program, "$given?")->{err} =~ /(?:expected|it takes) (?:a comma-separated list of )?([^;\n]*)/;
        next if ($list // q{}) !~ /\A[a-z_+]+(?:, [a-z_+]+)+(?: or [a-z_+]+)?\z/;
        my %offered = map { $_ => 1 } split q{ }, $option->{words};
        is_deeply([ grep { !$offered{$_} } split /, | or /, $list ], [], "$program: all values of $given are offered");
    }
}

# ---- bash ----------------------------------------------------------------------------------------

mkdir "$kept/$_" or die "$_: $!\n" for qw(place plain);
spew("$kept/plain.json", q{});
chdir "$kept" or die "$kept: $!\n";

my @engines = qw(sync libaio io_uring null);
for my $case (
    [ 'bonnie --en',              ['--engine='] ],
    [ 'bonnie --engine=',         \@engines ],
    [ 'bonnie --engine ',         \@engines ],
    [ 'bonnie++ -q --engine=io',  ['io_uring'] ],
    [ 'bonnie --tests=putc,se',   [ map {"putc,$_"} qw(seeks seq_create seq_stat seq_del) ] ],
    [ 'bonnie --tests getc,io',   ['getc,iops'] ],
    [ 'bonnie --data=comp',       ['compress='] ],
    [ 'bonnie --iops-pattern=zi', ['zipf:'] ],
    [ 'bonnie --iops-pattern=zipf:', [q{}] ],
    [ 'bonnie --size ',           [] ],
    [ 'bonnie -d pl',             [qw(place plain)] ],
    [ 'bonnie --directory=plac',  ['place'] ],
    [ 'bonnie --output=pla',      [qw(place plain plain.json)] ],
    [ 'bonnie --user=nobo',       ['nobody'] ],
    [ 'bonnie --user=nobody:',    [] ],
    [ 'bonnie pla',               [qw(place plain)] ],
    [ 'zcav --en',                ['--engine='] ],
    [ 'zcav --engine=',           \@engines ],
    [ 'zcav pla',                 [qw(place plain plain.json)] ],
    [ 'bonload -requests-engine=s', [qw(sleep s3)] ],
    [ 'bonload --requests-engine=di', ['disk'] ],
    [ 'bonload --mkd',            ['--mkdirs'] ],
    [ 'bonload -mkdirs=f',        ['false'] ],
    [ 'goader -meta-ops stat,rea', ['stat,read'] ],
    [ 'bon_csv2html -o plain.j',  ['plain.json'] ],
) {
    my ($line, $wanted) = @{$case};
    is_deeply([ sort { $a cmp $b } bash_offers($line) ], [ sort grep {length} @{$wanted} ], "bash: $line");
}

# ---- at the keyboard -----------------------------------------------------------------------------

# The typed text, and the words that bash and zsh make of it. Fish makes the same, but
# adds a blank after a name.
my @TYPED = (
    [ "bonnie --en\ti\t",                    '[--engine=io_uring]',                           '[--engine][io_uring]' ],
    [ "bonnie --engine=s\t",                 '[--engine=sync]',                               '[--engine=sync]' ],
    [ "bonnie --pres\tg\t --tests pu\t_b\t", '[--preset=gobonniego][--tests][put_block]',     '[--preset][gobonniego][--tests][put_block]' ],
    [ "zcav --eng\tlib\t",                   '[--engine=libaio]',                             '[--engine][libaio]' ],
    [ "bonload -requests-eng\tme\t",         '[-requests-engine=meta]',                       '[-requests-engine][meta]' ],
    [ "goader -requests-engine=nu\t",        '[-requests-engine=null]',                       '[-requests-engine=null]' ],
);
my @TYPED_TO_FISH = map { [ @{$_}[ 0, 2 ] ] } @TYPED;

# M-* inserts everything that is offered into the line; zsh also inserts what
# precedes it.
my $ALL = "bonnie --engine=\e*";
my @SORTED = sort @engines;

sub typed_ok {
    my ($shell, $command, $setup, @cases) = @_;
SKIP: {
        skip "there is no $shell",                1 if !have($shell);
        skip 'script(1) makes no terminal here', 1 if !has_terminal();
        my @seen = map {s/ \]/]/gr} typed($shell, $command, $setup, map { $_->[0] } @cases);
        is_deeply(\@seen, [ map { $_->[1] } @cases ], "$shell completes what is typed") or diag(slurp("$kept/screen"));
    }
    return;
}

typed_ok('bash', 'bash --norc --noprofile -i', [ map {"source '$kept/completions/bash/$_'"} qw(bonnie bonload zcav) ], @TYPED, [ $ALL, '[--engine=' . join('][', @SORTED) . ']' ]);
typed_ok('zsh', 'zsh -f -i', [
    "fpath=('$kept/completions/zsh' \$fpath)", 'autoload -Uz compinit && compinit -u -D',
    'zle -C all-matches complete-word _generic && bindkey "\e*" all-matches',
    'zstyle ":completion:all-matches:*" insert yes', 'zstyle ":completion:all-matches::::" completer _all_matches _complete',
], @TYPED, [ $ALL, join q{}, map {"[--engine=$_]"} @SORTED ]);
typed_ok('fish', 'fish --no-config -i', [ map {"source '$kept/completions/fish/$_.fish'"} qw(bonnie bonload goader zcav) ], @TYPED_TO_FISH);

# ---- fish ----------------------------------------------------------------------------------------

# Fish 4 also names options that only contain the typed letters; at the keyboard those that begin with them go first.
sub fish_offers {
    my ($line) = @_;
    my ($typed) = $line =~ /(\S*)\z/;
    my $script = "for file in '$DIR'/fish/*.fish; source \$file; end; complete -C '$line'";
    open my $out, '-|', 'env', "HOME=$kept", 'fish', '--no-config', '-c', $script or die "fish: $!\n";
    return grep { index($_, $typed) == 0 } map { chomp; s/\t.*//r } readline $out;
}

SKIP: {
    skip 'there is no fish', 1 if !have('fish');
    for my $case (
        [ 'bonnie --en',               ['--engine'] ],
        [ 'bonnie --engine=',          [ map {"--engine=$_"} @engines ] ],
        [ 'bonnie++ --engine ',        \@engines ],
        [ 'bonnie --tests putc,rew',   ['putc,rewrite'] ],
        [ 'bonnie -d plac',            ['place/'] ],
        [ 'bonload -requests-eng',     ['-requests-engine'] ],
        [ 'goader -requests-engine s', [qw(s3 sleep)] ],
        [ 'zcav --en',                 ['--engine'] ],
        [ 'zcav --engine=',            [ map {"--engine=$_"} @engines ] ],
        [ 'bon_csv2txt --fail',        ['--fail-below'] ],
    ) {
        my ($line, $wanted) = @{$case};
        is_deeply([ sort(fish_offers($line)) ], [ sort @{$wanted} ], "fish: $line");
    }
}

chdir q{/} or die "/: $!\n";
done_testing();
