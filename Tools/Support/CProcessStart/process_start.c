#include <stdlib.h>
#include <unistd.h>

#include "CProcessStart.h"

static int argument_count;
static char **arguments;

int process_argument_count(void) { return argument_count; }

const char *process_argument(int position) { return arguments[position]; }

// Lets a statically linked program start where /proc is not mounted, such as in an empty root directory.
//
// Swift's runtime reads the arguments from /proc/self/cmdline. It searches for its backtrace program relative
// to its own library. In a statically linked program, that library is the file that /proc/self/exe names; if
// the name cannot be read, the runtime ends the process (Paths.cpp of libswiftCore), unless SWIFT_ROOT is
// set. The priority places this constructor before those of the runtime. The GNU C library passes the
// arguments to constructors.
#ifdef __GLIBC__
__attribute__((constructor(101))) static void begin(int count, char **values) {
    argument_count = count;
    arguments = values;
    if (access("/proc/self/exe", F_OK) != 0) setenv("SWIFT_ROOT", "/", 0);
}
#endif
