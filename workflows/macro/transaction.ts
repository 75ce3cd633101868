import type { TransactionRef } from '../../src/contract/macro-activities';
import { toFailure } from '../failures';

/** Database transactions that span several steps of a macro. */
export interface Transactions {
  begin(database: string): Promise<TransactionRef>;
  commit(transaction: TransactionRef): Promise<void>;
  rollback(transaction: TransactionRef): Promise<void>;
  savepoint(transaction: TransactionRef, name: string): Promise<void>;
}

const refuse = (): Promise<never> =>
  Promise.reject(
    toFailure({
      code: 'NOT_CONFIGURED',
      message: 'Transactions across the steps of a macro are not available in this version.',
      hint: 'Run the macro without a "database", and let each tool commit by itself.',
    }),
  );

export const transactions: Transactions = {
  begin: refuse,
  commit: refuse,
  rollback: refuse,
  savepoint: refuse,
};
