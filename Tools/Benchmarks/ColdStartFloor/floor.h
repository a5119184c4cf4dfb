/* Functions that the parts of cold-start-floor share. */

#ifndef FLOOR_H
#define FLOOR_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the time of a monotonic clock, in nanoseconds. */
double floor_now(void);

/* Prints an error message and ends the program with status 1. */
void floor_fail(const char *subject, const char *reason) __attribute__((noreturn));

/* Opens an existing database for reading and writing. */
sqlite3 *floor_open(const char *path);

/* Compiles a statement. */
sqlite3_stmt *floor_prepare(sqlite3 *store, const char *sql);

/* The digest of section names, counts and first titles, which cold-start-sample computes as well: FNV-1a over
   the bytes of each text and a zero byte. */
#define FLOOR_DIGEST_START 0xCBF29CE484222325u
uint64_t floor_digest_text(uint64_t digest, const unsigned char *text, size_t size);
uint64_t floor_digest_number(uint64_t digest, uint64_t number);

/* Prints the line of JSON with which every sample ends. The result is not compared if the digest is 0. */
void floor_report(double nanoseconds, size_t sections, size_t rows, uint64_t digest);

/* The measurements; see main.c. */
void floor_measure_open(const char *store_path);
void floor_measure_hit(const char *store_path, const char *caches);
void floor_measure_scan(const char *store_path, const char *sql);
void floor_measure_import(const char *store_path, const char *rows_path, const char *table, int columns);

#endif
