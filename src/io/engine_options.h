#ifndef IO_ENGINE_OPTIONS_H
#define IO_ENGINE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Options of single engines. All zeros are the defaults. */
struct engine_options {
    struct {
        bool sqpoll; /* a kernel thread looks for submissions, so these need no system call */
        bool iopoll; /* the kernel polls for completions, without interrupts */
    } uring;
    struct {
        uint64_t delay_ns; /* duration of every transfer */
        uint64_t fail_at; /* number of the transfer, counted from 1, that fails with EIO; 0: none */
        uint64_t short_at;   /* number of the transfer that moves half of its bytes */
        uint64_t corrupt_at; /* number of the read in which one bit is flipped */
    } null;
};

#endif
