#ifndef CSQLITESHIMS_H
#define CSQLITESHIMS_H

#if defined(__linux__)
#include <sys/vfs.h>
#endif

/* SQLite's header is not included: its types would belong to this module and to every other module that
   includes the header, and Swift would require imports of both. */
struct sqlite3;
extern int sqlite3_db_config(struct sqlite3 *connection, int setting, ...);

/* Configures a connection for an untrusted database, with a variadic function that Swift cannot call.

   Defensive mode: no statement writes to the schema or to shadow tables. No trigger fires, no view is read,
   no extension is loaded, and the schema calls no function with side effects.

   Returns 0, or SQLite's code for the first setting that this version of SQLite does not support. */
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

/* Lets a connection read views (SQLITE_DBCONFIG_ENABLE_VIEW). Returns 0, or SQLite's code. */
static inline int csqlitesettings_read_views(void *connection) {
    int isSet = 0;
    return sqlite3_db_config((struct sqlite3 *)connection, 1015, 1, &isSet);
}

/* Prevents a connection from moving its write-ahead log into the database when it closes
   (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE). Returns 0, or SQLite's code if the version of SQLite is too old. */
static inline int csqlitesettings_keep_log(void *connection) {
    int isSet = 0;
    return sqlite3_db_config((struct sqlite3 *)connection, 1006, 1, &isSet);
}

/* Returns whether triggers fire on a connection (SQLITE_DBCONFIG_ENABLE_TRIGGER). Also returns 1 if the
   version of SQLite is too old to disable them. */
static inline int csqlitesettings_triggers_fire(void *connection) {
    int isSet = 1;
    sqlite3_db_config((struct sqlite3 *)connection, 1003, -1, &isSet);
    return isSet;
}

/* Returns the number of the type of the file system with a file (statfs(2)), or 0 if it is unknown. */
static inline unsigned int csqlitesettings_file_system(const char *path) {
#if defined(__linux__)
    struct statfs status;
    if (statfs(path, &status) == 0) return (unsigned int)status.f_type;
#endif
    return 0;
}

#endif
