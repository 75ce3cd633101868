import fc from './properties';

/**
 * A property gets a budget of time, not of cases: a slow machine tries fewer of them. `BATCHGATE_PROPERTY_MS=600000`
 * tries all.
 */
const BUDGET_MS = 1_000;

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  interruptAfterTimeLimit: Number(process.env['BATCHGATE_PROPERTY_MS'] ?? BUDGET_MS),
});
