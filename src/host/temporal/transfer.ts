import { cursorTo, clearLine } from 'node:readline';
import { Transform, type Writable } from 'node:stream';

/** Output for the progress of a transfer. */
export interface TransferView {
  say: (line: string) => void;
  /** On a terminal one line is rewritten; otherwise there is a line at each quarter. */
  terminal?: Writable & { isTTY?: boolean };
}

const STEPS = 4;
const UNKNOWN_STEP_BYTES = 20_000_000;
const REWRITE_MS = 200;

/** A stream that passes bytes on and reports their number, and the total if known. */
export function meter(what: string, total: number | undefined, { say, terminal }: TransferView): Transform {
  const onTerminal = terminal?.isTTY === true ? terminal : undefined;
  const step = total === undefined ? UNKNOWN_STEP_BYTES : Math.max(1, Math.floor(total / STEPS));
  let received = 0;
  let shownAt = 0;
  const rewrite = (end: string) => {
    if (onTerminal === undefined) return;
    cursorTo(onTerminal, 0);
    clearLine(onTerminal, 0);
    onTerminal.write(`${what}: ${amount(received, total)}${end}`);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      const before = Math.floor(received / step);
      received += chunk.length;
      if (onTerminal !== undefined) {
        if (Date.now() - shownAt >= REWRITE_MS) rewrite('');
        else return next(null, chunk);
        shownAt = Date.now();
      } else if (Math.floor(received / step) > before) say(`${what}: ${amount(received, total)}`);
      next(null, chunk);
    },
    destroy(error, done) {
      rewrite('\n');
      done(error);
    },
  });
}

function amount(received: number, total: number | undefined): string {
  const mb = (bytes: number) => (bytes / 1_000_000).toFixed(1);
  return total === undefined
    ? `${mb(received)} MB`
    : `${mb(received)} of ${mb(total)} MB (${Math.floor((100 * received) / total)} %)`;
}
