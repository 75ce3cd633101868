import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { withPythonPackage } from './python-package';

const run = promisify(execFile);

/** The mistakes in a file by the compose specification's schema, which check-jsonschema includes. */
export async function composeSchemaFaults(file: string): Promise<string | undefined> {
  const args = ['-m', 'check_jsonschema', '--builtin-schema', 'vendor.compose-spec', file];
  try {
    await run('python3', args, { env: await withPythonPackage('check-jsonschema', '0.39.0') });
    return undefined;
  } catch (error) {
    const { stdout, code } = error as { stdout?: string; code?: number };
    if (code === 1 && stdout?.includes('Schema validation errors')) return stdout;
    throw error;
  }
}
