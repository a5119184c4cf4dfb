/* The directory value of a cache entry, read by CacheFormat.md alone. */

#ifndef DIRECTORY_H
#define DIRECTORY_H

#include <stddef.h>
#include <stdint.h>

struct directory {
    const unsigned char *bytes;
    size_t rows, sections, chunks;
    /* Offsets of the tables and of the heap. */
    size_t section_table, chunk_table, heap;
};

/* One line of the chunk table. */
struct chunk_entry {
    uint32_t rows, bytes, number;
    unsigned width;
};

uint32_t floor_number(const unsigned char *bytes);
uint64_t floor_long_number(const unsigned char *bytes);

/* Finds the parts of a directory value, which must stay where it is. Ends the program if the value is not of the
   format that format.h describes, and names the version that it is of. */
struct directory floor_read_directory(const unsigned char *bytes, size_t size);

struct chunk_entry floor_chunk_entry(const struct directory *directory, size_t position);

/* The digest of the section names and counts: the first part of the answer of a hit. */
uint64_t floor_digest_sections(const struct directory *directory);

#endif
