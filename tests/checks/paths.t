#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Only one place resolves paths: in C src/sys/path.c, and in Perl
# Bonnie::Path. No other file of a program opens, makes, changes or removes anything by a path, or
# follows a link: it uses single names in an open directory. The exceptions are listed below, each
# with its reason. SECURITY.md has the files.

use strict;
use warnings;
use File::Find qw(find);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use RunProgram qw(slurp);

my $TOP = $ENV{BONNIE_TEST_SRCDIR} // "$FindBin::Bin/../..";

# ---- exceptions ----------------------------------------------------------------------------------

# File, call, reason. Each exception must still be needed.
my @EXCEPTIONS = (
    [ 'src/util/kernel_file.c',      [qw(open fopen opendir access readlink)], 'the one place for files of the kernel, which nobody else can change' ],
    [ 'src/sys/path.c',              [qw(faccessat fstatat openat readlinkat)], 'the one place: single names in open directories, once they are known' ],
    [ 'src/sys/program.c',           [qw(open)],     '/dev/null, for standard descriptors, which are inherited' ],
    [ 'src/sys/output.c',            [qw(getxattr linkat)], 'by a descriptor: /proc/self/fd/N' ],
    [ 'src/sys/path.c',              [qw(getxattr)], 'the same' ],
    [ 'src/sys/path.c',              [qw(statfs)],   'waits for the storage; what it finds is not used' ],
    [ 'src/measure/device.c',        [qw(glob)],     'a directory of sysfs' ],
    [ 'src/measure/facts.c',         [qw(glob)],     'names in sysfs' ],
    [ 'src/bonwhy/target.c',         [qw(execvp)],   'what the user has said that is to be run' ],
    [ 'src/bonwhy/target.c',         [qw(glob)],     'control groups, in sysfs' ],
    [ 'src/bonwhy/watch.c',          [qw(stat)],     'links in /proc/PID; is only compared' ],
    [ 'src/storage/guards.c',        [qw(glob)],     'names in sysfs' ],
    [ 'src/storage/guards.c',        [qw(stat)],     'of a swap file; is only compared' ],
    [ 'src/boncut/campaign/campaign.c', [qw(execl)], '/bin/sh, for commands that the user has given' ],
    [ 'scripts/lib/Bonnie/Path.pm',   [qw(chdir link lstat mkdir open readlink rename stat sysopen unlink), '-s'], 'the one place: names of one part, in the present directory; -s of a handle' ],
    [ 'scripts/lib/Bonnie/Output.pm', [qw(chmod chown lstat stat sysopen unlink), '-p', '-f'], 'names of one part, in the directory that Bonnie::Path has gone to; chmod and chown by handle' ],
    [ 'scripts/lib/Bonnie/Ab/Session.pm', [qw(open glob)], '/dev/null and /proc' ],
    [ 'scripts/lib/Bonnie/Ab/Session.pm', [qw(exec)],  'what the user has said that is to be run' ],
    [ 'scripts/lib/Bonnie/Ab/Command.pm', [qw(open truncate)], 'a file without a name, /dev/null; by a handle' ],
    [ 'scripts/lib/Bonnie/Ab/Neighbour.pm', [qw(-s)], 'sizes of files without a name, by handles' ],
    [ 'src/report/page.c',           [qw(chdir execve)], 'to /; the program that the user has named, or that nobody else can change' ],
);

# ---- C -----------------------------------------------------------------------------------------------

# Calls that resolve a path from the current directory or from the root.
my $BY_PATH = join q{|}, qw(open open64 creat fopen fopen64 freopen freopen64 opendir scandir glob nftw ftw fts_open
    access eaccess euidaccess chmod lchmod chown lchown rename remove unlink rmdir mkdir mkfifo mknod symlink link truncate
    utime utimes lutimes stat lstat statfs statvfs readlink realpath canonicalize_file_name chdir chroot
    getxattr setxattr listxattr removexattr lgetxattr lsetxattr llistxattr lremovexattr
    mkstemp mkostemp mkdtemp tempnam tmpnam mktemp inotify_add_watch name_to_handle_at mount umount umount2 swapon
    execl execle execlp execv execve execvp execvpe posix_spawn posix_spawnp popen system dlopen
    json_load_file json_dump_file);

