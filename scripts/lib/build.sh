# shellcheck shell=sh
# How the scripts here build, each in its own directory below build/. To be sourced with $TOP set.

JOBS=$(nproc 2>/dev/null || echo 1)

# Automake cannot build elsewhere what has been built in place. Then that build stays untouched, and
# a copy of what git would commit is taken: with its times, so that only what changed is built anew.
source_dir() {
	if [ ! -e "$TOP/config.status" ]; then
		echo "$TOP"
		return
	fi
	git -C "$TOP" rev-parse 2>/dev/null || {
		echo "$TOP has been configured in place: run make distclean there first" >&2
		return 1
	}
	mkdir -p "$TOP/build/source"
	(cd "$TOP" && git ls-files -z --cached --others --exclude-standard | existing |
		tar --null -T - -cf -) | tar -xf - -C "$TOP/build/source"
	echo "$TOP/build/source"
}

# Only the files of a list that are still there.
# shellcheck disable=SC2016 # the inner shell's variables
existing() { xargs -0 sh -c 'for f; do [ ! -e "$f" ] || printf "%s\0" "$f"; done' sh; }

# Whether this directory has been configured just so already; make sees to the rest.
configured() {
	[ -e "$1/config.status" ] && [ -e "$1/Makefile" ] && [ "$(cat "$1/configured-with" 2>/dev/null)" = "$2" ]
}

# configure_in NAME [OPTION]...: build/NAME is ready for make.
configure_in() {
	build=$TOP/build/$1
	shift
	src=$(source_dir) || return
	! configured "$build" "$src $*" || return 0
	[ -e "$src/configure" ] || (cd "$src" && autoreconf -fi) || return
	rm -rf "$build" && mkdir -p "$build" || return
	(cd "$build" && "$src/configure" "$@") && echo "$src $*" >"$build/configured-with"
}

# make_in NAME [ARGUMENT]...
make_in() {
	build=$TOP/build/$1
	shift
	make -C "$build" -j "$JOBS" "$@"
}
