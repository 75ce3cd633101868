import { bare, makeBareTable, product, BATCH_SIZE } from './contestants';
import { ratioFigure, type Figure } from './figures';
import type { Ground } from './ground';
import { inTurns } from './in-turns';

const ROUNDS = 15;
const ITEMS = 50;

/** Compares a start up to the first question with a bare workflow's start and its first update. */
export async function startBench(ground: Ground): Promise<Figure[]> {
  await makeBareTable(ground.store);
  const ours = await product(ground);
  const theirs = await bare(ground, true);
  const batches = Math.ceil(ITEMS / BATCH_SIZE);
  const begin = async () => (await theirs.start(batches)).confirm();
  try {
    const [first = [], bareStart = []] = await inTurns('a start', ROUNDS, [
      { run: () => ours.start(batches) },
      { run: begin },
    ]);
    const name = 'start to the first question, against a bare start';
    return [ratioFigure(name, first, bareStart, { atMost: 2 })];
  } finally {
    await ours.stop();
    await theirs.stop();
  }
}
