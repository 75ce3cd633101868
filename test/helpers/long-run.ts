const { batchgateLongRun = false } = globalThis as { batchgateLongRun?: boolean };

/** The first value in `npm run test:long`, which may take longer, the second in `npm test` (jest.config.cjs). */
export const inLongRun = <T>(long: T, short: T): T => (batchgateLongRun ? long : short);
