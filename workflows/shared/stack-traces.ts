/**
 * The SDK takes a stack trace for every promise of a workflow, for its query `__stack_trace`: three quarters of a
 * workflow task's time. No frames, no cost.
 */
Error.stackTraceLimit = 0;
