/* The floor of a miss: the keys in order, and the beginnings of sections. */

#include "floor.h"

#include <stdlib.h>
#include <string.h>

struct section {
    size_t first;
    size_t size;
    unsigned char *name;
};

static void *grown(void *list, size_t count, size_t *room, size_t size) {
    if (count < *room) return list;
    *room = *room ? *room * 2 : 1024;
    list = realloc(list, *room * size);
    if (!list) floor_fail("scan", "out of memory");
    return list;
}

static uint64_t digest_titles(sqlite3 *store, uint64_t digest, const int64_t *keys, size_t count) {
    sqlite3_stmt *row = floor_prepare(store, "SELECT title FROM Song WHERE objectID = ?1");
    for (size_t position = 0; position < count && position < 20; position++) {
        sqlite3_bind_int64(row, 1, keys[position]);
        if (sqlite3_step(row) != SQLITE_ROW) floor_fail("row", sqlite3_errmsg(store));
        const unsigned char *title = sqlite3_column_text(row, 0);
        digest = floor_digest_text(digest, title, (size_t)sqlite3_column_bytes(row, 0));
        sqlite3_reset(row);
    }
    sqlite3_finalize(row);
    return digest;
}

void floor_measure_scan(const char *store_path, const char *sql) {
    double start = floor_now();
    sqlite3 *store = floor_open(store_path);
    sqlite3_stmt *query = floor_prepare(store, sql);
    int64_t *keys = NULL;
    struct section *sections = NULL;
    size_t count = 0, room = 0, section_count = 0, section_room = 0;
    int status;
    while ((status = sqlite3_step(query)) == SQLITE_ROW) {
        keys = grown(keys, count, &room, sizeof *keys);
        keys[count] = sqlite3_column_int64(query, 0);
        const unsigned char *name = sqlite3_column_text(query, 1);
        size_t size = (size_t)sqlite3_column_bytes(query, 1);
        struct section *last = section_count ? &sections[section_count - 1] : NULL;
        if (!last || size != last->size || memcmp(name, last->name, size) != 0) {
            sections = grown(sections, section_count, &section_room, sizeof *sections);
            last = &sections[section_count++];
            last->first = count;
            last->size = size;
            last->name = malloc(size + 1);
            if (!last->name) floor_fail("scan", "out of memory");
            if (size) memcpy(last->name, name, size);
        }
        count++;
    }
    if (status != SQLITE_DONE) floor_fail(sql, sqlite3_errmsg(store));
    double end = floor_now();
    uint64_t digest = FLOOR_DIGEST_START;
    for (size_t position = 0; position < section_count; position++) {
        size_t next = position + 1 < section_count ? sections[position + 1].first : count;
        digest = floor_digest_text(digest, sections[position].name, sections[position].size);
        digest = floor_digest_number(digest, next - sections[position].first);
    }
    floor_report(end - start, section_count, count, digest_titles(store, digest, keys, count));
    sqlite3_finalize(query);
    sqlite3_close(store);
}
