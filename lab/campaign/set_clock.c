/* Loaded before libc: the wall clock is ahead by the seconds in the file AUSCULT_CLOCK (8 bytes).
   Monotonic clocks and waits are not touched, as when an administrator sets a clock. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile long long *ahead;

__attribute__((constructor)) static void open_file(void)
{
    const char *name = getenv("AUSCULT_CLOCK");
    int fd = name ? open(name, O_RDONLY) : -1;
    if (fd < 0)
        return;
    void *map = mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, fd, 0);
    if (map != MAP_FAILED)
        ahead = map;
    close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, now);
    if (!result && ahead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += *ahead;
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    static int (*real)(struct timeval *, void *);
    if (!real) real = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
    int result = real(now, zone);
    if (!result && ahead)
        now->tv_sec += *ahead;
    return result;
}

time_t time(time_t *at)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
