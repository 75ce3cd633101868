import { createRequire } from 'node:module';

/** The version of the installed SDK: a bundle of workflows holds its other half, and fits no other version. */
export function sdkVersion(): string {
  const load = createRequire(__filename);
  return (load('@temporalio/worker/package.json') as { version: string }).version;
}
