# SPDX-License-Identifier: GPL-2.0-or-later
# Finds the file of a path that the user has given, one name at a time, by changing into each
# directory. Then the file has a name of one part, so nobody can put another file in its place. The
# rule is that of sys/path.h: a symbolic link is followed only where nobody but root and this user
# can change the directory or one above it, and where others can, a file is replaced only if it is
# this user's own, and nobody can move the directory who could not replace the file himself.
package Bonnie::Path;

use strict;
use warnings;
use experimental 'signatures';
use Config;
use Cwd   ();
use Errno qw(EEXIST);
use Exporter 'import';
use Fcntl qw(:mode F_SETFL O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_RDONLY);

our @EXPORT_OK = qw(at_directory check_changed check_replaced in_its_directory make_directory open_to_read read_whole rename_file vouch);

# Opens a directory that may be entered but not listed; it is not in Fcntl (open(2)).
my $O_PATH = oct 10_000_000;

# The limit of the kernel.
my $MOST_LINKS = 40;

# How often others may be faster.
my $MOST_TRIES = 8;

# The uid that the kernel shows for users whom a user namespace does not map.
my $OVERFLOW_UID = 65_534;

# The number of getxattr(2).
my %GETXATTR = (x86_64 => 191, aarch64 => 8, riscv64 => 8, loongarch64 => 8, i386 => 229, i486 => 229, i586 => 229, i686 => 229, arm => 229, powerpc64le => 212, s390x => 227);

# --trust-directory: a user other than root trusts those who can move his directories.
our $trusts_movers;

# Device and inode of the files that this process has made, and of directories that have only its own.
my %made;

# A directory that would be safe if what another user has mounted had the owners that it shows.
my $BROUGHT = 2;

# The inode of the root directory of every procfs; its links are texts like all others.
my $PROC_ROOT_INO = 1;

# in_its_directory($path, sub ($name, $is_of_kernel)): calls the sub in the directory of the file,
# which need not exist, and then returns to the current directory. $is_of_kernel: the name is one of
# the kernel's links (/dev/stdout leads to one), which only the kernel can follow. Returns what the
# sub returned, or dies with a reason.
sub in_its_directory ($path, $work) {
    return elsewhere(sub {
        my ($name, $is_of_kernel, $mount) = walk($path);
        if ($mount) {
            sysopen my $file, $name, $O_PATH | ($is_of_kernel ? 0 : O_NOFOLLOW) or $!{ENOENT} or die "$!\n";
            my $end = defined fileno $file ? $file : here();
            die "a symbolic link is not followed out of what another user has mounted\n" if $mount < 0 || mount_of($end) != $mount;
        }
        return $work->($name, $is_of_kernel);
    });
}

# at_directory($handle, sub ()): calls the sub in a directory that is open, and then returns to the
# current directory.
sub at_directory ($handle, $work) {
    return elsewhere(sub { chdir $handle or die "$!\n"; return $work->() });
}

# Opens the directory that a path leads to, and makes it if it is missing. Returns a handle, or dies
# with a reason.
sub make_directory ($path) {
    my $bare = $path =~ s{/+\z}{}r;
    in_its_directory($bare, sub { mkdir $_[0] or $! == EEXIST or die "$!\n" }) if $bare !~ m{\A[./]*\z};
    return in_its_directory("$path/", sub { open my $handle, '<', q{.} or die "$!\n"; return $handle });
}

# Opens the file or pipe that a path leads to. The open never waits, and the pipe of another user is
# not waited for at all. Returns a handle, or dies with a reason.
sub open_to_read ($path) { return in_its_directory($path, \&open_name) }

sub open_name ($name, $is_of_kernel = undef) {
    my $flags = O_RDONLY | O_NOCTTY;
    sysopen my $handle, $name, $flags | O_NONBLOCK | ($is_of_kernel ? 0 : O_NOFOLLOW) or die "$!\n";
    my @facts = stat $handle or die "$!\n";
    die "Is a directory\n" if S_ISDIR($facts[2]);
    refuse_mover('read the file: its contents are not shown', "/$name", people_with(4, '/proc/self/fd/' . fileno $handle, @facts), @facts) if !$is_of_kernel;
    if (S_ISFIFO($facts[2])) {
        die "it is a pipe of another user\n" if !$is_of_kernel && (!is_trusted($facts[4]) || is_brought($handle));
        wait_for_writer($handle);
    }
    fcntl $handle, F_SETFL, $flags or die "$!\n";
    return $handle;
}

# The reports of twenty machines have some 100 MB at most.
my $LARGEST_FILE = 256 << 20;

