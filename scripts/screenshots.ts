import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { findRuntime } from '../src/host/runtime-file';
import { launchChromium } from '../test/helpers/browser';
import { startBatchgate } from '../test/helpers/command-line';

/**
 * Takes the pictures of docs/temporal-ui.md, docs/approval-page.md and docs/assistant.md:
 * `npx tsx scripts/screenshots.ts [the path of a Chromium]`.
 */
const [browserPath] = process.argv.slice(2);
const images = resolve(__dirname, '../docs/images');
/** The link that `up` prints signs in the user of the machine; the pictures show a person with a name. */
const AS_A_PERSON = `--import=data:text/javascript,${encodeURIComponent(
  "import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module'; os.userInfo = () => ({ username: 'Ana Ruiz' }); syncBuiltinESMExports();",
)}`;
const OPERATION = 'newsletters-to-later';

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'batchgate-screenshots-'));
  const up = startBatchgate(['up'], {
    dataDir,
    env: { NODE_OPTIONS: AS_A_PERSON, BATCHGATE_MODEL_NAME: 'demo' },
  });
  try {
    await up.says('batchgate is up');
    await prepare(dataDir);
    const ui = (await findRuntime(dataDir))?.ui_url;
    if (ui === undefined) throw new Error('this server has no UI; unset TEMPORAL_ADDRESS');
    const browser = await launchChromium(browserPath);
    await mkdir(images, { recursive: true });
    const page = await browser.newPage({ viewport: { width: 1280, height: 560 } });
    await shootList(page, `${ui}/namespaces/default/workflows`);
    await shootOperation(page, `${ui}/namespaces/default/workflows/${OPERATION}`);
    await shootPages(browser, up.output, dataDir);
    await browser.close();
  } finally {
    await up.interrupt();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const batchgate = (args: string[], dataDir: string) =>
  promisify(execFile)(process.execPath, [resolve(__dirname, '../bin/batchgate.cjs'), ...args], {
    env: { ...process.env, BATCHGATE_DATA_DIR: dataDir },
  });

async function prepare(dataDir: string): Promise<void> {
  const params = '{"sender":"news@northwind-weekly.example","label_name":"Later","create_label":true}';
  const what = ['--domain', 'gmail', '--action', 'label', '--params', params];
  await batchgate(['start', ...what, '--id', OPERATION, '--session', 'ana'], dataDir);
  await batchgate(['continue', OPERATION, '--by', 'Ana Ruiz'], dataDir);
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

async function signedIn(browser: Browser, link: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1120, height: 720 } });
  const page = await context.newPage();
  await page.goto(link);
  await page.click('main button');
  return page;
}

