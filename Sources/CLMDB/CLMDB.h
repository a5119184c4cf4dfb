#ifndef CLMDB_H
#define CLMDB_H
#include <lmdb.h>
#endif
