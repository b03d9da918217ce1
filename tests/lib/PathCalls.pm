# SPDX-License-Identifier: GPL-2.0-or-later
# Every system call of a run with a path: what the path is relative to, and who else could have
# changed, before the call, what it leads to.
package PathCalls;

use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter 'import';
use File::Temp ();
use BonnieRun  qw(bonnie program);
use RunProgram qw(slurp);

our @EXPORT_OK = qw(path_calls table_of_paths wrong_paths);

# Where paths are among the arguments: the number of the path, or those of its directory's
# descriptor and of the path. The text of a symbolic link does not count.
my %PATHS = (
    (map { $_ => [0] } qw(open creat access execve getxattr readlink stat lstat statfs mkdir rmdir unlink chdir chmod chown lchown truncate mknod)),
    (map { $_ => [ 0, 1 ] } qw(rename link)),
    symlink => [1],
    (map { $_ => [ [ 0, 1 ] ] } qw(openat openat2 newfstatat statx faccessat faccessat2 mkdirat mknodat unlinkat readlinkat fchmodat fchownat utimensat)),
    (map { $_ => [ [ 0, 1 ], [ 2, 3 ] ] } qw(linkat renameat renameat2)),
    symlinkat         => [ [ 1, 2 ] ],
    inotify_add_watch => [1],
    connect           => [1],
    bind              => [1],
    getcwd            => [],
    fsconfig          => [], # a tracefs that no directory shows
);

my $PRIVATE = qr{/bonnie[.][0-9a-f]{16}};

# The arguments of a call in strace's form, split at the commas between them.
sub arguments {
    my ($text) = @_;
    my (@parts, $depth);
    my $part = q{};
    while ($text =~ /\G("(?:[^"\\]|\\.)*"(?:[.]{3})?|<[^>]*>|[\[{(]|[\])}]|,\s*|[^"<\[{(\])},]+)/gc) {
        my $piece = $1;
        $depth += $piece =~ /\A[\[{(]/ ? 1 : $piece =~ /\A[\])}]/ ? -1 : 0;
        if ($piece =~ /\A,/ && !$depth) { push @parts, $part; $part = q{}; }
        else                            { $part .= $piece; }
    }
    return (@parts, $part);
}

# The string with which a text in strace's form begins, whose other bytes than ASCII's are octal there.
sub unquoted {
    my ($text) = @_;
    return $1 =~ s/\\([0-7]{1,3})/chr oct $1/egr if $text =~ /\A"((?:[^"\\]|\\.)*)"/;
    return $1 if $text =~ /sun_path=\@?"([^"]*)"/;
    return;
}

