/* SPDX-License-Identifier: MIT
 *
 * prov_token_read - a side room of cloud/prov_token: what is answered.
 */
#ifndef ANK_CLOUD_PROV_TOKEN_READ_H
#define ANK_CLOUD_PROV_TOKEN_READ_H

#include "cloud/prov_token.h"

/* As struct provider's read. */
void prov_token_read(const struct op_args *a, const struct response *r,
                     struct op_result *out);

#endif
