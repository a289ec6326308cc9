#ifndef QUARRY_CCRYPTO_SHIM_H
#define QUARRY_CCRYPTO_SHIM_H

#include <openssl/evp.h>

#endif
