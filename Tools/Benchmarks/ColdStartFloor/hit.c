/* The floor of a hit, and of opening the store. */

#include "directory.h"
#include "floor.h"
#include "format.h"

#include <lmdb.h>
#include <stdlib.h>
#include <string.h>

enum { first_rows = 20 };

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

/* The texts and sizes of the first titles. */
struct titles {
    unsigned char texts[first_rows][1024];
    int sizes[first_rows];
    int count;
};

static void read_title(sqlite3_stmt *row, int64_t key, struct titles *titles) {
    sqlite3_bind_int64(row, 1, key);
    if (sqlite3_step(row) != SQLITE_ROW) floor_fail("row", "the store has no row for a key in the cache");
    const unsigned char *title = sqlite3_column_text(row, 1);
    int size = sqlite3_column_bytes(row, 1);
    if (size > (int)sizeof titles->texts[0]) floor_fail("title", "too long");
    memcpy(titles->texts[titles->count], title, (size_t)size);
    titles->sizes[titles->count++] = size;
    sqlite3_reset(row);
}

/* Reads rows of a chunk until all first titles are read. */
static void read_chunk(const MDB_val *value, struct chunk_entry entry, sqlite3_stmt *row, struct titles *titles) {
    const unsigned char *chunk = value->mv_data;
    if (value->mv_size != entry.bytes || chunk[format_chunk_width] != entry.width ||
        entry.bytes != format_chunk_rows + (size_t)entry.rows * entry.width)
        floor_fail("chunk", "of a different size than in the directory");
    uint64_t base = floor_long_number(chunk + format_chunk_base);
    for (uint32_t position = 0; position < entry.rows && titles->count < first_rows; position++) {
        const unsigned char *bytes = chunk + format_chunk_rows + (size_t)position * entry.width;
        uint64_t distance = 0;
        for (unsigned byte = 0; byte < entry.width; byte++) distance |= (uint64_t)bytes[byte] << (8 * byte);
        read_title(row, (int64_t)(base + distance), titles);
    }
}

/* Returns the key of a chunk, made from the key of its directory. */
static MDB_val chunk_key(const MDB_val *directory_key, uint32_t number, unsigned char *room) {
    memcpy(room, directory_key->mv_data, format_key_prefix_size);
    room[format_key_prefix_size] = format_key_kind_chunk;
    for (int byte = 0; byte < 4; byte++)
        room[format_key_prefix_size + 1 + byte] = (unsigned char)(number >> (24 - 8 * byte));
    return (MDB_val){.mv_size = format_chunk_key_size, .mv_data = room};
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
    if (key.mv_size != format_directory_key_size) floor_fail(caches, "the first key is not that of a directory");
    /* Copies the bytes of the directory, as a program must that uses them after the transaction. */
    size_t size = value.mv_size;
    unsigned char *bytes = malloc(size);
    if (!bytes) floor_fail("directory", "out of memory");
    memcpy(bytes, value.mv_data, size);
    struct directory directory = floor_read_directory(bytes, size);
    sqlite3_stmt *row = floor_prepare(store, "SELECT * FROM Song WHERE objectID = ?1");
    struct titles titles = {.count = 0};
    for (size_t position = 0; position < directory.chunks && titles.count < first_rows; position++) {
        struct chunk_entry entry = floor_chunk_entry(&directory, position);
        unsigned char room[format_chunk_key_size];
        MDB_val chunk = chunk_key(&key, entry.number, room);
        status = mdb_get(transaction, database, &chunk, &value);
        if (status) floor_fail("chunk", mdb_strerror(status));
        read_chunk(&value, entry, row, &titles);
    }
    double end = floor_now();
    uint64_t digest = floor_digest_sections(&directory);
    for (int position = 0; position < titles.count; position++)
        digest = floor_digest_text(digest, titles.texts[position], (size_t)titles.sizes[position]);
    floor_report(end - start, directory.sections, directory.rows, digest);
    free(bytes);
    mdb_cursor_close(cursor);
    mdb_txn_abort(transaction);
    mdb_env_close(environment);
    sqlite3_finalize(row);
    sqlite3_finalize(token);
    sqlite3_close(store);
}
