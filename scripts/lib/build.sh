# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# How the scripts here build, each in its own directory below build/. To be sourced with $TOP set.

JOBS=$(nproc 2>/dev/null || echo 1)

# Automake cannot build in another directory when the sources were built in place. So this builds a
# copy of what git would commit, and leaves the build in place alone. The copied files keep their
# times, so that only changed ones are built again.
source_dir() {
	if [ ! -e "$TOP/config.status" ]; then
		echo "$TOP"
		return
	fi
	files_of_git >/dev/null 2>&1 || {
		echo "$TOP has been configured in place: run make distclean there first" >&2
		return 1
	}
	copy=$TOP/build/source
	rm -rf "$copy/scripts" "$copy/src" "$copy/tests" # files that were deleted here must not stay in the copy
	mkdir -p "$copy"
	(cd "$TOP" && files_of_git | existing | tar --null -T - -cf -) | tar -xf - -C "$copy"
	echo "$copy"
}

# Root may build what another user checked out.
files_of_git() { git -C "$TOP" -c safe.directory='*' ls-files -z --cached --others --exclude-standard; }

# Only the files of a list that are still there.
# shellcheck disable=SC2016 # the inner shell's variables
existing() { xargs -0 sh -c 'for f; do [ ! -e "$f" ] || printf "%s\0" "$f"; done' sh; }

# outdated FILE SOURCE: whether FILE does not exist yet, or is older than what SOURCE is configured
# by. make notices all other changes, but does not compile again for other flags.
outdated() { [ ! -e "$1" ] || [ -n "$(find "$2/configure.ac" "$2/scripts/lib/Bonnie/Version.pm" "$2/m4" -newer "$1")" ]; }

# tell_meanwhile LOG PATTERN WORDS COMMAND...: runs the command with its output in LOG, and says now and then how many of
# its lines have matched the shell's PATTERN. Returns its status.
tell_meanwhile() (
	log=$1 pattern=$2 words=$3 count=0
	shift 3
	{ "$@" 2>&1 </dev/null && echo 'ended: 0' || echo "ended: $?"; } | {
		while IFS= read -r line; do
			# shellcheck disable=SC2254 # a pattern
			case $line in
			'ended: '*) exit "${line#ended: }" ;;
			$pattern)
				count=$((count + 1))
				[ $((count % 40)) -ne 0 ] || echo "  $count $words" >&2
				;;
			esac
			echo "$line"
		done >"$log"
		exit 1
	}
)

# configure_in NAME [OPTION]...: prepares build/NAME for make.
configure_in() {
	build=$TOP/build/$1 stamp=$TOP/build/$1/configured-with
	shift
	src=$(source_dir) || return
	outdated "$stamp" "$src" || [ "$(cat "$stamp")" != "$src $*" ] || return 0
	! outdated "$src/configure" "$src" || (cd "$src" && autoreconf -fi) || return
	rm -rf "$build" && mkdir -p "$build" || return
	(cd "$build" && "$src/configure" "$@") && echo "$src $*" >"$stamp"
}

# make_in NAME [ARGUMENT]...
make_in() {
	build=$TOP/build/$1
	shift
	make -C "$build" -j "$JOBS" "$@"
}