# The bytes of a file that is open. Dies with a reason.
sub read_whole ($handle) {
    my ($bytes, $got) = (q{}, 1);
    binmode $handle;
    while ($got && length $bytes <= $LARGEST_FILE && -s $handle <= $LARGEST_FILE) {
        $got = read $handle, $bytes, 1 << 20, length $bytes;
    }
    die "$!\n" if !defined $got;
    die "it is larger than 256 MiB\n" if $got;
    return $bytes;
}

# Waits for a writer: without one, a pipe looks as if it had ended.
sub wait_for_writer ($handle) {
    vec(my $wanted = q{}, fileno $handle, 1) = 1;
    until (select(my $ready = $wanted, undef, undef, undef) > 0) { }
    return;
}

# A handle of the current directory, which need not be one that this user may list.
sub here {
    sysopen my $here, q{.}, $O_PATH | O_DIRECTORY or die "open the present directory: $!\n";
    return $here;
}

# Calls a sub that may change the current directory, and then returns to it.
sub elsewhere ($work) {
    my $here   = here();
    my @done   = eval { (1, scalar $work->()) };
    my $reason = $@;
    chdir $here or die "go back to the present directory: $!\n";
    die $reason if !@done;
    return $done[1];
}

# ---- one name after the other --------------------------------------------------------------------

# Goes to the directory of the last name.
sub walk ($path) {
    my ($links, $mount) = (0, 0); # that of another user, in which it must end
    my @above; # device and inode of each directory that was left behind, the outermost first
    my @rest = begin($path);
    while (@rest) {
        my $name = shift @rest;
        next if @rest && enter($name, \@above);
        my @facts = lstat $name;
        return ($name, 0, $mount) if !@rest && (!@facts || !S_ISLNK($facts[2]));
        die "$!\n" if !@facts;
        die "Not a directory\n" if !S_ISLNK($facts[2]);
        if (is_of_kernel(@facts)) {
            refuse_link($name, @rest) if !is_of_this_process();
            return ($name, 1, $mount) if !@rest;
            chdir $name or die "$!\n";
            @above = ();
            next;
        }
        my $safety = safety();
        refuse_link($name, @rest) if !$safety;
        $mount ||= mount_of(here()) if $safety == $BROUGHT;
        die "too many links\n" if ++$links > $MOST_LINKS;
        my $target = readlink $name // die "$!\n";
        @above = () if $target =~ m{\A/};
        unshift @rest, begin($target);
    }
    die "Is a directory\n";
}

# Splits a path into names; an absolute one begins at the root.
sub begin ($path) {
    chdir q{/} or die "$!\n" if $path =~ m{\A/};
    return ((grep { $_ ne q{} && $_ ne q{.} } split m{/}, $path), $path =~ m{/\z} ? q{.} : ());
}

# Enters a directory by its handle. Returns false if the name is not that of one; it may be a link. `..`
# must lead back to the one that was left: somebody may have moved what is in between.
sub enter ($name, $above) {
    sysopen my $directory, $name, $O_PATH | O_DIRECTORY | O_NOFOLLOW or return $!{ENOTDIR} || $!{ELOOP} ? 0 : die "$!\n";
    my $left = $name eq q{..} ? pop @{$above} : [ stat q{.} ];
    chdir $directory or die "$!\n";
    push @{$above}, $left if $name ne q{..};
    die "somebody has moved a directory on the way\n" if $name eq q{..} && $left && !is_same($left, [ stat q{.} ]);
    return 1;
}

sub refuse_link ($name, @rest) {
    my $target = readlink $name // die "$!\n";
    my $here   = $target =~ m{\A/} ? q{} : Cwd::getcwd() . q{/};
    my $end    = join q{/}, "$here$target", @rest;
    die "a symbolic link is not followed where another user can change its directory or one above it; if it is right, give its target: $end\n";
}

sub is_of_kernel (@facts) {
    my @proc = stat '/proc/self/fd';
    return @proc && $proc[0] == $facts[0] && (stat q{.})[1] != $PROC_ROOT_INO;
}

# Whether the current directory is /proc/self or below it.
sub is_of_this_process {
    for my $above (q{.}, q{..}, '../..', '../../..') {
        my @here = stat $above         or next;
        my @self = stat "$above/../self" or next;
        return 1 if is_same(\@here, \@self);
    }
    return 0;
}

# ---- whom to trust -------------------------------------------------------------------------------