/** The pictures of the approval page, over operations of the local mailbox. */
async function shootPages(browser: Browser, output: string, dataDir: string): Promise<void> {
  const [link = ''] = /http:\/\/\S+\/sign-in\?token=\S+/.exec(output) ?? [];
  const page = await signedIn(browser, link);
  const { origin } = new URL(link);
  const shoot = (name: string) => page.screenshot({ path: join(images, `approval-${name}.png`) });
  await start(page, `${origin}/start/gmail/archive`, { From: 'ben@work.example' });
  for (const batch of [1, 2, 3]) {
    await page.getByText(`Batch ${batch} of 3`).waitFor();
    // Click like a person, a moment after the question has become visible.
    await page.waitForTimeout(600);
    await page.locator('button.go').click();
  }
  await page.getByText('✅ Completed!').first().waitFor();
  await start(page, `${origin}/start/gmail/star`, { From: 'ana' });
  await page.goto(`${origin}/start/gmail/label`);
  await page.getByLabel('From').fill('news@northwind-weekly.example');
  await page.getByLabel(/^Label/).fill('Later');
  await page.setViewportSize({ width: 1120, height: 860 });
  await shoot('start');
  await page.getByLabel(/Create the label/).selectOption('true');
  await page.getByRole('button', { name: 'Preview all emails' }).click();
  await page.getByRole('button', { name: 'Start exactly this' }).waitFor();
  await page.setViewportSize({ width: 1120, height: 720 });
  await shoot('preview');
  await otherJobs(dataDir);
  await page.goto(`${origin}/task-runs/three-pages`);
  await shoot('task-run');
  await page.goto(`${origin}/macros/tidy-up`);
  await page.getByText('may be deleted?').first().waitFor();
  await shoot('macro');
  await page.goto(origin);
  await page.getByRole('heading', { name: /Waiting/ }).waitFor();
  await shoot('inbox');
  await page.setViewportSize({ width: 390, height: 980 });
  await page.goto(`${origin}/operations/${OPERATION}`);
  for (const item of [1, 3]) {
    await page.getByRole('checkbox').nth(item).uncheck();
    await page.getByRole('button', { name: `Continue with ${item === 1 ? 9 : 8} items` }).waitFor();
  }
  await page.evaluate('scrollTo(0, 0)');
  await page.mouse.move(0, 0);
  await shoot('question');
  // Without scripts, a page does not update itself.
  const storageState = await page.context().storageState();
  const viewport = { width: 390, height: 700 };
  const late = await (
    await browser.newContext({ storageState, viewport, javaScriptEnabled: false })
  ).newPage();
  await late.goto(`${origin}/operations/${OPERATION}`);
  await page.setViewportSize({ width: 1120, height: 900 });
  await page.getByRole('button', { name: 'Continue with 8 items' }).click();
  await page.getByText('Batch 3 of 5').waitFor();
  await late.locator('button.go').click();
  await late.getByText('Nothing was run by your click').waitFor();
  await late.screenshot({ path: join(images, 'approval-late.png') });
  await page.getByText('Cancel…').click();
  await page.getByLabel('Why? (optional)').fill('The rest can stay in the inbox.');
  await page.getByRole('button', { name: 'Cancel the operation' }).click();
  await page.getByText('cancelled.').first().waitFor();
  await shoot('record');
  await converse(page, origin);
}

async function converse(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/sessions/ana`);
  await page.getByLabel('Your message').fill('archive all emails from news@northwind-weekly.example');
  await page.getByRole('button', { name: 'Send the message' }).click();
  await page.getByRole('button', { name: 'Continue with 10 items' }).waitFor();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(images, 'approval-conversation.png') });
}

/** Starts a task run, and a macro that asks a person. */
async function otherJobs(dataDir: string): Promise<void> {
  const goal = ['--goal', 'Visit three pages and collect their titles', '--session', 'crawl'];
  const contract = ['--contract', '{"expected_total":3,"item_key":"url"}'];
  await batchgate(['task', 'start', ...goal, ...contract, '--id', 'three-pages'], dataDir);
  await batchgate(['task', 'record', 'three-pages', '--completed', 'https://one.example'], dataDir);
  const file = join(dataDir, 'tidy_up.json');
  const ask = {
    ...{ type: 'ask', of: 'person', prompt: 'How many of the 240 archived cards may be deleted?' },
    ...{ output_schema: { type: 'integer', minimum: 0 }, output_variable: 'how_many' },
  };
  await writeFile(file, JSON.stringify({ name: 'tidy_up', steps: [ask] }));
  const watching = startBatchgate(['macro', 'run', file, '--id', 'tidy-up', '--session', 'tidy'], {
    dataDir,
  });
  await watching.says('may be deleted?');
  await watching.interrupt();
}

async function start(page: Page, form: string, values: Readonly<Record<string, string>>): Promise<void> {
  await page.goto(form);
  for (const [label, value] of Object.entries(values)) await page.getByLabel(label).fill(value);
  await page.getByRole('button', { name: 'Start with the first question' }).click();
  await page.waitForURL(/\/operations\//);
}

void main();
