import { progressContracts } from '../../src/client';

/**
 * A process that records items on a contract, one after another. Arguments: data folder, contract, its own name, the
 * number of items. It begins on a signal from its parent, and prints each item once it is acknowledged.
 */
async function main([dataDir = '', id = '', name = '', count = '']: string[]): Promise<void> {
  const contracts = progressContracts(dataDir);
  console.log('ready');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  for (let at = 0; at < Number(count); at++) {
    const item = `${name}-${at}`;
    await contracts.record(id, { completed: [item], cursor: item });
    console.log(item);
  }
  process.exit();
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
