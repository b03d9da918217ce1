// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/levels.h"
#include "util/rng.h"
#include "util/units.h"

#define COURSES 300
#define SPEED   (200.0 * 1048576)

/* How a simulated device works. Speeds are relative to SPEED. */
struct device_model {
    double falls_at[3]; /* shares of the bytes of the run; 0: none */
    double speeds[4];   /* before the first fall, and after each */
    double slope;       /* what it loses over the whole run */
    double white;       /* standard deviation of independent noise in each step of 10 ms */
    double second;      /* the same, constant for a second */
    double correlated;  /* standard deviation of noise that forgets half of itself in... */
    double half_life;   /* ... this number of seconds */
    double stalls;      /* stalls per second, of half a second to three seconds */
    double lump;        /* bytes that are counted at once; 0: any number */
    double burst;       /* bytes that move at once at the beginning */
};

static double gaussian(struct rng *r)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(rng_next(r) >> 11) * 0x1p-53;
    return sum;
}

static double uniform(struct rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

static double speed_at(const struct device_model *m, double share)
{
    unsigned level = 0;
    while (level < 3 && m->falls_at[level] > 0 && share >= m->falls_at[level])
        level++;
    return SPEED * (m->speeds[0] > 0 ? m->speeds[level] : 1) * (1 - m->slope * share);
}

/* Moves all bytes, and looks at them as the monitor does. */
static void simulate(struct track *c, const struct device_model *m, double bytes, uint64_t seed)
{
    struct rng r;
    double t = 0;
    double moved = m->burst;
    double looked = 0;
    double stalled = 0;
    double second = 0;
    double memory = 0;
    const double dt = 0.001;
    double keep = m->half_life > 0 ? exp2(-10 * dt / m->half_life) : 0;
    double noise = 0;
    rng_init(&r, seed, 7);
    memory = m->correlated * gaussian(&r);
    memset(c, 0, sizeof *c);
    for (long step = 0; moved < bytes; step++, t += dt) {
        if (step % 10 == 0) {
            noise = m->white * gaussian(&r);
            memory = keep * memory + sqrt(1 - keep * keep) * m->correlated * gaussian(&r);
        }
        if (step % 1000 == 0)
            second = m->second * gaussian(&r);
        if (stalled <= 0 && m->stalls > 0 && uniform(&r) < m->stalls * dt)
            stalled = 0.5 + 2.5 * uniform(&r);
        stalled -= dt;
        if (stalled <= 0)
            moved += dt * speed_at(m, moved / bytes) * exp(noise + second + memory);
        if (t >= looked) {
            double counted = m->lump > 0 ? floor(moved / m->lump) * m->lump : moved;
            track_add(c, (uint64_t)(t * 1e9), (uint64_t)counted);
            looked = t + (double)track_pause_ns((uint64_t)(t * 1e9)) / 1e9;
        }
    }
    track_end(c, (uint64_t)(t * 1e9), (uint64_t)bytes);
}

static struct levels levels_of(const struct device_model *m, double bytes, uint64_t seed)
{
    static struct track c;
    struct levels levels;
    struct err e;
    err_init(&e);
    simulate(&c, m, bytes, seed);
    assert_int_equal(levels_find(&levels, &c, &e), 0);
    return levels;
}

static unsigned alarms(const char *name, const struct device_model *m)
{
    unsigned count = 0;
    for (unsigned i = 0; i < COURSES; i++) {
        double seconds = 10 + i % 4 * 10;
        const struct levels levels = levels_of(m, seconds * SPEED, i + 1);
        count += levels.count > 0;
    }
    if (count > 0)
        print_message("%s: %u of %u courses\n", name, count, COURSES);
    return count;
}

static void noise_is_no_fall(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct device_model model;
    } all[] = {
        {"white", {.white = 0.1}},
        {"white by the second", {.second = 0.1}},
        {"correlated", {.correlated = 0.1, .half_life = 1}},
        {"correlated", {.correlated = 0.1, .half_life = 5}},
        {"correlated", {.white = 0.3, .correlated = 0.2, .half_life = 0.5}},
        {"stalls", {.white = 0.1, .stalls = 0.1}},
        {"stalls", {.correlated = 0.1, .half_life = 0.5, .stalls = 0.1}},
        {"lumps", {.white = 0.1, .lump = 0.05 * SPEED}},
        {"a slope", {.slope = 0.5, .white = 0.05}},
        {"a slope", {.slope = 0.8, .white = 0.02}},
    };
    unsigned count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        count += alarms(all[i].name, &all[i].model);
    assert_int_equal(count, 0);
}