# Whether only one user can seem to have the uid, or one group the gid.
sub is_one ($id) {
    return 1 if $id != $OVERFLOW_UID;
    open my $map, '<', '/proc/self/uid_map' or return 0;
    return (split q{ }, readline($map) // q{})[2] == 4_294_967_295;
}

sub is_own { my ($uid) = @_; return $uid == $> && is_one($uid) }

# Root of a user namespace is an ordinary user outside.
sub is_root { return $> == 0 && is_one($OVERFLOW_UID) }

sub is_trusted { my ($uid) = @_; return $uid == 0 || is_own($uid) }

# Whether nobody else can change the current directory or one above it: 0, 1 or $BROUGHT. Then returns
# to it. What is above may also end at a filesystem that has been unmounted: of that nothing is known
# any more.
sub safety {
    my $here = here();
    my ($safety, @below) = (1);
    while (1) {
        my @facts = stat q{.} or die "$!\n";
        last if @below && is_same(\@facts, \@below);
        $safety = 0 if !is_kept(scalar @below, @facts);
        last        if !$safety || !chdir q{..};
        $safety = $BROUGHT if is_brought(here());
        @below  = @facts;
    }
    my @root = stat q{/};
    $safety = $BROUGHT if $safety && is_brought($here);
    chdir $here or die "go back to the present directory: $!\n";
    return @below && @root && is_same(\@root, \@below) ? $safety : 0;
}

sub is_safe { return safety() == 1 }

sub is_same { my ($one, $other) = @_; return $one->[0] == $other->[0] && $one->[1] == $other->[1] }

# A sticky directory keeps the entries of root and this user.
sub is_kept ($may_be_sticky, @facts) {
    return 0 if !is_trusted($facts[4]);
    return 0 if $facts[2] & (S_IWGRP | S_IWOTH) && !($may_be_sticky && $facts[2] & S_ISVTX);
    return 1;
}

# The number of the mount through which a handle was opened.
sub mount_of ($handle) {
    open my $in, '<', '/proc/self/fdinfo/' . fileno $handle or return -1;
    my ($number) = map { /\Amnt_id:\s*(\d+)/ } readline $in;
    return $number // -1;
}

# Whether another user has made or brought what is mounted there: is_brought() of sys/path.c.
sub is_brought ($handle) {
    my $number = mount_of($handle);
    open my $in, '<', '/proc/self/mountinfo' or return 1;
    my @mounts = map { /\A(\d+) \d+ (\S+) \S+ (\S+) .* - (\S+) .* (\S+)\n\z/ ? [ $1, $2, $3, $4, $5 ] : () } readline $in;
    my ($own) = grep { $_->[0] == $number } @mounts;
    return 1 if !$own || has_foreign_mounts();
    return scalar grep { $_->[1] eq $own->[1] && !is_trusted($_->[3] =~ /\Afuse/ ? $_->[4] =~ /user_id=(\d+)/ ? $1 : 0 : asker_of($_->[2])) } @mounts;
}

# Who asked mount(8) for the mount at a point, by libmount's table.
sub asker_of ($point) {
    open my $in, '<', '/run/mount/utab' or return 0;
    my ($options) = map { / TARGET=\Q$point\E .*OPTS=(\S+)/ } readline $in;
    return 0 if ($options // q{}) !~ /(?<![^,])(?:user|uhelper)=/;
    return $options =~ /(?<![^,])user=([^,]+)/ ? getpwnam($1) // $OVERFLOW_UID : $OVERFLOW_UID;
}

# Whether this mount namespace is that of others, in a user namespace of theirs.
sub has_foreign_mounts {
    open my $mounts, '<', '/proc/self/ns/mnt' or return 0;
    my $number = ioctl $mounts, 0xb701, 0 or return 0; # NS_GET_USERNS
    open my $users, '<&=', $number or return 0;
    my @own = stat '/proc/self/ns/user';
    my $uid = pack 'L', 0;
    return !is_same([ stat $users ], \@own) && ioctl($users, 0xb704, $uid) && !is_trusted(unpack 'L', $uid); # NS_GET_OWNER_UID
}

# Gives a file another name, in the current directory. Dies with a reason if the rule does not let this
# user replace what has that name, even if it is made in this moment.
sub rename_file ($name, $new_name) {
    for (1 .. $MOST_TRIES) {
        if (my @facts = lstat $new_name) {
            check_replaced(@facts);
        }
        elsif (!is_safe()) {
            if (link $name, $new_name) {
                $made{ join q{:}, (lstat $new_name)[ 0, 1 ] } = 1;
                return unlink $name;
            }
            next if $! == EEXIST;
        }
        rename $name, $new_name or die "$!\n";
        $made{ join q{:}, (lstat $new_name)[ 0, 1 ] } = 1;
        return;
    }
    die "others make it again and again\n";
}

# Dies if the rule does not let this user replace or change in place what has these facts, in the
# current directory.
sub check_replaced (@facts) {
    return if is_safe();
    die "another user can change its directory, so only your own files are replaced there\n" if !is_own($facts[4]);
    refuse_mover('write to it: nothing that is there is changed', q{}) if !grep { $made{"$_->[0]:$_->[1]"} } \@facts, [ stat q{.} ];
    return;
}

# What is in the current directory is this program's own, as its contents show.
sub vouch { $made{ join q{:}, (stat q{.})[ 0, 1 ] } = 1; return }

sub check_changed (@facts) {
    die "another user can change its directory, so root changes no file that is there\n" if $> == 0 && !is_safe();
    return check_replaced(@facts);
}

# ---- who can move what: find_mover() of sys/path.c -------------------------------------------------

# Those who have these permissions, given as bits for others; an owner can get any.
sub people_with ($bits, $path, @facts) {
    my $has_group = ($facts[2] >> 3 & $bits) == $bits && !has_list($path);
    return {
        all   => $has_group && ($facts[2] & $bits) == $bits,
        user  => is_one($facts[4])               ? $facts[4] : -1,
        group => $has_group && is_one($facts[5]) ? $facts[5] : -1,
    };
}

sub has_user  { my ($people, $uid) = @_; return is_trusted($uid) || $people->{all} || $people->{user} == $uid }
sub has_group { my ($people, $gid) = @_; return $people->{all} || $people->{group} == $gid }

sub those_in_both ($one, $other) {
    my ($user, $group) = @{ $one->{all} ? $other : $one }{qw(user group)};
    return {
        all   => $one->{all} && $other->{all},
        user  => has_user($one, $user)   && has_user($other, $user)   ? $user  : -1,
        group => has_group($one, $group) && has_group($other, $group) ? $group : -1,
    };
}

# Whether an access control list says more than the mode. If that cannot be known, it may.
sub has_list ($path) {
    my ($system) = $Config{archname} =~ /\A([^-]+)/;
    my $number   = $GETXATTR{$system} // return 1;
    return syscall($number, $path, my $name = 'system.posix_acl_access', 0, 0) >= 0 || !($!{ENODATA} || $!{EOPNOTSUPP});
}

# Somebody who can move an entry of a directory and is not among the people.
sub mover ($people, $directory, $entry) {
    my ($mode, $owner, $group) = @{$directory}[ 2, 4, 5 ];
    return "user $owner" if !has_user($people, $owner);
    return if !($mode & (S_IWGRP | S_IWOTH));
    return has_user($people, $entry->[4]) ? undef : "user $entry->[4]" if $mode & S_ISVTX && (S_ISDIR($entry->[2]) || hardlinks_are_protected());
    my $is_listed = has_list(q{.});
    return $people->{all} ? undef : 'everybody' if $mode & S_IWOTH || $is_listed && !($> && is_own($owner));
    return $is_listed || has_group($people, $group) ? undef : "group $group"; # a list of the user's own is his choice
}

sub hardlinks_are_protected { open my $in, '<', '/proc/sys/fs/protected_hardlinks' or return 0; return readline($in) == 1 }

sub refuse ($who, $path, $what) {
    my $way = !is_root() ? '--trust-directory allows it' : 'its owner can';
    my $bit = $who =~ /\Auser/ ? q{} : '; so does a sticky bit of the directory above';
    die "$who can move $path, but may not $what ($way$bit)\n";
}

# Dies if somebody can move the current directory, or one above it, and may not do $what; or, if the
# people and facts of a file in it are given, who can have given the file its name.
sub refuse_mover ($what, $file, $people = undef, @entry) {
    return if $trusts_movers && !is_root();
    my $path = Cwd::getcwd() . $file;
    elsewhere(sub {
        if (!$people) {
            @entry  = stat q{.};
            $people = people_with(3, q{.}, @entry);
            @{$people}{qw(all group)} = (0, -1) if $entry[2] & S_ISVTX;
            chdir q{..} or return;
        }
        while (1) {
            my @facts = stat q{.};
            return if !@facts || is_same(\@facts, \@entry);
            my $who = mover($people, \@facts, \@entry);
            refuse($who, $path, $what) if $who;
            $people = those_in_both($people, people_with(1, q{.}, @facts));
            @entry  = @facts;
            $path =~ s{/[^/]*\z}{};
            chdir q{..} or return;
        }
    });
    return;
}

1;
