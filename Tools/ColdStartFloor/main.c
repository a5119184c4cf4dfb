/* What the machine allows: the same work as the Swift samples with nothing between it and the two libraries.

   cold-start-floor open STORE                  opens the store and reads its schema
   cold-start-floor hit STORE CACHES            opens both stores, reads the token, the directory and 20 rows
   cold-start-floor scan STORE SQL              steps an ordered query (key, section) and finds the sections' bounds
   cold-start-floor import STORE ROWS COLUMNS   inserts rows that are in memory, in transactions of 10,000

   Prints one line of JSON. */

#include <lmdb.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    return (double)moment.tv_sec * 1e9 + (double)moment.tv_nsec;
}

static void fail(const char *what, const char *why) {
    fprintf(stderr, "cold-start-floor: %s: %s\n", what, why);
    exit(1);
}

static long peak_kib(void) {
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long peak = 0;
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %ld", &peak) == 1) break;
    if (status) fclose(status);
    return peak;
}

static sqlite3 *open_store(const char *path) {
    sqlite3 *store;
    if (sqlite3_open_v2(path, &store, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) fail(path, sqlite3_errmsg(store));
    return store;
}

static sqlite3_stmt *prepare(sqlite3 *store, const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store, sql, -1, &statement, NULL) != SQLITE_OK) fail(sql, sqlite3_errmsg(store));
    return statement;
}

static void hit(const char *store_path, const char *caches) {
    double start = now();
    sqlite3 *store = open_store(store_path);
    sqlite3_stmt *token = prepare(store, "SELECT seq, nonce FROM sc_gen WHERE tbl = 'Song'");
    if (sqlite3_step(token) != SQLITE_ROW) fail("token", sqlite3_errmsg(store));
    MDB_env *environment;
    MDB_txn *transaction;
    MDB_dbi database;
    int status = mdb_env_create(&environment);
    if (!status) status = mdb_env_set_mapsize(environment, 256u << 20);
    if (!status) status = mdb_env_set_maxdbs(environment, 16);
    if (!status) status = mdb_env_open(environment, caches, MDB_NOTLS | MDB_NORDAHEAD, 0600);
    if (!status) status = mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction);
    if (!status) status = mdb_dbi_open(transaction, "songs", 0, &database);
    MDB_cursor *cursor;
    MDB_val key, value;
    if (!status) status = mdb_cursor_open(transaction, database, &cursor);
    if (!status) status = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
    if (status) fail(caches, mdb_strerror(status));
    unsigned char *directory = malloc(value.mv_size);
    memcpy(directory, value.mv_data, value.mv_size);
    status = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
    if (status) fail("chunk", mdb_strerror(status));
    const unsigned char *chunk = value.mv_data;
    int64_t base;
    memcpy(&base, chunk + 16, 8);
    int width = chunk[24];
    sqlite3_stmt *row = prepare(store, "SELECT * FROM Song WHERE objectID = ?1");
    long bytes = 0;
    for (int position = 0; position < 20; position++) {
        uint64_t distance = 0;
        for (int byte = 0; byte < width; byte++)
            distance |= (uint64_t)chunk[32 + position * width + byte] << (8 * byte);
        sqlite3_bind_int64(row, 1, base + (int64_t)distance);
        if (sqlite3_step(row) != SQLITE_ROW) fail("row", sqlite3_errmsg(store));
        for (int column = 0; column < sqlite3_column_count(row); column++) bytes += sqlite3_column_bytes(row, column);
        sqlite3_reset(row);
    }
    double end = now();
    printf("{\"nanoseconds\": %.0f, \"sections\": 0, \"rows\": 20, \"digest\": \"\", \"peakKiB\": %ld, \"bytes\": %ld}\n",
           end - start, peak_kib(), bytes);
}

