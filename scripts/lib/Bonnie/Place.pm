# Finds the file of a path that the user has given, one name at a time, by changing into each
# directory. Then the file has a name of one part, so nobody can put another file in its place.
# Follows a symbolic link only if nobody but root and this user can change its directory; sys/walk.h does

# the same for the programs in C.
package Bonnie::Place;

use strict;
use warnings;
use Cwd ();
use Errno qw(EEXIST);
use Exporter 'import';
use Fcntl qw(:mode F_SETFL O_NOCTTY O_NOFOLLOW O_NONBLOCK O_RDONLY);

our @EXPORT_OK = qw(at_directory in_its_directory make_directory open_to_read);

# The limit of the kernel.
my $MOST_LINKS = 40;

# in_its_directory($path, sub ($name, $is_of_kernel)): calls the sub in the directory of the file,
# which need not exist, and then returns to the current directory. $is_of_kernel: the name is one of
# the kernel's links (/dev/stdout leads to one), which only the kernel can follow. Returns what the
# sub returned, or dies with a reason.
sub in_its_directory {
    my ($path, $work) = @_;
    return elsewhere(sub { return $work->(walk($path)) });
}

# at_directory($handle, sub ()): calls the sub in a directory that is open, and then returns to the
# current directory.
sub at_directory {
    my ($handle, $work) = @_;
    return elsewhere(sub { chdir $handle or die "$!\n"; return $work->() });
}

# Opens the directory that a path leads to, and makes it if it is missing. Returns a handle, or dies
# with a reason.
sub make_directory {
    my ($path) = @_;
    my $bare = $path =~ s{/+\z}{}r;
    in_its_directory($bare, sub { mkdir $_[0] or $! == EEXIST or die "$!\n" }) if $bare !~ m{\A[./]*\z};
    return in_its_directory("$path/", sub { open my $handle, '<', q{.} or die "$!\n"; return $handle });
}

# Opens the file or pipe that a path leads to. The open never waits, and the pipe of another user is
# not waited for at all. Returns a handle, or dies with a reason.
sub open_to_read {
    my ($path) = @_;
    return in_its_directory($path, \&open_name);
}

sub open_name {
    my ($name, $is_of_kernel) = @_;
    my $flags = O_RDONLY | O_NOCTTY;
    sysopen my $handle, $name, $flags | O_NONBLOCK | ($is_of_kernel ? 0 : O_NOFOLLOW) or die "$!\n";
    my @facts = stat $handle or die "$!\n";
    die "Is a directory\n" if S_ISDIR($facts[2]);
    if (S_ISFIFO($facts[2])) {
        die "it is a pipe of another user\n" if !$is_of_kernel && !is_trusted($facts[4]);
        wait_for_writer($handle);
    }
    fcntl $handle, F_SETFL, $flags or die "$!\n";
    return $handle;
}

# Waits for a writer: without one, a pipe looks as if it had ended.
sub wait_for_writer {
    my ($handle) = @_;
    vec(my $wanted = q{}, fileno $handle, 1) = 1;
    until (select(my $ready = $wanted, undef, undef, undef) > 0) { }
    return;
}

# Calls a sub that may change the current directory, and then returns to it.
sub elsewhere {
    my ($work) = @_;
    my $path   = opendir(my $here, q{.}) ? undef : Cwd::getcwd();
    my @done   = eval { (1, scalar $work->()) };
    my $reason = $@;
    chdir($path // $here) or die "go back to the present directory: $!\n";
    die $reason if !@done;
    return $done[1];
}

# Goes to the directory of the last name.
sub walk {
    my ($path) = @_;
    my $links = 0;
    my @rest  = begin($path);
    while (@rest) {
        my $name = shift @rest;
        my @facts = lstat $name;
        return ($name, 0) if !@rest && (!@facts || !S_ISLNK($facts[2]));
        die "$!\n" if !@facts;
        if (!S_ISLNK($facts[2])) {
            go_into($name);
            next;
        }
        die "too many links\n" if ++$links > $MOST_LINKS;
        check_link($name, @facts);
        if (is_of_kernel(@facts)) {
            return ($name, 1) if !@rest;
            chdir $name or die "$!\n";
            next;
        }
        my $target = readlink $name // die "$!\n";
        unshift @rest, begin($target);
    }
    die "Is a directory\n";
}

# Splits a path into names; an absolute one begins at the root.
sub begin {
    my ($path) = @_;
    chdir q{/} or die "$!\n" if $path =~ m{\A/};
    return ((grep { $_ ne q{} && $_ ne q{.} } split m{/}, $path), $path =~ m{/\z} ? q{.} : ());
}

# Checks where it has arrived: the name may have become a link by now, so that
# `..` would be another directory.
sub go_into {
    my ($name) = @_;
    my @before = stat q{.} or die "$!\n";
    chdir $name or die "$!\n";
    return if $name eq q{..};
    my @above = stat q{..} or die "$!\n";
    die "somebody has replaced the directory $name\n" if $above[0] != $before[0] || $above[1] != $before[1];
    return;
}

sub is_trusted { my ($uid) = @_; return $uid == 0 || $uid == $> }

# A group with the user's name and no other member counts as this user.
sub is_own_group {
    my ($gid) = @_;
    my ($user, undef, undef, $own) = getpwuid $>;
    my ($group, undef, undef, $members) = getgrgid $gid;
    return $gid != 0 && defined $user && $own == $gid && defined $group && $group eq $user && !grep { $_ ne $user } split q{ }, $members;
}

# Whether others may write to the current directory.
sub is_shared {
    my @here = stat q{.} or die "$!\n";
    return ($here[2] & S_IWOTH) || ($here[2] & S_IWGRP && !is_own_group($here[5])) ? 1 : 0, @here;
}

sub check_link {
    my ($name, @facts) = @_;
    my ($is_shared, @here) = is_shared();
    my $is_ours = $here[2] & S_ISVTX && is_trusted($facts[4]) && $facts[3] == 1;
    return if is_trusted($here[4]) && (!$is_shared || $is_ours);
    die "the symbolic link $name is not followed: another user can change the directory that it is in\n";
}

sub is_of_kernel {
    my (@facts) = @_;
    my @proc = stat '/proc/self/fd';
    return @proc && $proc[0] == $facts[0];
}

1;