# Calls that resolve a name in an open directory, and the argument that keeps them from following a
# link; q{}: they never do.
my %IN_DIRECTORY = (
    openat     => qr/\bO_NOFOLLOW\b|"[.]"/,
    (map { $_ => qr/\bAT_SYMLINK_NOFOLLOW\b|\bAT_EMPTY_PATH\b/ } qw(fstatat statx fchownat utimensat faccessat fchmodat execveat)),
    linkat     => qr/\A(?!.*AT_SYMLINK_FOLLOW)/s,
    (map { $_ => qr// } qw(mkdirat mknodat mkfifoat unlinkat symlinkat renameat renameat2)),
    readlinkat => qr/(?!)/, # shows where a link leads; somebody will follow it
    mkostempat => qr/(?!)/,
);
my $AT = join q{|}, keys %IN_DIRECTORY;

# C without comments, with the files' own macros for flags replaced by the flags.
sub code_of {
    my ($text) = @_;
    $text =~ s{("(?:[^"\\\n]|\\.)*")|/[*].*?[*]/|//[^\n]*}{$1 // q{ }}gse;
    my %macro = $text =~ /^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]*\bO_\w+[^\n]*)$/mg;
    for my $name (keys %macro) {
        $text =~ s/(?<!define )\b$name\b/$macro{$name}/g;
    }
    return $text;
}

