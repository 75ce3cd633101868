/**
 * The SDK takes a stack trace for every promise of a workflow, for its query `__stack_trace`: that takes three quarters
 * of a workflow task's time. Without frames it costs nothing.
 */
Error.stackTraceLimit = 0;

/**
 * For each promise the SDK asks the sandbox three times for an object, by compiling a line of code with the constructor
 * of the promise's constructor (`getActivator` and the hook `init` in @temporalio/worker, lib/workflow/vm-shared.js).
 * These return the same without a compiler. An error without a stack ends the hook there.
 */
class NoStack {}
const ANSWERS: Readonly<Record<string, () => unknown>> = {
  'return globalThis.__TEMPORAL_ACTIVATOR__': () =>
    (globalThis as { __TEMPORAL_ACTIVATOR__?: unknown }).__TEMPORAL_ACTIVATOR__,
  'return globalThis.Error': () => NoStack,
};
const compile = Promise.constructor as FunctionConstructor;
Object.defineProperty(Promise, 'constructor', {
  value: (...code: string[]) => (code.length === 1 && ANSWERS[code[0] ?? '']) || compile(...code),
});