static void scan(const char *store_path, const char *sql) {
    double start = now();
    sqlite3 *store = open_store(store_path);
    sqlite3_stmt *query = prepare(store, sql);
    int64_t *keys = NULL;
    size_t count = 0, room = 0, sections = 0;
    char previous[1024] = "";
    int previous_size = -1;
    while (sqlite3_step(query) == SQLITE_ROW) {
        if (count == room) {
            room = room ? room * 2 : 1024;
            keys = realloc(keys, room * sizeof *keys);
            if (!keys) fail("scan", "out of memory");
        }
        keys[count++] = sqlite3_column_int64(query, 0);
        const unsigned char *section = sqlite3_column_text(query, 1);
        int size = sqlite3_column_bytes(query, 1);
        if (size != previous_size || memcmp(section, previous, (size_t)size) != 0) {
            sections++;
            previous_size = size;
            memcpy(previous, section, (size_t)(size < 1024 ? size : 1024));
        }
    }
    double end = now();
    printf("{\"nanoseconds\": %.0f, \"sections\": %zu, \"rows\": %zu, \"digest\": \"\", \"peakKiB\": %ld}\n",
           end - start, sections, count, peak_kib());
}

static void import(const char *store_path, const char *rows_path, int columns) {
    FILE *file = fopen(rows_path, "rb");
    if (!file) fail(rows_path, "cannot be opened");
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    unsigned char *bytes = malloc((size_t)size);
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) fail(rows_path, "cannot be read");
    sqlite3 *store = open_store(store_path);
    sqlite3_exec(store, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL);
    char sql[1024] = "INSERT INTO Song VALUES (NULL";
    for (int column = 0; column < columns; column++) strcat(sql, ", ?");
    strcat(sql, ")");
    double start = now();
    sqlite3_stmt *insertion = prepare(store, sql);
    long rows = 0;
    unsigned char *next = bytes, *end = bytes + size;
    while (next < end) {
        if (rows % 10000 == 0) sqlite3_exec(store, rows ? "COMMIT; BEGIN" : "BEGIN", NULL, NULL, NULL);
        for (int column = 1; column <= columns; column++) {
            unsigned char kind = *next++;
            if (kind == 1) {
                int64_t value;
                memcpy(&value, next, 8);
                next += 8;
                sqlite3_bind_int64(insertion, column, value);
            } else if (kind == 2) {
                double value;
                memcpy(&value, next, 8);
                next += 8;
                sqlite3_bind_double(insertion, column, value);
            } else {
                uint32_t length;
                memcpy(&length, next, 4);
                next += 4;
                sqlite3_bind_text(insertion, column, (const char *)next, (int)length, SQLITE_STATIC);
                next += length;
            }
        }
        if (sqlite3_step(insertion) != SQLITE_DONE) fail("insert", sqlite3_errmsg(store));
        sqlite3_reset(insertion);
        rows++;
    }
    sqlite3_exec(store, "COMMIT", NULL, NULL, NULL);
    double finish = now();
    printf("{\"nanoseconds\": %.0f, \"sections\": 0, \"rows\": %ld, \"digest\": \"\", \"peakKiB\": %ld}\n",
           finish - start, rows, peak_kib());
}

int main(int count, char **arguments) {
    if (count == 3 && !strcmp(arguments[1], "open")) {
        double start = now();
        sqlite3 *store = open_store(arguments[2]);
        sqlite3_stmt *statement = prepare(store, "SELECT count(*) FROM sqlite_schema");
        sqlite3_step(statement);
        printf("{\"nanoseconds\": %.0f, \"sections\": 0, \"rows\": 0, \"digest\": \"\", \"peakKiB\": %ld}\n",
               now() - start, peak_kib());
    } else if (count == 4 && !strcmp(arguments[1], "hit")) {
        hit(arguments[2], arguments[3]);
    } else if (count == 4 && !strcmp(arguments[1], "scan")) {
        scan(arguments[2], arguments[3]);
    } else if (count == 5 && !strcmp(arguments[1], "import")) {
        import(arguments[2], arguments[3], atoi(arguments[4]));
    } else {
        fprintf(stderr, "usage: cold-start-floor open STORE | hit STORE CACHES | scan STORE SQL | import STORE ROWS COLUMNS\n");
        return 64;
    }
    return 0;
}
