#ifndef IO_ENGINE_OPTIONS_H
#define IO_ENGINE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* What can be asked of single engines; all zeros: nothing. */
struct engine_options {
    struct {
        bool sqpoll; /* a kernel thread looks for submissions: no system call for them */
        bool iopoll; /* completions are polled for, not signalled by an interrupt */
    } uring;
    struct {
        uint64_t delay_ns;   /* how long every transfer takes */
        uint64_t stall_ns;   /* how long it stands still, once, from transfer stall_at on: */
        uint64_t stall_at;   /* counted from 1, as the next three are; 0: none */
        uint64_t fail_at;    /* this transfer fails with EIO */
        uint64_t short_at;   /* this one moves half of what it should */
        uint64_t corrupt_at; /* this read flips a bit */
    } null;
};

#endif
