#include "floor.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double floor_now(void) {
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    return (double)moment.tv_sec * 1e9 + (double)moment.tv_nsec;
}

void floor_fail(const char *subject, const char *reason) {
    fprintf(stderr, "cold-start-floor: %s: %s\n", subject, reason);
    exit(1);
}

sqlite3 *floor_open(const char *path) {
    sqlite3 *store;
    if (sqlite3_open_v2(path, &store, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        floor_fail(path, sqlite3_errmsg(store));
    return store;
}

sqlite3_stmt *floor_prepare(sqlite3 *store, const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store, sql, -1, &statement, NULL) != SQLITE_OK)
        floor_fail(sql, sqlite3_errmsg(store));
    return statement;
}

uint64_t floor_digest_text(uint64_t digest, const unsigned char *text, size_t size) {
    for (size_t position = 0; position < size; position++)
        digest = (digest ^ text[position]) * 0x100000001B3u;
    return digest * 0x100000001B3u;
}

uint64_t floor_digest_number(uint64_t digest, uint64_t number) {
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    return floor_digest_text(digest, (const unsigned char *)digits, (size_t)size);
}

/* Returns the peak memory of this program in KiB; 0 if it is unknown. */
static long peak_kib(void) {
    char text[4096];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (size <= 0) return 0;
    text[size] = 0;
    const char *line = strstr(text, "VmHWM:");
    return line ? atol(line + 6) : 0;
}

void floor_report(double nanoseconds, size_t sections, size_t rows, uint64_t digest) {
    char hexadecimal[20] = "";
    if (digest) snprintf(hexadecimal, sizeof hexadecimal, "%llx", (unsigned long long)digest);
    printf("{\"nanoseconds\": %.0f, \"answered\": %.0f, \"sections\": %zu, \"rows\": %zu, \"digest\": \"%s\", "
           "\"peakKiB\": %ld, \"steps\": {}}\n",
           nanoseconds, nanoseconds, sections, rows, hexadecimal, peak_kib());
}