# The calls in a text that resolve a path, or may follow a link: [name, arguments].
sub wrong_calls {
    my ($text) = @_;
    my @wrong;
    my $code = code_of($text);
    while ($code =~ /(?<![\w.>"])($BY_PATH|$AT)\s*(\((?:[^()]++|(?2))*\))/g) {
        my ($call, $arguments) = ($1, $2);
        next if is_declared(substr $code, 0, $-[0]);
        my $says = $IN_DIRECTORY{$call};
        push @wrong, [ $call, $arguments ] if !$says || $arguments =~ /\A\(\s*AT_FDCWD\b/ || $arguments !~ $says;
    }
    push @wrong, [ 'openat2', q{} ] if $code =~ /\bSYS_openat2\b/ && $code !~ /\bRESOLVE_NO_SYMLINKS\b/;
    return @wrong;
}

# Whether the text before a name makes it a declaration or a member: `int open(...)`.
sub is_declared {
    my ($before) = @_;
    return $before =~ /\b(?!return\b|else\b|case\b|sizeof\b)[a-z]\w*[ *]+\z/ ? 1 : 0;
}

# ---- Perl --------------------------------------------------------------------------------------------

my $PERL = join q{|}, qw(open sysopen opendir rename unlink mkdir rmdir chmod chown symlink link utime truncate stat lstat chdir
    readlink mkfifo glob exec system qx);

# Calls of these names that use only handles: pipes, copies of standard streams, texts.
my $HANDLES = qr/\Aopen\b[^;]*(?:'[<>]&=?'|'-[|]'|'[|]-'|\\[\$*])/;

# Perl without comments, documentation, and the contents of quotes and barewords.
sub perl_statements {
    my ($text) = @_;
    $text =~ s/^__END__\n.*//ms;
    $text =~ s/^=\w.*?^=cut\n//gms;
    $text =~ s/^\s*#[^\n]*$//gm;
    $text =~ s/\s#\s[^\n'"]*$//gm;
    $text =~ s/\bqw\([^)]*\)//g;
    $text =~ s/<<["']?(\w+)["']?;.*?^\1$//gms;
    $text =~ s/(?<![\$\w])('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/in_quotes($1)/ge;
    return $text;
}

# What is kept of a quoted text: the mode of an open, or the fact that there is a variable in it.
sub in_quotes {
    my ($quoted) = @_;
    return $quoted if $quoted =~ /\A'[-<>+|&=]+'\z/;
    return $quoted =~ /\A".*\$/ ? '"$"' : q{''};
}

sub wrong_statements {
    my ($text) = @_;
    my @wrong;
    my $code = perl_statements($text);
    while ($code =~ /(?<![\w\$\@%&>{:#.-])($PERL)\b(?!\s*(?:=>|[}=,):?]))([^;]*)/g) {
        my ($call, $rest) = ($1, $2);
        my $statement = "$call$rest";
        pos($code) = $-[0] + length $call;
        push @wrong, [ $call, $statement ] if $statement !~ $HANDLES;
    }
    push @wrong, [ $1, $2 ] while $code =~ /(?<![\w\$>-])(-[edfrwxlpsSzu])\s+([\$"'][^;]*)/g;
    return @wrong;
}

# ---- all files ---------------------------------------------------------------------------------------

my %wrong;
my %searched = ('src' => [ qr/[.][ch]\z/, \&wrong_calls ], 'scripts/lib' => [ qr/[.]pm\z/, \&wrong_statements ]);
my $files = 0;
for my $folder (sort keys %searched) {
    my ($names, $search) = @{ $searched{$folder} };
    find({ no_chdir => 1, wanted => sub {
        return if !/$names/;
        $files++;
        push @{ $wrong{s{\A\Q$TOP\E/}{}r} }, $search->(slurp($_));
    } }, "$TOP/$folder");
}
for my $program (qw(bon_ab bon_csv2html bon_csv2txt)) {
    push @{ $wrong{"scripts/$program"} }, wrong_statements(slurp("$TOP/scripts/$program"));
    $files++;
}
cmp_ok($files, '>', 300, 'the sources are there');

my %excepted;
for my $row (@EXCEPTIONS) {
    my ($file, $calls) = @{$row};
    for my $call (@{$calls}) {
        ok((grep { $_->[0] eq $call } @{ $wrong{$file} // [] }), "$file: $call is there, and is excepted");
        $excepted{$file}{$call} = 1;
    }
}
for my $file (sort keys %wrong) {
    my @left = grep { !$excepted{$file}{ $_->[0] } } @{ $wrong{$file} };
    next if !@left;
    fail("$file: finds nothing by a path");
    diag("$_->[0]$_->[1]" =~ s/\s+/ /gr) for @left;
}

# ---- testing the check ---------------------------------------------------------------------------

for my $bad (
    'fd = open(path, O_RDONLY);',
    'FILE *f = fopen(p, "r");',
    'if (chmod(path, 0600) != 0)',
    'return lchown(path, 0, 0);',
    'x = rename(a, b) || unlink(c) || mkdir(d, 0777);',
    'mkfifo(path, 0600);',
    'if (stat(path, &st) == 0) fd = open_it();',
    'fd = openat(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW);',
    'fd = openat(directory, name, O_RDONLY | O_CLOEXEC);',
    "#define OPEN_IT (O_RDONLY | O_CLOEXEC)\nfd = openat(directory, name, OPEN_IT);",
    'fstatat(directory, name, &st, 0);',
    'fchownat(directory, name, uid, gid, 0);',
    'linkat(a, b, c, d, AT_SYMLINK_FOLLOW);',
    "fd = openat(f(a, (b)),\n            name, O_RDONLY);",
    'json_t *j = json_load_file(path, 0, NULL);',
    'syscall(SYS_openat2, at, path, &how, sizeof how);',
    'handle = freopen(path, "w", stdout);',
    'execvp(program, words);',
) {
    isnt(scalar wrong_calls($bad), 0, "C: $bad" =~ s/\s+/ /gr);
}
for my $good (
    'fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);',
    "#define OPEN_IT (O_RDONLY | O_NOFOLLOW)\nfd = openat(directory, name, OPEN_IT);",
    'fd = openat(directory, ".", O_RDONLY);',
    'rc = target->open(path, e); rc = ops.open(path);',
    'int open(const char *path);',
    '/* open(path) */ // chmod(path, 0)',
    'fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW);',
    'unlinkat(directory, name, 0); fchmod(fd, 0600); fstat(fd, &st);',
    'say("open (%s)", name); my_open(path); reopen(path);',
) {
    is_deeply([ map { $_->[0] } wrong_calls($good) ], [], "C: $good" =~ s/\s+/ /gr);
}
for my $bad (
    'open my $in, q{<}, $file or die;',
    'sysopen $handle, $file, O_WRONLY;',
    'chmod 0600, $file;',
    'return if !-e $x; unlink $file;',
    'rename $a, $b or die;',
    'my @facts = stat $file;',
    'mkdir($dir);',
    'my $x = $y ? open($handle, q{<}, $file) : 1;',
    'symlink $a, $b;',
    'opendir my $d, $dir;',
    'return if !-e $file;',
    'open my $handle, q{<}, $dir or die "cannot open $name: $!\n";',
) {
    isnt(scalar wrong_statements($bad), 0, "Perl: $bad");
}
for my $good (
    q{open my $copy, '<&', \*STDIN or die;},
    q{open my $in, '<', \$text or die;},
    q{my %names = (link => 'hard links', open => 1);},
    q{my $open = $self->{open}; push @open, 1;},
    q{# open the file},
    q{use Errno qw(open rename);},
) {
    is_deeply([ map { $_->[0] } wrong_statements($good) ], [], "Perl: $good");
}

done_testing();
