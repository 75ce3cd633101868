// Prints each message of batchgate: the smallest receiver.
import { receive, textFor } from './receiver.mjs';

const print = async ({ type, data }) => console.log(`${type}: ${textFor(data)}`);
receive({ port: Number(process.argv[2]), secret: process.env.HOOK_SECRET, handle: print });
