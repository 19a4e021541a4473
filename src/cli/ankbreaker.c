/* SPDX-License-Identifier: MIT
 *
 * ankbreaker - the program's main; all it knows is its name.
 */
#include "cli/breaker.h"

int main(int argc, char **argv)
{
  return breaker_main(argc, argv);
}
