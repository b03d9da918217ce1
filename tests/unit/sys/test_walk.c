/* Several threads ask at the same time whom they can trust. */
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/walk.h"

#define THREADS 4

/* A user with a group of his own, or NULL. */
static const struct passwd *user_with_a_group(void)
{
    const struct passwd *user;
    const struct group *group = NULL;
    setpwent();
    do {
        user = getpwent();
        group = user && user->pw_gid != 0 ? getgrgid(user->pw_gid) : NULL;
    } while (user && !(group && strcmp(group->gr_name, user->pw_name) == 0 && !group->gr_mem[0]));
    endpwent();
    return user;
}

/* How often the user's own directory was not trusted; `user` is this user. */
static void *ask_often(void *user)
{
    const struct passwd *self = user;
    const struct stat directory = {
        .st_mode = S_IFDIR | 0775, .st_uid = self->pw_uid, .st_gid = self->pw_gid};
    const struct stat entry = {.st_mode = S_IFREG | 0644, .st_uid = self->pw_uid, .st_nlink = 1};
    intptr_t refused = 0;
    for (int i = 0; i < 20000; i++)
        refused += !walk_trusts_entry(&directory, &entry);
    return (void *)refused;
}

static void own_groups(void **state)
{
    pthread_t threads[THREADS];
    void *refused = NULL;
    const struct passwd *found = geteuid() == 0 ? user_with_a_group() : NULL;
    (void)state;
    if (!found)
        skip();
    struct passwd user = *found;
    assert_int_equal(setegid(user.pw_gid) | seteuid(user.pw_uid), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, ask_often, &user);
    intptr_t sum = 0;
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &refused);
        sum += (intptr_t)refused;
    }
    int back = seteuid(0) | setegid(0);
    assert_int_equal(back, 0);
    assert_int_equal(sum, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(own_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
