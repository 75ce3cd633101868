import { z } from 'zod';
import type { Config } from '../../../src/host/config';
import { BatchgateError } from '../../../src/contract/errors';
import type { GoogleClient } from './requests';
import { readKeyFile } from './service-account';

const GUIDE = 'docs/gmail.md explains how to create one.';

const clientFileSchema = z.object({
  installed: z.object(
    { client_id: z.string().min(1), client_secret: z.string().min(1).optional() },
    'the client is not of the type "Desktop app"',
  ),
});

/**
 * The OAuth client from the file, if given, or else from the configuration.
 * @throws BatchgateError `NOT_CONFIGURED` when there is none.
 */
export async function googleClient(config: Config, file?: string): Promise<GoogleClient> {
  if (file !== undefined) {
    const hint = `Give the JSON file of a client of the type "Desktop app". ${GUIDE}`;
    return (await readKeyFile(file, clientFileSchema, { what: 'an OAuth client', hint })).installed;
  }
  const { googleClientId: client_id, googleClientSecret: client_secret } = config;
  if (client_id !== undefined) return { client_id, client_secret };
  throw new BatchgateError(
    'NOT_CONFIGURED',
    'Logging in to Google needs an OAuth client, and none is configured.',
    `Set BATCHGATE_GOOGLE_CLIENT_ID and BATCHGATE_GOOGLE_CLIENT_SECRET, or give its JSON file with --client. ${GUIDE}`,
  );
}
