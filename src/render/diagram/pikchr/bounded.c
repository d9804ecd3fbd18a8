/* Compiles Pikchr, which is pikchr.c as its author published it, with a limit on what it may hold in memory.
**
** Its drawing is the only block that it grows without a limit of its own: macros can ask for a gigabyte from a source
** of a few kilobytes. A request above the limit fails as if memory had run out, which Pikchr reports as an error.
*/
#include <stdlib.h>

#define LARGEST_BLOCK ((size_t)4 << 20)

static void *bounded_realloc(void *block, size_t size){
  return size>LARGEST_BLOCK ? NULL : realloc(block, size);
}

#define realloc bounded_realloc
#include "pikchr.c"
