import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { BatchgateError } from '../../../src/contract/errors';
import { jsonIn } from '../shared/parsed';

const serviceAccountSchema = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().refine(isPrivateKey, 'is not a private key'),
  private_key_id: z.string().optional(),
});
export type ServiceAccount = z.infer<typeof serviceAccountSchema>;

/** @throws BatchgateError `CREDENTIALS_INVALID` when the file is not a service account's key. */
export async function readServiceAccount(path: string): Promise<ServiceAccount> {
  return readKeyFile(path, serviceAccountSchema, {
    what: 'a service account key',
    hint: 'Set BATCHGATE_GOOGLE_SERVICE_ACCOUNT_FILE to the JSON key of the account from the Google Cloud console.',
  });
}

/** Reads a JSON file of Google's console. Its contents never appear in the error. */
export async function readKeyFile<S extends z.ZodType>(
  path: string,
  schema: S,
  { what, hint }: { what: string; hint: string },
): Promise<z.output<S>> {
  let reason: string;
  try {
    const parsed = schema.safeParse(jsonIn(await readFile(path, 'utf8')));
    if (parsed.success) return parsed.data;
    const { path: field, message } = parsed.error.issues[0]!;
    reason = field.length === 0 ? message : `${field.join('.')}: ${message}`;
  } catch (error) {
    reason = (error as NodeJS.ErrnoException).code ?? 'it cannot be read';
  }
  throw new BatchgateError('CREDENTIALS_INVALID', `${path} is not ${what}: ${reason}`, hint);
}

function isPrivateKey(text: string): boolean {
  try {
    createPrivateKey(text);
    return true;
  } catch {
    return false;
  }
}
