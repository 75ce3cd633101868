import fc from './properties';

/**
 * The time budget of a property; there is no budget of cases, so a slow machine tries fewer.
 * `BATCHGATE_PROPERTY_MS=600000` tries all.
 */
const BUDGET_MS = 1_000;

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  interruptAfterTimeLimit: Number(process.env['BATCHGATE_PROPERTY_MS'] ?? BUDGET_MS),
});
