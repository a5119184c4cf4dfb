#ifndef C_PROCESS_START_H
#define C_PROCESS_START_H

// The number of the process's arguments, with the program's name; 0 where the system does not pass them.
int process_argument_count(void);

// The argument at a position below that number.
const char *process_argument(int position);

#endif