/* Whatever the shape of a series, its levels have numbers, follow each other, and are as
 * counted. */
static void any_shape_has_levels_with_numbers(void **state)
{
    (void)state;
    static struct track c;
    struct rng r;
    unsigned found = 0;
    rng_init(&r, 62, 4);
    for (unsigned shape = 0; shape < 20000; shape++) {
        unsigned parts = 1 + (unsigned)rng_below(&r, 6);
        double ns = 0;
        double bytes = 0;
        memset(&c, 0, sizeof c);
        for (unsigned part = 0; part < parts; part++) {
            double step_ns = 1e6 * exp(6 * uniform(&r)); /* 1 to 400 ms */
            double speed = 1e-3 * exp(8 * uniform(&r));  /* 1 MB/s to 3 GB/s */
            unsigned steps = 1 + (unsigned)rng_below(&r, rng_below(&r, 4) ? 60 : 4);
            double noise = uniform(&r) < 0.5 ? 0 : 0.3 * uniform(&r);
            for (unsigned i = 0; i < steps; i++) {
                ns += step_ns;
                bytes += step_ns * speed * exp(noise * gaussian(&r));
                track_add(&c, (uint64_t)ns, (uint64_t)bytes);
            }
        }
        track_end(&c, (uint64_t)ns + 1, (uint64_t)bytes + 1);
        struct levels levels;
        struct err e;
        err_init(&e);
        assert_int_equal(levels_find(&levels, &c, &e), 0);
        found += levels.count > 0;
        for (unsigned i = 0; i < levels.count; i++) {
            const struct level *l = &levels.list[i];
            assert_true(isfinite(l->rate) && l->rate > 0);
            assert_true(l->ci95[0] > 0 && l->ci95[0] <= l->rate && l->rate <= l->ci95[1]);
            assert_true(isfinite(l->ci95[1]));
            assert_true(l->from.ns < l->to.ns && l->from.bytes <= l->to.bytes);
            if (i > 0)
                assert_true(l->from.ns == l[-1].to.ns && l->from.bytes == l[-1].to.bytes);
        }
    }
    assert_true(found > 1000);
}

static double off(double value, double expected)
{
    return fabs(value / expected - 1);
}

/* Every fall is found, at its place, and both speeds are right. */
static void falls_are_found(void **state)
{
    (void)state;
    const double falls[] = {0.25, 0.5, 0.9};
    const double places[] = {0.02, 0.1, 0.5};
    unsigned missed = 0;
    for (unsigned n = 0; n < 3 * 3 * 8; n++) {
        double fall = falls[n % 3];
        double place = places[n / 3 % 3];
        const struct device_model m = {.falls_at = {place},
                                       .speeds = {1, 1 - fall},
                                       .white = n / 9 % 2 ? 0.05 : 0.02,
                                       .lump = n / 18 % 2 ? 0.01 * SPEED : 0};
        double bytes = SPEED * (fall > 0.8 ? 10 : 25);
        const struct levels levels = levels_of(&m, bytes, n);
        const struct level *l = levels.list;
        double step = 4.0 / TRACK_ROOM;
        bool is_right = levels.count == 2 &&
                        fabs((double)l[0].to.bytes / bytes - place) < fmax(0.03 * place, step) &&
                        off(l[0].rate, SPEED) < fmax(0.03, 1.1 * m.lump / (place * bytes)) &&
                        off(l[1].rate, SPEED * (1 - fall)) < 0.03;
        if (!is_right)
            print_message(
                "fall %.2f at %.2f, noise %.2f, lump %.0f: %u levels, at %.4f, %.3f %.3f\n", fall,
                place, m.white, m.lump, levels.count, (double)l[0].to.bytes / bytes,
                l[0].rate / SPEED, l[1].rate / SPEED);
        missed += !is_right;
    }
    assert_int_equal(missed, 0);
}

