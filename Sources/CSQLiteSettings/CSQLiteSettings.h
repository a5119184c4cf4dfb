#ifndef CSQLITESETTINGS_H
#define CSQLITESETTINGS_H

#include <sqlite3.h>

/* Sets what of SQLite's C interface takes a variable number of arguments, which Swift cannot call.

   Defensive: no statement writes to the schema or to shadow tables. No trigger fires, no view is read, no extension is loaded, and no
   function with side effects is called from the schema.

   Gives 0, or SQLite's code for the first setting that this SQLite does not have. */
static inline int csqlitesettings_distrust(sqlite3 *connection) {
    static const int settings[][2] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
    };
    for (unsigned position = 0; position < sizeof settings / sizeof settings[0]; position++) {
        int isSet = 0;
        int code = sqlite3_db_config(connection, settings[position][0], settings[position][1], &isSet);
        if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
}

#endif
