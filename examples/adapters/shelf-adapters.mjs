// The module that batchgate.config.json names: this folder's adapters, configured by environment variables.
import { createShelfAdapter } from './shelf.mjs';

const { SHELF_URL: url = 'http://127.0.0.1:4711', SHELF_KEY: key = '' } = process.env;

export const adapters = [createShelfAdapter({ url, key })];
