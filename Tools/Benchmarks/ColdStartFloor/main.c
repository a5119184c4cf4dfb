/* The floor: the same work as that of the Swift samples, with direct calls to SQLite and LMDB.

   cold-start-floor open STORE                        opens the store and reads its schema
   cold-start-floor hit STORE CACHES                  opens both stores, reads the token, the directory and 20 rows
   cold-start-floor scan STORE SQL                    runs an ordered query (key, section), finds the sections
   cold-start-floor import STORE ROWS TABLE COLUMNS   inserts rows that are in memory, 10,000 in a transaction

   Prints one line of JSON. Everything is closed in order. Closing is not measured, except for the import, in
   which the last checkpoint is part of the work. */

#include "floor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments) {
    if (count == 3 && !strcmp(arguments[1], "open")) {
        floor_measure_open(arguments[2]);
    } else if (count == 4 && !strcmp(arguments[1], "hit")) {
        floor_measure_hit(arguments[2], arguments[3]);
    } else if (count == 4 && !strcmp(arguments[1], "scan")) {
        floor_measure_scan(arguments[2], arguments[3]);
    } else if (count == 6 && !strcmp(arguments[1], "import")) {
        floor_measure_import(arguments[2], arguments[3], arguments[4], atoi(arguments[5]));
    } else {
        fprintf(stderr, "cold-start-floor: run cold-start-benchmark, which starts this program\n");
        return 64;
    }
    return 0;
}