# path_calls(\%how, ARGUMENT...): the run, and its calls that take a path, each {call, directory,
# path, args, is_checked}. The directory is that of the descriptor; undef: the path is not relative
# to one. If it is the private directory, or one in it, is_checked tells whether its mode was
# checked before.
sub path_calls {
    my ($how, @args) = @_;
    my $log = File::Temp->new;
    chmod oct(666), "$log";
    my $run = bonnie({ %{$how},
        wrap => [ qw(strace -f -qq -y -v -s4096 -o), "$log", '-e', 'trace=%file,openat2,connect,bind,inotify_add_watch,fstat', '--', @{ $how->{wrap} // [] } ] }, @args);
    my (@calls, %begun, %checked);
    for my $line (split /\n/, slurp("$log")) {
        my ($pid, $text) = $line =~ /\A(\d+) +(.*)/ or next;
        $begun{$pid} = $1, next if $text =~ /\A(.*) <unfinished [.]{3}>\z/;
        $text = ($begun{$pid} // q{}) . $1 if $text =~ /\A<[.]{3} \w+ resumed>(.*)/;
        my ($call, $rest) = $text =~ /\A(\w+)\((.*)\z/ or next;
        # Leaves out calls on a descriptor; unknown calls, which strace always shows; and those of
        # --enable-coverage.
        next if $call =~ /\Afstat\z|\Asyscall_0x/ || $text =~ /[.]gcda"/;
        my @values = arguments($rest);
        @calls = () if $call eq 'execve' && unquoted($rest) eq program();    # what came before started the program
        my @found = map { one_path($call, $rest, $_, @values) } @{ $PATHS{$call} // die "a call that is not known here: $text\n" };
        $_->{is_checked} = $checked{ root_of($_) } for @found;
        $checked{ root_of($_) } = 1 for grep { $call eq 'newfstatat' && $_->{path} eq q{} && $rest =~ /S_IFDIR\|0700/ } @found;
        push @calls, @found;
    }
    return ($run, @calls);
}

# The private directory that a call concerns, or q{}.
sub root_of {
    my ($call) = @_;
    return ($call->{directory} // q{}) =~ m{\A(.*$PRIVATE)(?:/|\z)} ? $1 : q{};
}

sub one_path {
    my ($call, $args, $where, @values) = @_;
    my ($fd, $at) = ref $where ? @{$where} : (undef, $where);
    my $path = unquoted($values[$at]) // return;    # NULL, or another kind of socket
    my $directory;
    if (defined $fd && $path !~ m{\A/}) {
        my ($open) = $values[$fd] =~ /<(.*)>/ or die "no descriptor: $call($args\n";
        $directory = $open if $values[$fd] !~ /\AAT_FDCWD/;
        $path = "$open/$path" if !defined $directory;
    }
    return { call => $call, directory => $directory, path => $path, args => $args };
}

# ---- who could have changed it ------------------------------------------------------------------

# The first directory on the way to a path in which somebody other than root may change the entry;
# undef: there is none. The entries of a sticky directory belong to their owners.
sub open_to_others {
    my ($path) = @_;
    my $way = '/';
    for my $name (grep {length} split m{/}, $path) {
        my ($mode, $uid) = (stat $way)[ 2, 4 ] or return;
        my $owner = (lstat "$way$name")[4] // -1;
        return $way if $uid != 0 || ($mode & oct 22 && !($mode & oct(1000) && $owner == 0));
        $way = (abs_path("$way$name") // "$way$name") . '/';
    }
    return;
}

# Who could have changed what a call found: `nobody` if the call is on an open descriptor, or on a
# name in the run's own directory; otherwise `the kernel`, `root` or `others`.
sub who {
    my ($call) = @_;
    my ($directory, $path) = @{$call}{qw(directory path)};
    return 'nobody' if defined $directory && $path =~ /\A[.]?\z/;
    return 'nobody' if $call->{is_checked} && $directory =~ m{$PRIVATE(?:/d\d{5})?\z};
    return 'the kernel' if ($directory // $path) =~ m{\A/(?:proc|sys)(?:/|\z)};
    return defined open_to_others(defined $directory ? "$directory/$path" : $path) ? 'others' : 'root';
}

# ---- what is allowed -----------------------------------------------------------------------------

# A call on a name that others may change must not follow a link, and what it makes must not exist.
my %FOLLOWS_NOT = (
    (map { $_ => qr/./ } qw(mkdirat unlinkat symlinkat renameat renameat2)),
    openat     => qr/O_NOFOLLOW/,
    openat2    => qr/RESOLVE_NO_SYMLINKS/,
    newfstatat => qr/AT_SYMLINK_NOFOLLOW/,
    linkat     => qr{\A(?!.*AT_SYMLINK_FOLLOW)|"/proc/self/fd/\d+"}, # by a descriptor
);

# wrong_paths(\@given, CALL...): the calls that are not allowed: on a path of several parts, or on
# what another user may have replaced by a link. Paths that the user gave may be opened as they
# are, each as often as it is among them.
sub wrong_paths {
    my ($given, @calls) = @_;
    my %left;
    $left{$_}++ for @{$given};
    my @wrong;
    for my $call (@calls) {
        my $who   = who($call);
        my $parts = () = $call->{path} =~ m{[^/]+}g;
        my $is_safe
            = defined $call->{directory} && $parts > 1 ? 0
            : $who ne 'others'                         ? 1
            : defined $call->{directory} && $call->{path} eq q{..} ? $call->{args} =~ /\bO_PATH\b/ # never a link, and only looked at
            : !defined $call->{directory}              ? $left{ $call->{path} }--
            :                                            $call->{args} =~ ($FOLLOWS_NOT{ $call->{call} } // qr/(?!)/);
        push @wrong, "$call->{call}($call->{args}" if !$is_safe || $is_safe < 0;
    }
    return @wrong;
}

# The calls as a table, in which equal calls on changing names appear once: the call, the
# directory, the path and who could have changed it. $names is {path => its name in the table}.
sub table_of_paths {
    my ($names, @calls) = @_;
    my %count;
    for my $call (grep { $_->{path} ne q{} } @calls) {
        my ($directory, $path) = map { general($names, $_) } $call->{directory} // q{-}, $call->{path};
        $count{ join "\t", who($call), $call->{call}, $directory, $path }++;
    }
    my $table = sprintf "%-10s  %-11s %-10s %s\n", 'changed by', 'call', 'in', 'path';
    $table .= sprintf "%-10s  %-11s %-10s %s\n", split /\t/ for sort keys %count;
    return $table;
}

sub general {
    my ($names, $text) = @_;
    for my $path (sort { length $b <=> length $a } keys %{$names}) {
        $text =~ s{\A\Q$path\E(?=/|\z)}{$names->{$path}};
    }
    $text =~ s{(?:\A|/)\Kbonnie[.]\w{16}}{PRIVATE}g;
    $text =~ s{\A.*/PRIVATE}{PRIVATE};
    $text =~ s{/d\d{5}\z}{/d*}g;
    $text =~ s{\Ad\d{5}\z}{d*};
    $text =~ s{\A(?:[0-9a-f]{10}[a-z2-7]*|[a-z2-7]*[0-9a-f]{10})\z}{FILE};
    $text =~ s{\Ao\d+\z}{o*};
    $text =~ s{/\K#\d+>?(?:[(]deleted[)])?}{(data)}g;
    $text =~ s{[.]\K[0-9a-f]{16}\z}{*};
    $text =~ s{/proc/\K\d+}{self}g;
    $text =~ s{/(?:fd|fdinfo|task)/\K\d+}{N}g;
    $text =~ s{\d+:\d+}{N:N}g;
    $text =~ s{\A(/lib|/usr/lib|/sys)/.*}{$1/...};
    return $text;
}

1;
