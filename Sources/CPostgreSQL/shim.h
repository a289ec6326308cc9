#ifndef QUARRY_CPOSTGRESQL_SHIM_H
#define QUARRY_CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>

#endif
