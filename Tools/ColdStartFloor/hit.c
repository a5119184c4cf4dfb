/* The floor of a hit, and of opening alone. */

#include "floor.h"

#include <lmdb.h>
#include <stdlib.h>
#include <string.h>

enum { first_rows = 20, header_size = 160, section_size = 32 };

void floor_measure_open(const char *store_path) {
    double start = floor_now();
    sqlite3 *store = floor_open(store_path);
    sqlite3_stmt *statement = floor_prepare(store, "SELECT count(*) FROM sqlite_schema");
    if (sqlite3_step(statement) != SQLITE_ROW) floor_fail(store_path, sqlite3_errmsg(store));
    double end = floor_now();
    floor_report(end - start, 0, 0, 0);
    sqlite3_finalize(statement);
    sqlite3_close(store);
}

static uint32_t number(const unsigned char *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint64_t long_number(const unsigned char *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* The digest of the sections that a directory value holds (CacheFormat.md, format 1): what a hit must answer. */
static uint64_t digest_sections(const unsigned char *directory, size_t size, size_t *sections, size_t *rows) {
    if (size < header_size) floor_fail("directory", "too short");
    *rows = (size_t)long_number(directory + 120);
    *sections = number(directory + 128);
    size_t chunks = number(directory + 132);
    size_t table = header_size + number(directory + 140) + number(directory + 144) + number(directory + 148);
    table = (table + 7) / 8 * 8;
    size_t heap = table + *sections * section_size + chunks * 48;
    if (heap + number(directory + 152) != size) floor_fail("directory", "not in format 1");
    uint64_t digest = FLOOR_DIGEST_START;
    for (size_t position = 0; position < *sections; position++) {
        const unsigned char *section = directory + table + position * section_size;
        uint64_t first = long_number(section);
        uint64_t end = position + 1 < *sections ? long_number(section + section_size) : *rows;
        digest = floor_digest_text(digest, directory + heap + number(section + 16), number(section + 20));
        digest = floor_digest_number(digest, end - first);
    }
    return digest;
}

void floor_measure_hit(const char *store_path, const char *caches) {
    double start = floor_now();
    sqlite3 *store = floor_open(store_path);
    sqlite3_stmt *token = floor_prepare(store, "SELECT seq, nonce FROM sc_gen WHERE tbl = 'Song'");
    if (sqlite3_step(token) != SQLITE_ROW) floor_fail("token", sqlite3_errmsg(store));
    MDB_env *environment;
    MDB_txn *transaction;
    MDB_dbi database;
    MDB_cursor *cursor;
    MDB_val key, value;
    int status = mdb_env_create(&environment);
    if (!status) status = mdb_env_set_mapsize(environment, 256u << 20);
    if (!status) status = mdb_env_set_maxdbs(environment, 16);
    if (!status) status = mdb_env_open(environment, caches, MDB_NOTLS | MDB_NORDAHEAD, 0600);
    if (!status) status = mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction);
    if (!status) status = mdb_dbi_open(transaction, "songs", 0, &database);
    if (!status) status = mdb_cursor_open(transaction, database, &cursor);
    if (!status) status = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
    if (status) floor_fail(caches, mdb_strerror(status));
    /* The directory's bytes are copied, as whoever keeps them beyond the transaction must. */
    size_t size = value.mv_size;
    unsigned char *directory = malloc(size);
    if (!directory) floor_fail("directory", "out of memory");
    memcpy(directory, value.mv_data, size);
    status = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
    if (status) floor_fail("chunk", mdb_strerror(status));
    const unsigned char *chunk = value.mv_data;
    int64_t base = (int64_t)long_number(chunk + 16);
    int width = chunk[24];
    sqlite3_stmt *row = floor_prepare(store, "SELECT * FROM Song WHERE objectID = ?1");
    unsigned char titles[first_rows][1024];
    int title_sizes[first_rows];
    for (int position = 0; position < first_rows; position++) {
        uint64_t distance = 0;
        for (int byte = 0; byte < width; byte++)
            distance |= (uint64_t)chunk[32 + position * width + byte] << (8 * byte);
        sqlite3_bind_int64(row, 1, base + (int64_t)distance);
        if (sqlite3_step(row) != SQLITE_ROW) floor_fail("row", sqlite3_errmsg(store));
        const unsigned char *title = sqlite3_column_text(row, 1);
        title_sizes[position] = sqlite3_column_bytes(row, 1);
        if (title_sizes[position] > (int)sizeof titles[0]) floor_fail("title", "too long");
        memcpy(titles[position], title, (size_t)title_sizes[position]);
        sqlite3_reset(row);
    }
    double end = floor_now();
    size_t sections, rows;
    uint64_t digest = digest_sections(directory, size, &sections, &rows);
    for (int position = 0; position < first_rows; position++)
        digest = floor_digest_text(digest, titles[position], (size_t)title_sizes[position]);
    floor_report(end - start, sections, rows, digest);
    free(directory);
    mdb_cursor_close(cursor);
    mdb_txn_abort(transaction);
    mdb_env_close(environment);
    sqlite3_finalize(row);
    sqlite3_finalize(token);
    sqlite3_close(store);
}
