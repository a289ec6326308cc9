#ifndef QUARRY_CZLIB_SHIM_H
#define QUARRY_CZLIB_SHIM_H

#include <zlib.h>

#endif
