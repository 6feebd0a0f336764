/* Loaded before libc: each fsync waits as long as the file AUSCULT_SLOW_DISK says (milliseconds). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void pause_before(void)
{
    const char *name = getenv("AUSCULT_SLOW_DISK");
    FILE *file = name ? fopen(name, "r") : NULL;
    int milliseconds = 0;
    if (file) {
        if (fscanf(file, "%d", &milliseconds) == 1 && milliseconds > 0)
            usleep((useconds_t)milliseconds * 1000);
        fclose(file);
    }
}

int fsync(int fd)
{
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    pause_before();
    return real(fd);
}

int fdatasync(int fd)
{
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    pause_before();
    return real(fd);
}
