import { ApplicationFailure } from '@temporalio/common';
import { BatchgateError } from '../src/contract/errors';
import { toFailureFields } from '../src/core/failures';

/** Runs an activity so that an error of the public surface crosses to the workflow whole. */
export async function crossing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BatchgateError)
      throw ApplicationFailure.create({ ...toFailureFields(error.body), cause: error });
    throw error;
  }
}
