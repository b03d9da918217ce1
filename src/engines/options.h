#ifndef BONNIE_ENGINES_OPTIONS_H
#define BONNIE_ENGINES_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* What the user may ask of single engines; all zeros: nothing. */
struct engine_options {
    struct {
        bool sqpoll; /* a kernel thread looks for submissions: no system call for them */
        bool iopoll; /* completions are polled for, not signalled by an interrupt */
    } uring;
    struct {
        uint64_t delay_ns;   /* how long every transfer takes */
        uint64_t fail_at;    /* this transfer fails with EIO, counted from 1; 0: none */
        uint64_t short_at;   /* this one moves half of what it should */
        uint64_t corrupt_at; /* this read flips a bit */
    } null;
};

#endif
