// Serves the library on a local port: node examples/adapters/shelf-server.mjs 4711
import { startShelfServer } from './shelf-library.mjs';

const { url } = await startShelfServer(Number(process.argv[2] ?? 0));
console.log(`The library serves ${url}. Ctrl-C stops it.`);
