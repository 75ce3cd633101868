import { BatchgateError } from '../../src/contract/errors';

/** The refusal with which `work` ends. Like every refusal, it must have a hint. */
export async function failure(work: Promise<unknown>): Promise<BatchgateError> {
  const error = await work.then(
    (value) => value,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof BatchgateError)) throw new Error(`no refusal: ${String(error)}`);
  expect(error.hint).toMatch(/\w/);
  return error;
}
