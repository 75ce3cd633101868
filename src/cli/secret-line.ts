import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { io } from './io';
import { note } from './output';

/**
 * One line with a secret: from the terminal, where it is typed or pasted without being shown, or from a pipe. Empty
 * where the input ends without one.
 */
export async function readSecretLine(prompt: string): Promise<string> {
  const terminal = io().stdin.isTTY;
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: io().stdin, output: unseen, terminal, historySize: 0 });
  // Only now does the terminal show no more what is typed.
  if (terminal) io().stderr.write(prompt);
  try {
    return await new Promise<string>((resolve) => {
      lines.once('line', resolve);
      // Ctrl-C and Ctrl-D end it; in raw mode no signal says so.
      lines.once('SIGINT', () => resolve(''));
      lines.once('close', () => resolve(''));
    }).then((line) => line.trim());
  } finally {
    lines.close();
    if (terminal) note('');
  }
}
