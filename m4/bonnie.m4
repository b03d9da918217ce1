# SPDX-License-Identifier: GPL-2.0-or-later
# BONNIE_SET_CFLAGS(FLAGS): the language and the warnings for every file of ours. (The macro must
# not have the name of the variable: m4 would expand it wherever the variable is used.)
AC_DEFUN([BONNIE_SET_CFLAGS], [
  AC_SUBST([BONNIE_CFLAGS], ["$1"])
])

# BONNIE_WERROR: --enable-werror is for people who mend warnings, not for those who only
# build.
AC_DEFUN([BONNIE_WERROR], [
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [take warnings as errors])],
    [AS_IF([test "$enableval" = yes], [BONNIE_CFLAGS="$BONNIE_CFLAGS -Werror"])])
])

# BONNIE_SANITIZER(NAME, KINDS, TEXT): --enable-NAME builds with -fsanitize=KINDS.
AC_DEFUN([BONNIE_SANITIZER], [
  AC_ARG_ENABLE([$1], [AS_HELP_STRING([--enable-$1], [build with $3])],
    [AS_IF([test "$enableval" = yes], [
      BONNIE_CFLAGS="$BONNIE_CFLAGS -fsanitize=$2 -fno-omit-frame-pointer -fno-sanitize-recover=all -g -O1"
    ])])
])

# BONNIE_FUZZING: --enable-fuzzing builds for `make fuzz`: libFuzzer chooses inputs by the lines
# that they reach, and sanitizers say what is wrong with them. Sets FUZZ_DRIVER, the file with
# main().
AC_DEFUN([BONNIE_FUZZING], [
  AC_ARG_ENABLE([fuzzing], [AS_HELP_STRING([--enable-fuzzing], [build for make fuzz; needs clang])])
  FUZZ_DRIVER=tests/fuzz/libreplay.a
  AS_IF([test "$enable_fuzzing" = yes], [
    FUZZ_DRIVER=-fsanitize=fuzzer
    bonnie_cflags=$CFLAGS
    CFLAGS="$CFLAGS -fsanitize=fuzzer,address,undefined"
    AC_MSG_CHECKING([for libFuzzer])
    AC_LINK_IFELSE([AC_LANG_SOURCE([int LLVMFuzzerTestOneInput(void) { return 0; }])],
      [AC_MSG_RESULT([yes])],
      [AC_MSG_RESULT([no])
       AC_MSG_ERROR([--enable-fuzzing needs CC=clang with its libFuzzer (Debian: libclang-rt-dev)])])
    CFLAGS=$bonnie_cflags
    BONNIE_CFLAGS="$BONNIE_CFLAGS -fsanitize=fuzzer-no-link,address,undefined"
    BONNIE_CFLAGS="$BONNIE_CFLAGS -fno-omit-frame-pointer -fno-sanitize-recover=all"
  ])
  AC_SUBST([FUZZ_DRIVER])
  AM_CONDITIONAL([FUZZING], [test "$enable_fuzzing" = yes])
])

# BONNIE_COVERAGE: --enable-coverage counts the lines that the tests reach.
AC_DEFUN([BONNIE_COVERAGE], [
  AC_ARG_ENABLE([coverage], [AS_HELP_STRING([--enable-coverage], [count the lines reached, for gcov])],
    [AS_IF([test "$enableval" = yes], [
      BONNIE_CFLAGS="$BONNIE_CFLAGS -DWITH_COVERAGE --coverage -fprofile-update=atomic -g -O0"
    ])])
])

# BONNIE_PTHREAD: links POSIX threads, wherever this C library has them.
AC_DEFUN([BONNIE_PTHREAD], [
  AC_SEARCH_LIBS([pthread_create], [pthread], [],
    [AC_MSG_ERROR([POSIX threads are needed])])
])

# BONNIE_MATH: links pow and similar functions, wherever this C library has them.
AC_DEFUN([BONNIE_MATH], [
  AC_SEARCH_LIBS([pow], [m], [], [AC_MSG_ERROR([the mathematical library is needed])])
])

# BONNIE_LIBAIO: the engine libaio, unless --without-libaio; sets AIO_LIBS and have_libaio. It has no
# pkg-config file.
AC_DEFUN([BONNIE_LIBAIO], [
  AC_ARG_WITH([libaio], [AS_HELP_STRING([--without-libaio], [leave the engine libaio out])])
  have_libaio=no
  AS_IF([test "$with_libaio" != no],
    [AC_CHECK_HEADER([libaio.h], [AC_CHECK_LIB([aio], [io_setup], [have_libaio=yes])])])
  AS_IF([test "$have_libaio" = yes],
    [AIO_LIBS=-laio
     AC_DEFINE([HAVE_LIBAIO], [1], [libaio is there])],
    [AS_IF([test "$with_libaio" = yes], [AC_MSG_ERROR([libaio is not there])])])
  AC_SUBST([AIO_LIBS])
  AM_CONDITIONAL([HAVE_LIBAIO], [test "$have_libaio" = yes])
])

# BONNIE_MODULE(NAME, MODULES, TEXT): uses what pkg-config knows as MODULES, unless --without-NAME; TEXT
# says what is left out without it. Sets NAME_CFLAGS, NAME_LIBS, have_NAME, and HAVE_NAME for make and
# the compiler.
AC_DEFUN([BONNIE_MODULE], [
  AC_ARG_WITH([$1], [AS_HELP_STRING([--without-$1], [leave out $3])])
  have_$1=no
  AS_IF([test "$with_$1" != no], [PKG_CHECK_MODULES(m4_toupper([$1]), [$2], [have_$1=yes], [have_$1=no])])
  AS_CASE([$have_$1,$with_$1],
    [yes,*], [AC_DEFINE([HAVE_]m4_toupper([$1]), [1], [$2 is there])],
    [no,yes], [AC_MSG_ERROR([$2 or later is not there])])
  AM_CONDITIONAL([HAVE_]m4_toupper([$1]), [test "$have_$1" = yes])
])

# BONNIE_COMPLETIONS(SHELL, DIRECTORY): --with-SHELL-completions=DIRECTORY is where this shell looks
# for completions; DIRECTORY is the default. Sets SHELLcompletiondir. Shells look below their own
# prefix, which may differ from ours.
AC_DEFUN([BONNIE_COMPLETIONS], [
  AC_ARG_WITH([$1-completions],
    [AS_HELP_STRING([--with-$1-completions=DIR], [put completions for $1 there ($2)])])
  AS_CASE([$with_$1_completions],
    ['' | yes], [$1completiondir='$2'],
    [no], [AC_MSG_ERROR([--with-$1-completions: a directory is needed])],
    [$1completiondir=$with_$1_completions])
  AC_SUBST([$1completiondir])
])
