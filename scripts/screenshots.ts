import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { findRuntime } from '../src/host/runtime-file';
import { runBatchgate, startBatchgate } from '../test/helpers/command-line';

/** The pictures of docs/temporal-ui.md: `npx tsx scripts/screenshots.ts [the path of a Chromium]`. */
const [browserPath = '/usr/bin/chromium'] = process.argv.slice(2);
const images = resolve(__dirname, '../docs/images');
const QUIET = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
const OPERATION = 'newsletters-to-later';

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'batchgate-screenshots-'));
  const up = startBatchgate(['up'], { dataDir });
  try {
    await up.says('batchgate is up');
    await prepare(dataDir);
    const ui = (await findRuntime(dataDir))?.ui_url;
    if (ui === undefined) throw new Error('this server has no UI; unset TEMPORAL_ADDRESS');
    const browser = await chromium.launch({ executablePath: browserPath, args: QUIET });
    await mkdir(images, { recursive: true });
    const page = await browser.newPage({ viewport: { width: 1280, height: 560 } });
    await shootList(page, `${ui}/namespaces/default/workflows`);
    await shootOperation(page, `${ui}/namespaces/default/workflows/${OPERATION}`);
    await browser.close();
  } finally {
    await up.interrupt();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function prepare(dataDir: string): Promise<void> {
  const params = '{"sender":"news@northwind-weekly.example","label_name":"Later","create_label":true}';
  const what = ['--domain', 'gmail', '--action', 'label', '--params', params];
  await runBatchgate(['start', ...what, '--id', OPERATION, '--session', 'ana'], { dataDir });
  await runBatchgate(['continue', OPERATION, '--by', 'ana'], { dataDir });
}

async function shootList(page: Page, workflows: string): Promise<void> {
  const query = 'BatchgateState="awaiting_confirmation"';
  await page.goto(`${workflows}?query=${encodeURIComponent(query)}`);
  await page.getByRole('link', { name: OPERATION }).first().waitFor();
  await page.screenshot({ path: join(images, 'temporal-ui-list.png') });
}

async function shootOperation(page: Page, workflow: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto(workflow);
  await page.getByText('User Metadata').click();
  await page.getByText('Current Details').waitFor();
  const details = page.frameLocator('#user-metadata-current-details');
  await details.getByText('Open question').waitFor();
  await page.screenshot({ path: join(images, 'temporal-ui-operation.png') });
}

void main();
