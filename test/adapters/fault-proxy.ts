import type { TapAnswer } from '../../src/testing/http-tap';

export { startHttpTap as startFaultProxy } from '../../src/testing/http-tap';
export type { SeenRequest, TapRule as Rule } from '../../src/testing/http-tap';

/** An error in the format of Google's APIs. */
export const apiError = (code: number, reason: string, message = reason): TapAnswer => ({
  status: code,
  body: JSON.stringify({ error: { code, message, errors: [{ reason, message }] } }),
});
