/* The constants of CacheFormat.md that a hit needs: offsets and sizes in bytes. A test compares them with the
   tables of that document by their names. */

#ifndef FORMAT_H
#define FORMAT_H

#define FORMAT_MAGIC "SCINDEX\n"

enum {
    format_version = 2,
    format_byte_order = 0x01020304,

    format_key_prefix_size = 48, /* fingerprint of the request and identity of the data store */
    format_key_kind_chunk = 1,
    format_directory_key_size = 49,
    format_chunk_key_size = 53,

    format_directory_version = 8,
    format_directory_byte_order = 12,
    format_directory_rows = 104,
    format_directory_sections = 112,
    format_directory_chunks = 116,
    format_directory_retired = 124,
    format_directory_request = 128,
    format_directory_summary = 132,
    format_directory_token = 136,
    format_directory_heap = 140,
    format_directory_size = 144, /* of the part before the canonical request */

    format_section_size = 32,
    format_section_first_row = 0,
    format_section_name = 16,

    format_chunk_entry_size = 72,
    format_chunk_entry_rows = 8,
    format_chunk_entry_bytes = 12,
    format_chunk_entry_number = 16,
    format_chunk_entry_width = 20,
    format_retired_entry_size = 4,

    format_chunk_base = 16,
    format_chunk_width = 24,
    format_chunk_rows = 32
};

#endif