/* A throttle moves a part in each tenth of a second, and two of them at the beginning. */
static void throttle_is_lowered(void **state)
{
    (void)state;
    const struct device_model m = {.falls_at = {0.1},
                                   .speeds = {1, 0.75},
                                   .white = 0.02,
                                   .lump = 0.1 * SPEED,
                                   .burst = 0.2 * SPEED};
    double bytes = 50 * SPEED;
    const struct levels levels = levels_of(&m, bytes, 1);
    assert_int_equal(levels.count, 2);
    assert_true(off((double)levels.list[0].to.bytes, 0.1 * bytes) < 0.03);
    assert_true(off(levels.list[1].rate, 0.75 * SPEED) < 0.03);
}

static void several_falls(void **state)
{
    (void)state;
    const struct device_model m = {.falls_at = {0.1, 0.5}, .speeds = {1, 0.4, 0.1}, .white = 0.05};
    const struct levels levels = levels_of(&m, 10 * SPEED, 3);
    assert_int_equal(levels.count, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_true(off(levels.list[i].rate, SPEED * m.speeds[i]) < 0.03);
    assert_true(levels.list[1].ci95[0] < levels.list[1].rate);
    assert_true(levels.list[1].ci95[1] > levels.list[1].rate);
}

/* A fall that does not last, and one that is too small. */
static void not_for_good(void **state)
{
    (void)state;
    const struct device_model back = {.falls_at = {0.4, 0.6}, .speeds = {1, 0.4, 1}, .white = 0.05};
    const struct device_model small = {.falls_at = {0.5}, .speeds = {1, 0.85}, .white = 0.01};
    const struct device_model late = {.falls_at = {0.98}, .speeds = {1, 0.5}, .white = 0.01};
    assert_int_equal(levels_of(&back, 20 * SPEED, 1).count, 0);
    assert_int_equal(levels_of(&small, 20 * SPEED, 1).count, 0);
    assert_int_equal(levels_of(&late, 20 * SPEED, 1).count, 0);
}

/* Memory is bounded, and both a short fast part and a long slow one keep their points. */
static void courses_are_bounded(void **state)
{
    (void)state;
    static struct track c;
    memset(&c, 0, sizeof c);
    uint64_t bytes = 0;
    size_t early = 0;
    for (uint64_t i = 1; i < 1000000; i++) {
        bytes += i < 1000 ? 100000 : 10;
        track_add(&c, i * MILLION, bytes);
        assert_in_range(c.last, 1, TRACK_ROOM - 2);
    }
    while (early < c.last && c.points[early].ns < 1000 * MILLION)
        early++;
    assert_in_range(early, TRACK_ROOM / 10, TRACK_ROOM);
    assert_true(c.last - early > TRACK_ROOM / 10);
    track_end(&c, 500000 * MILLION, bytes);
    assert_int_equal(c.points[c.last].ns, 500000 * MILLION);
    assert_true(c.points[c.last - 1].ns < 500000 * MILLION);
}

static void words(void **state)
{
    (void)state;
    struct label_text text = {""};
    struct levels levels = {
        .count = 3,
        .list = {{.to = {.ns = 1500 * MILLION, .bytes = 3 * GIB},
                  .rate = 2.0 * (double)GIB,
                  .limited_by = "page cache"},
                 {.from = {.ns = 1500 * MILLION, .bytes = 3 * GIB},
                  .to = {.ns = 11500 * MILLION, .bytes = 13 * GIB},
                  .rate = (double)GIB},
                 {.rate = 100.04 * (double)MIB, .limited_by = "device"}},
    };
    levels_words(&text, &levels, 0);
    assert_string_equal(text.text,
                        "2.00 GiB/s for the first 3.00 GiB (1.50 s; limited by page cache); "
                        "then 1.00 GiB/s for 10.0 GiB (10.0 s); "
                        "then 100 MiB/s (limited by device).");
    levels.count = 0;
    text = (struct label_text){""};
    levels_words(&text, &levels, 4096);
    assert_string_equal(text.text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_no_fall),    cmocka_unit_test(any_shape_has_levels_with_numbers),
        cmocka_unit_test(falls_are_found),     cmocka_unit_test(throttle_is_lowered),
        cmocka_unit_test(several_falls),       cmocka_unit_test(not_for_good),
        cmocka_unit_test(courses_are_bounded), cmocka_unit_test(words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
