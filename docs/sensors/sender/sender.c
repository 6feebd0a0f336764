/* Reference sender: three channels of a sine wave at 3200 Hz, over UDP or TCP.
 *
 *   cc -std=c99 -O2 -Wall -o sender sender.c -lm
 *   ./sender udp 192.168.1.10 9750 [FRAMES]
 *
 * FRAMES sends so many as fast as possible and ends; without it, frames go out in real time.
 * On a board, replace main's loop by the interrupt or the FIFO of your sensor.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "auscult_frame.h"

enum { CHANNELS = 3, COUNT = 160, FS_HZ = 3200 };

static int send_all(int fd, const uint8_t *data, size_t length) {
    while (length > 0) {
        ssize_t sent = send(fd, data, length, 0);
        if (sent < 0) return -1;
        data += sent;
        length -= (size_t)sent;
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: %s udp|tcp ADDRESS PORT [FRAMES]\n", argv[0]);
        return 2;
    }
    int udp = argv[1][0] == 'u';
    long frames = argc > 4 ? atol(argv[4]) : -1;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[3]))};
    if (inet_pton(AF_INET, argv[2], &to.sin_addr) != 1) {
        fprintf(stderr, "%s: %s is no IPv4 address\n", argv[0], argv[2]);
        return 2;
    }
    int fd = socket(AF_INET, udp ? SOCK_DGRAM : SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
        perror(argv[0]);
        return 1;
    }
    /* 16 g over 32768 digits, as an ADXL or LIS3DH board would have it */
    struct auscult_stream stream = {
        .sensor = 1, .fs_mhz = FS_HZ * 1000u, .channels = CHANNELS, .unit = AUSCULT_G, .scale = 16.0f / 32768.0f};
    static uint8_t frame[AUSCULT_FRAME_BYTES(CHANNELS, COUNT)];
    static int16_t samples[CHANNELS * COUNT];
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (long sent = 0, n = 0; frames < 0 || sent < frames; sent++) {
        for (int i = 0; i < COUNT; i++, n++)
            for (int c = 0; c < CHANNELS; c++)
                samples[i * CHANNELS + c] =
                    (int16_t)(2048.0 * sin(2.0 * 3.14159265358979 * 50.0 * (c + 1) * (double)(n % FS_HZ) / FS_HZ));
        size_t length = auscult_frame(&stream, frame, samples, COUNT, 0, 0);
        if (send_all(fd, frame, length) != 0) {
            perror("send");
            return 1;
        }
        if (frames < 0) { /* real time */
            next.tv_nsec += 1000000000L / FS_HZ * COUNT;
            if (next.tv_nsec >= 1000000000L) {
                next.tv_nsec -= 1000000000L;
                next.tv_sec++;
            }
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        } else if (udp && sent % 32 == 31) {
            struct timespec pause = {0, 1000000L};
            nanosleep(&pause, NULL);
        }
    }
    close(fd);
    return 0;
}
