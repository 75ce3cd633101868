// What batchgate.config.json names: the adapters of this folder, over what the environment says.
import { createShelfAdapter } from './shelf.mjs';

const { SHELF_URL: url = 'http://127.0.0.1:4711', SHELF_KEY: key = '' } = process.env;

export const adapters = [createShelfAdapter({ url, key })];
