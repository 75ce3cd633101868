import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LedgerResult } from '../../src/contract/ledger';

/** Writes the results of a slice, each once. Results that come during a write are written together after it. */
interface Recorder {
  add(results: readonly LedgerResult[]): void;
  has(index: number): boolean;
  /** Waits until all results are written, and returns them. @throws the error of the first failed write. */
  written(): Promise<LedgerResult[]>;
}

export function createRecorder(write: (results: LedgerResult[]) => Promise<void>): Recorder {
  const known = new Map<number, LedgerResult>();
  const waiting: LedgerResult[] = [];
  let writing: Promise<void> | undefined;
  const writeAll = async () => {
    // Results of the same moment are one write.
    await nextTurn();
    while (waiting.length > 0) await write(waiting.splice(0));
  };
  const begin = () => {
    writing = writeAll();
    // `written` reports it.
    writing.then(
      () => {
        writing = undefined;
        if (waiting.length > 0) begin();
      },
      () => undefined,
    );
  };
  return {
    add(results) {
      const fresh = results.filter(({ index }) => !known.has(index));
      for (const result of fresh) known.set(result.index, result);
      waiting.push(...fresh);
      if (writing === undefined && waiting.length > 0) begin();
    },
    has: (index) => known.has(index),
    async written() {
      while (writing) await writing;
      return [...known.values()];
    },
  };
}
