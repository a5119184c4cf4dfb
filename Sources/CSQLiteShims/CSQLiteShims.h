#ifndef CSQLITESETTINGS_H
#define CSQLITESETTINGS_H

/* SQLite's header is not included: its types would be this module's as well as that of whoever includes it too, and Swift would ask
   for both. */
struct sqlite3;
extern int sqlite3_db_config(struct sqlite3 *connection, int setting, ...);

/* Sets what of SQLite's C interface takes a variable number of arguments, which Swift cannot call.

   Defensive: no statement writes to the schema or to shadow tables. No trigger fires, no view is read, no extension is loaded, and no
   function with side effects is called from the schema.

   Gives 0, or SQLite's code for the first setting that this SQLite does not have. */
static inline int csqlitesettings_distrust(void *connection) {
    static const int settings[][2] = {
        {1010, 1}, /* SQLITE_DBCONFIG_DEFENSIVE */
        {1003, 0}, /* SQLITE_DBCONFIG_ENABLE_TRIGGER */
        {1015, 0}, /* SQLITE_DBCONFIG_ENABLE_VIEW */
        {1005, 0}, /* SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION */
        {1017, 0}, /* SQLITE_DBCONFIG_TRUSTED_SCHEMA */
    };
    for (unsigned position = 0; position < sizeof settings / sizeof settings[0]; position++) {
        int isSet = 0;
        int code = sqlite3_db_config(
            (struct sqlite3 *)connection, settings[position][0], settings[position][1], &isSet);
        if (code != 0) return code;
    }
    return 0;
}

/* Keeps a connection from moving its write-ahead log into the database when it closes (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE). Gives 0, or
   SQLite's code where SQLite is too old. */
static inline int csqlitesettings_keep_log(void *connection) {
    int isSet = 0;
    return sqlite3_db_config((struct sqlite3 *)connection, 1006, 1, &isSet);
}

/* Whether triggers fire on a connection (SQLITE_DBCONFIG_ENABLE_TRIGGER); also 1 where SQLite is too old to switch them off. */
static inline int csqlitesettings_triggers_fire(void *connection) {
    int isSet = 1;
    sqlite3_db_config((struct sqlite3 *)connection, 1003, -1, &isSet);
    return isSet;
}

#endif
