#ifndef QUARRY_CBENCHPOSTGRESQL_SHIM_H
#define QUARRY_CBENCHPOSTGRESQL_SHIM_H

#include <libpq-fe.h>

#endif
