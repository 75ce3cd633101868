/**
 * Google's OAuth and Gmail in a separate process, because Jest cannot load the emulator. It ends with its parent. Any
 * message resets it to its seed.
 */
async function main(): Promise<void> {
  const { createEmulator } = await import('emulate');
  const seed = JSON.parse(process.argv[2] ?? '{}') as Record<string, never>;
  const emulator = await createEmulator({ service: 'google', port: 0, seed });
  process.send?.(new URL(emulator.url).port);
  process.on('message', () => {
    emulator.reset();
    process.send?.('as it was');
  });
  process.once('disconnect', () => process.exit());
}

void main();
