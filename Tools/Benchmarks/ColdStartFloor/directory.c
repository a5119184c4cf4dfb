#include "directory.h"

#include "floor.h"
#include "format.h"

#include <stdio.h>
#include <string.h>

uint32_t floor_number(const unsigned char *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

uint64_t floor_long_number(const unsigned char *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static void check_version(const unsigned char *bytes, size_t size) {
    if (size < format_directory_size || memcmp(bytes, FORMAT_MAGIC, sizeof FORMAT_MAGIC - 1) != 0)
        floor_fail("directory", "not the directory of a cache entry");
    uint32_t version = floor_number(bytes + format_directory_version);
    if (version != format_version) {
        char message[120];
        snprintf(message, sizeof message, "in format %u; this program reads format %d (CacheFormat.md, “Versions”)",
                 version, format_version);
        floor_fail("directory", message);
    }
    if (floor_number(bytes + format_directory_byte_order) != format_byte_order)
        floor_fail("directory", "in a foreign byte order");
}

struct directory floor_read_directory(const unsigned char *bytes, size_t size) {
    check_version(bytes, size);
    struct directory directory = {.bytes = bytes};
    directory.rows = (size_t)floor_long_number(bytes + format_directory_rows);
    directory.sections = floor_number(bytes + format_directory_sections);
    directory.chunks = floor_number(bytes + format_directory_chunks);
    size_t texts = (size_t)floor_number(bytes + format_directory_request) +
                   floor_number(bytes + format_directory_summary) + floor_number(bytes + format_directory_token);
    directory.section_table = (format_directory_size + texts + 7) / 8 * 8;
    directory.chunk_table = directory.section_table + directory.sections * format_section_size;
    directory.heap = directory.chunk_table + directory.chunks * format_chunk_entry_size +
                     (size_t)floor_number(bytes + format_directory_retired) * format_retired_entry_size;
    if (directory.heap + floor_number(bytes + format_directory_heap) != size)
        floor_fail("directory", "of a different size than the sum of its parts");
    return directory;
}

struct chunk_entry floor_chunk_entry(const struct directory *directory, size_t position) {
    const unsigned char *bytes = directory->bytes + directory->chunk_table + position * format_chunk_entry_size;
    return (struct chunk_entry){
        .rows = floor_number(bytes + format_chunk_entry_rows),
        .bytes = floor_number(bytes + format_chunk_entry_bytes),
        .number = floor_number(bytes + format_chunk_entry_number),
        .width = bytes[format_chunk_entry_width],
    };
}

uint64_t floor_digest_sections(const struct directory *directory) {
    const unsigned char *table = directory->bytes + directory->section_table;
    uint64_t digest = FLOOR_DIGEST_START;
    for (size_t position = 0; position < directory->sections; position++) {
        const unsigned char *section = table + position * format_section_size;
        uint64_t first = floor_long_number(section + format_section_first_row);
        uint64_t end = position + 1 < directory->sections
                           ? floor_long_number(section + format_section_size + format_section_first_row)
                           : directory->rows;
        const unsigned char *name = directory->bytes + directory->heap + floor_number(section + format_section_name);
        digest = floor_digest_text(digest, name, floor_number(section + format_section_name + 4));
        digest = floor_digest_number(digest, end - first);
    }
    return digest;
}
