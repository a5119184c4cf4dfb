/* The floor of an import: a prepared statement, and rows that are already parsed. */

#include "floor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows_in_transaction = 10000 };

static void run(sqlite3 *store, const char *sql) {
    if (sqlite3_exec(store, sql, NULL, NULL, NULL) != SQLITE_OK) floor_fail(sql, sqlite3_errmsg(store));
}

static unsigned char *contents(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) floor_fail(path, "cannot be opened");
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size) floor_fail(path, "cannot be read");
    fclose(file);
    return bytes;
}

/* Binds the values of one row: a byte for the kind (1 integer, 2 real, 3 text), then 8 bytes, or 4 bytes of
   length and the text. Returns the address of the next row. */
static unsigned char *bind_row(sqlite3_stmt *statement, unsigned char *next, int columns) {
    for (int column = 1; column <= columns; column++) {
        unsigned char kind = *next++;
        if (kind == 1) {
            int64_t value;
            memcpy(&value, next, 8);
            next += 8;
            sqlite3_bind_int64(statement, column, value);
        } else if (kind == 2) {
            double value;
            memcpy(&value, next, 8);
            next += 8;
            sqlite3_bind_double(statement, column, value);
        } else {
            uint32_t length;
            memcpy(&length, next, 4);
            next += 4;
            sqlite3_bind_text(statement, column, (const char *)next, (int)length, SQLITE_STATIC);
            next += length;
        }
    }
    return next;
}

void floor_measure_import(const char *store_path, const char *rows_path, const char *table, int columns) {
    size_t size;
    unsigned char *next = contents(rows_path, &size), *end = next + size;
    char sql[512];
    int used = snprintf(sql, sizeof sql, "INSERT INTO \"%s\" VALUES (NULL", table);
    for (int column = 0; column < columns && used < (int)sizeof sql - 8; column++)
        used += snprintf(sql + used, sizeof sql - (size_t)used, ", ?");
    snprintf(sql + used, sizeof sql - (size_t)used, ")");
    double start = floor_now();
    sqlite3 *store = floor_open(store_path);
    run(store, "PRAGMA synchronous = NORMAL");
    sqlite3_stmt *insertion = floor_prepare(store, sql);
    size_t rows = 0;
    run(store, "BEGIN IMMEDIATE");
    while (next < end) {
        next = bind_row(insertion, next, columns);
        if (sqlite3_step(insertion) != SQLITE_DONE) floor_fail("insert", sqlite3_errmsg(store));
        sqlite3_reset(insertion);
        if (++rows % rows_in_transaction == 0) run(store, "COMMIT; BEGIN IMMEDIATE");
    }
    run(store, "COMMIT");
    sqlite3_finalize(insertion);
    sqlite3_close(store);
    floor_report(floor_now() - start, 0, rows, 0);
}
