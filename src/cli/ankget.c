/* SPDX-License-Identifier: MIT
 *
 * ankget - the program's main; all it knows is its name.
 */
#include "cli/cli.h"

int main(int argc, char **argv)
{
  return cli_main(OPT_GET, argc, argv);
}
