# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What builds for musl and for other machines need and Debian's native packages do not have: libraries,
# built here from Debian's source packages, and a Perl of the other machine. All of it stays below
# build/; the machine's own packages and lists are not changed. To be sourced with $TOP set.

SOURCES=$TOP/build/sources
LIBRARIES='jansson cmocka libaio liburing'

# repository KIND: the line of sources.list that says where this machine gets its
# packages.
repository() {
	line=$(apt-cache policy libjansson-dev | awk -v kind="$1" '
		/^ +-?[0-9]+ https?:.* Packages$/ && split($3, part, "/") == 2 { print kind, $2, part[1], part[2]; exit }')
	echo "${line:-$1 http://deb.debian.org/debian bookworm main}"
}

# apt_in DIRECTORY ARGUMENT...: apt-get with lists and a cache of its own.
apt_in() {
	place=$1
	shift
	mkdir -p "$place/lists/partial" "$place/cache/archives/partial"
	apt-get -q -o Acquire::Retries=3 -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
		-o APT::Sandbox::User=root -o Dir::Etc::SourceList="$place/sources.list" -o Dir::Etc::SourceParts=- \
		-o Dir::State::Lists="$place/lists" -o Dir::Cache="$place/cache" "$@" </dev/null
}

# Fetches and unpacks the source packages once: $SOURCES/NAME is then the source of one.
fetch_sources() (
	[ ! -e "$SOURCES/complete" ] || exit 0
	rm -rf "$SOURCES" && mkdir -p "$SOURCES" && cd "$SOURCES" || exit
	repository deb-src >sources.list
	# shellcheck disable=SC2086 # names
	apt_in "$SOURCES" update && apt_in "$SOURCES" source $LIBRARIES || exit
	for name in $LIBRARIES; do
		mv "$name"-[0-9]* "$name" || exit
	done
	touch complete
)

# fetch_perl ARCHITECTURE: fetches Debian's Perl for that architecture once, into
# build/perl-ARCHITECTURE/root.
fetch_perl() (
	place=$TOP/build/perl-$1
	[ ! -e "$place/complete" ] || exit 0
	rm -rf "$place" && mkdir -p "$place" && cd "$place" || exit
	perl=$(perl -e 'printf "%vd", $^V' | cut -d. -f1,2)
	repository "deb [arch=$1]" >sources.list
	other="-o APT::Architecture=$1 -o APT::Architectures=$1 -o Dir::State::status=/dev/null"
	# shellcheck disable=SC2086 # options
	apt_in "$place" $other update &&
		apt_in "$place" $other download perl-base "libperl$perl" "perl-modules-$perl" libcrypt1 || exit
	for package in *.deb; do
		dpkg-deb -x "$package" root || exit
	done
	touch complete
)

# describe NAME VERSION: writes the file for pkg-config.
describe() {
	cat >"$prefix/lib/pkgconfig/$1.pc" <<-END
		Name: $1
		Description: $1 for scripts/test
		Version: $2
		Libs: -L$prefix/lib -l${1#lib}
		Cflags: -isystem $prefix/include
	END
}

# archive NAME FLAG... -- FILE...: compiles the files into lib/NAME.a.
archive() (
	name=$1 flags=
	while shift && [ "$1" != -- ]; do
		flags="$flags $1"
	done
	shift
	rm -rf "$prefix/objects" && mkdir "$prefix/objects" && cd "$prefix/objects" || exit
	# shellcheck disable=SC2086 # flags are words
	"$compiler" -O2 -fPIC $common -I"$prefix/made-for" -I"$prefix/include" $flags -c "$@" &&
		"$archiver" rcs "$prefix/lib/$name.a" ./*.o
)

# The answers that the configure scripts of jansson and cmocka would find with every C
# library on Linux.
make_jansson() {
	sed -e 's/@json_inline@/inline/; s/@json_[a-z_]*@/1/' \
		"$SOURCES/jansson/src/jansson_config.h.in" >"$prefix/include/jansson_config.h"
	cp "$SOURCES/jansson/src/jansson.h" "$prefix/include/"
	: >"$prefix/made-for/jansson_private_config.h"
	has='ENDIAN_H FCNTL_H LOCALE_H SCHED_H STDINT_H SYS_PARAM_H SYS_STAT_H SYS_TIME_H SYS_TYPES_H UNISTD_H
		ATOMIC_BUILTINS CLOSE GETPID GETTIMEOFDAY LOCALECONV OPEN READ SCHED_YIELD SETLOCALE'
	# shellcheck disable=SC2046,SC2086 # words
	archive libjansson $(printf -- '-DHAVE_%s ' $has) -DHAVE_CONFIG_H -DUSE_URANDOM -- "$SOURCES"/jansson/src/*.c &&
		describe jansson 2.14
}

make_cmocka() {
	cp "$SOURCES/cmocka/include/cmocka.h" "$prefix/include/"
	: >"$prefix/made-for/config.h"
	has='ASSERT_H INTTYPES_H MALLOC_H MEMORY_H SETJMP_H SIGNAL_H STDARG_H STDDEF_H STDINT_H STDIO_H STDLIB_H STRINGS_H STRING_H
		SYS_STAT_H SYS_TYPES_H TIME_H UNISTD_H STRUCT_TIMESPEC STRSIGNAL CLOCK_GETTIME CLOCK_REALTIME GCC_THREAD_LOCAL_STORAGE'
	# shellcheck disable=SC2046,SC2086 # words
	archive libcmocka $(printf -- '-DHAVE_%s=1 ' $has) -DHAVE_CONFIG_H -I"$SOURCES/cmocka/include" -- \
		"$SOURCES/cmocka/src/cmocka.c" && describe cmocka 1.1.5
}

make_libaio() {
	rm -rf "$prefix/libaio" && cp -R "$SOURCES/libaio/src" "$prefix/libaio" &&
		make -C "$prefix/libaio" CC="$compiler $common" AR="$archiver" CFLAGS=-O2 ENABLE_SHARED=0 prefix="$prefix" install
}

make_liburing() {
	rm -rf "$prefix/liburing" && cp -R "$SOURCES/liburing" "$prefix/liburing" || return
	(cd "$prefix/liburing" && ./configure --cc="$compiler $common" --prefix="$prefix") &&
		make -C "$prefix/liburing/src" AR="$archiver" ENABLE_SHARED=0 includedir="$prefix/include" libdevdir="$prefix/lib" install &&
		describe liburing 2.3
}

# musl lacks the kernel's headers; it gets those of this machine.
link_kernel_headers() {
	mkdir -p "$prefix/kernel" || return
	for place in linux asm-generic mtd "$(gcc -dumpmachine)/asm"; do
		ln -sfn "/usr/include/$place" "$prefix/kernel/$(basename "$place")" || return
	done
	common="-idirafter $prefix/kernel"
}

# configure_foreign NAME COMPILER LINKER-FLAGS [OPTION]...: prepares build/NAME for make, with the
# libraries that this compiler has built, and no others.
configure_foreign() {
	foreign=$1 compiler=$2 linking=$3 prefix=$TOP/build/$1-libraries common=
	shift 3
	archiver=$("$compiler" -print-prog-name=ar) &&
		mkdir -p "$prefix/include" "$prefix/lib/pkgconfig" "$prefix/made-for" || return
	[ "$compiler" != musl-gcc ] || link_kernel_headers || return
	for library in $LIBRARIES; do
		[ -e "$prefix/has-$library" ] || "make_$library" || return
		touch "$prefix/has-$library"
	done
	configure_in "$foreign" CC="$compiler" --enable-werror --without-mpi CPPFLAGS="-isystem $prefix/include $common" \
		LDFLAGS="-L$prefix/lib $linking" PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig" "$@"
}

# loader_of TRIPLET: the dynamic linker for that machine, where Debian's cross compilers have
# it.
loader_of() {
	probe=$TOP/build/probe-$1
	echo 'int main(void) { return 0; }' >"$probe.c" && "$1-gcc" -o "$probe" "$probe.c" || return
	readelf -l "$probe" | sed -n "s|.*program interpreter: \(.*\)]|/usr/$1\1|p"
}

# linker_flags TRIPLET: flags with which programs for that machine find its C library there. The
# emulator's own option -L would show that directory in place of /. Programs that open a path name
# by name, as ours do, would then miss what is really there.
linker_flags() { echo "-Wl,--dynamic-linker=$(loader_of "$1") -Wl,-rpath,/usr/$1/lib"; }
