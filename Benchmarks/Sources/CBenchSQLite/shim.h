#ifndef QUARRY_CBENCHSQLITE_SHIM_H
#define QUARRY_CBENCHSQLITE_SHIM_H

#include <sqlite3.h>

#endif
