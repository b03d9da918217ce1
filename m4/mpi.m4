# SPDX-License-Identifier: GPL-2.0-or-later
# BONNIE_MPI: bonnie-mpi and bonload-mpi, if there is an MPI, unless --without-mpi; --with-mpi=MPICC names the wrapper of
# the compiler, mpicc otherwise. Only what the wrapper adds is taken from it, so that the compiler stays
# ours: sets MPI_CFLAGS, MPI_LIBS, MPIRUN and have_mpi. Both MPICH and Open MPI show that with -show.
AC_DEFUN([BONNIE_MPI], [
  AC_ARG_WITH([mpi], [AS_HELP_STRING([--with-mpi@<:@=MPICC@:>@],
    [build bonnie-mpi and bonload-mpi with what MPICC says (mpicc); --without-mpi leaves them out])])
  have_mpi=no MPICC=no
  AS_CASE([$with_mpi],
    [no], [],
    [yes|''], [AC_PATH_PROG([MPICC], [mpicc], [no])],
    [AC_PATH_PROG([MPICC], [$with_mpi], [no])])
  AS_IF([test "$MPICC" != no], [
    for word in `$MPICC -show 2>/dev/null`; do
      AS_CASE([$word],
        [-I*], [MPI_CFLAGS="$MPI_CFLAGS -isystem `echo "$word" | $SED s/^-I//`"],
        [-D*], [MPI_CFLAGS="$MPI_CFLAGS $word"],
        [-L*|-l*|-Wl,*], [MPI_LIBS="$MPI_LIBS $word"])
    done
    bonnie_cflags=$CFLAGS bonnie_libs=$LIBS
    CFLAGS="$CFLAGS $MPI_CFLAGS" LIBS="$MPI_LIBS $LIBS"
    AC_MSG_CHECKING([for MPI 3 by $MPICC])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
      #if MPI_VERSION < 3
      #error too old
      #endif]], [[int level; return MPI_Init_thread(0, 0, MPI_THREAD_FUNNELED, &level);]])],
      [have_mpi=yes])
    AC_MSG_RESULT([$have_mpi])
    CFLAGS=$bonnie_cflags LIBS=$bonnie_libs
  ])
  AS_IF([test "$have_mpi" = no], [AS_CASE([$with_mpi], [no|''], [],
    [AC_MSG_ERROR([there is no MPI (Debian: libopenmpi-dev or libmpich-dev)])])])
  MPIRUN=`echo "$MPICC" | $SED 's/mpicc/mpirun/'`
  AC_SUBST([MPIRUN])
  AC_SUBST([MPI_CFLAGS])
  AC_SUBST([MPI_LIBS])
  AM_CONDITIONAL([HAVE_MPI], [test "$have_mpi" = yes])
])
