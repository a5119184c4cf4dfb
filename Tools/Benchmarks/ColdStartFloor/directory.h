/* The directory value of a cache entry, read by CacheFormat.md alone. */

#ifndef DIRECTORY_H
#define DIRECTORY_H

#include <stddef.h>
#include <stdint.h>

struct directory {
    const unsigned char *bytes;
    size_t rows, sections, chunks;
    /* The offsets of the tables and of the heap. */
    size_t section_table, chunk_table, heap;
};

/* One entry of the chunk table. */
struct chunk_entry {
    uint32_t rows, bytes, number;
    unsigned width;
};

uint32_t floor_number(const unsigned char *bytes);
uint64_t floor_long_number(const unsigned char *bytes);

/* Finds the parts of a directory value, whose bytes must stay at the same address. Ends the program if the
   value is not in the format that format.h describes, with a message that names its version. */
struct directory floor_read_directory(const unsigned char *bytes, size_t size);

struct chunk_entry floor_chunk_entry(const struct directory *directory, size_t position);

/* Returns the digest of the section names and counts, which is the first part of the digest of a hit. */
uint64_t floor_digest_sections(const struct directory *directory);

#endif
