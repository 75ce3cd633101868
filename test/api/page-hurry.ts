import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { cancelBulkOperation } from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import { SETTLE_MS } from '../../src/core/approval/selection';
import { launchChromium, newContext, signedInBy } from '../helpers/browser';
import { lookAgain } from '../helpers/look-again';
import { noting, pageOf, stage, start } from '../helpers/page-stage';

/** What one look more or less makes of a time on a busy machine. Milliseconds. */
const LOOK_MS = 250;
const ACTIONS = 14;
/** The least; the sessions of a window share an operation of many such batches. */
const BATCH_SIZE = 5;
/** Windows side by side, whose waits do not add up. Those of one browser profile share a stream. */
const WINDOWS = 12;
const WINDOWS_A_PROFILE = 6;
/** How many sessions there are for one restart of the server, which all windows notice. */
const SESSIONS_A_RESTART = 20;

/**
 * Somebody who clicks, taps, presses keys, goes back and reloads at random, also on a slow network and while the server
 * restarts: a batch runs only for a question that was on the screen for two seconds, and one batch for each.
 */
export function hurryTests(sessions: number): void {
  describe('somebody in a hurry', () => {
    it(
      `runs at most one batch for each question that was on the screen for two seconds, in ${sessions} sessions`,
      async () => {
        const first = Number(process.env['BATCHGATE_HURRY_SEED'] ?? Math.floor(Math.random() * 1e9));
        console.log(`BATCHGATE_HURRY_SEED=${first}`);
        const began = performance.now();
        const { confirmed } = await hurryAll(first, sessions);
        const seconds = Math.round((performance.now() - began) / 1_000);
        console.log(`${sessions} hurried sessions in ${seconds} s; ${confirmed} batches were confirmed`);
        const complaints = stage.http.failures.splice(0).map(String);
        expect(complaints.filter((one) => !AWAY.test(one))).toEqual([]);
      },
      120_000 + 5_000 * sessions,
    );
  });
}

/** Sessions in the windows of one browser with a process a profile, as many at once as there are windows. */
async function hurryAll(first: number, sessions: number): Promise<{ confirmed: number }> {
  const windows = Math.min(WINDOWS, sessions);
  const runs: Run[] = [];
  // One after another, so that the worker has time for each.
  while (runs.length < windows) runs.push({ id: await beginning(), confirmed: 0 });
  const browser = await launchChromium(undefined, ['--process-per-site']);
  const look = { hasTouch: true, viewport: { width: 480, height: 480 }, reducedMotion: 'reduce' } as const;
  const profiles: BrowserContext[] = [];
  for (let at = 0; at < windows; at += WINDOWS_A_PROFILE) {
    const context = await newContext(browser, look);
    const link = await stage.http.api.signInLink({ name: 'Ada', role: 'admin' });
    await (await signedInBy(context, link)).close();
    await context.addInitScript(WATCH);
    profiles.push(context);
  }
  let [next, confirmed] = [first, 0];
  const inWindow = async (context: BrowserContext, run: Run) => {
    const page = noting(await context.newPage());
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.setBlockedURLs', { urls: ['*/icon.svg', '*/v1/touch'] });
    while (next < first + sessions) confirmed += await hurry(page, network, next++, run);
    await cancelBulkOperation(stage.harness.client, run.id, {}).catch(ignore);
  };
  try {
    await Promise.all(runs.map((run, at) => inWindow(profiles[at % profiles.length]!, run)));
  } finally {
    await browser.close();
  }
  return { confirmed };
}

/** The operation of a window, and how many of its batches were confirmed in earlier sessions. */
interface Run {
  id: string;
  confirmed: number;
}

const beginning = () => patient(() => start('hurried', { batch_size: BATCH_SIZE }));

/** Returns how many batches the session confirmed. */
async function hurry(page: Page, network: CDPSession, seed: number, run: Run): Promise<number> {
  const draw = randomOf(seed);
  const { needs_confirmation } = await patient(() => stage.harness.status(run.id));
  if (!needs_confirmation) Object.assign(run, { id: await beginning(), confirmed: 0 });
  const { id, confirmed: before } = run;
  await slowDown(network, draw() < 0.5 ? 0 : draw() * 800);
  const restarts = seed % SESSIONS_A_RESTART === 0 ? Math.floor(draw() * ACTIONS) : undefined;
  await page.goto(pageOf(id)).catch(ignore);
  for (let action = 0; action < ACTIONS; action++) await act(page, id, draw, action === restarts);
  await slowDown(network, 0);
  // What the last press began may still go on.
  const isShown = () => page.goto(pageOf(id)).then((answer) => answer?.ok(), ignore);
  while (!(await isShown())) await lookAgain();
  const seen = await page.evaluate<Record<string, number>>('batchgateShown()');
  const { processed, skipped, confirmations } = await patient(() => stage.harness.status(id));
  const confirmed = confirmations.filter(
    ({ decision, outcome }) => decision === 'continue' && outcome === 'accepted',
  );
  const times = confirmed.map(({ digest = '' }) => Number(seen[digest] ?? 0));
  expect({ seed, early: times.filter((time) => time < SETTLE_MS - LOOK_MS) }).toEqual({ seed, early: [] });
  expect(new Set(confirmed.map(({ digest }) => digest)).size).toBe(confirmed.length);
  expect(processed + skipped).toBeLessThanOrEqual(BATCH_SIZE * confirmed.length);
  run.confirmed = confirmed.length;
  return confirmed.length - before;
}

/** What is reported of a server that is away, or whose worker got no time on a busy machine. */
const AWAY = /net::ERR_|Failed to fetch|NetworkError|status of 503|answered for \S+ in time/;

/** Asks again where the worker got no time. */
async function patient<T>(ask: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof BatchgateError && error.code === 'TEMPORAL_UNAVAILABLE')) throw error;
    }
}

async function act(page: Page, id: string, draw: () => number, restarts: boolean): Promise<void> {
  const { x, y } = await buttonOf(page);
  const choice = draw();
  const count = 1 + Math.floor(draw() * 4);
  if (restarts) {
    const restarted = stage.http.restart();
    await page.mouse.click(x, y);
    await restarted;
  } else if (choice < 0.4) for (let tap = 0; tap < count; tap++) await page.mouse.click(x, y);
  else if (choice < 0.65) for (let tap = 0; tap < count; tap++) await page.touchscreen.tap(x, y);
  else if (choice < 0.75) for (let press = 0; press < count; press++) await page.keyboard.press('Enter');
  else if (choice < 0.8) await page.keyboard.press('Tab');
  else if (choice < 0.84) await tick(page, draw);
  // A page that is on its way may interrupt these, as for a person.
  else if (choice < 0.9) await page.reload({ waitUntil: 'commit' }).catch(ignore);
  else if (choice < 0.95) await page.goBack({ waitUntil: 'commit' }).catch(ignore);
  if (!page.url().includes(id)) await page.goto(pageOf(id), { waitUntil: 'commit' }).catch(ignore);
  // The time between the actions is a part of what is tried.
  const wait = draw() < 0.25 ? 2_600 : draw() * 700;
  await page.evaluate(`new Promise((resolve) => setTimeout(resolve, ${wait}))`).catch(ignore);
}

const ignore = () => undefined;

/** Where the button is, or was. */
const places = new WeakMap<Page, { x: number; y: number }>();
async function buttonOf(page: Page): Promise<{ x: number; y: number }> {
  const place = await page
    .evaluate<{ x: number; y: number } | undefined>(
      `(() => {
        const button = document.querySelector('button.go');
        if (!button) return undefined;
        button.scrollIntoView({ block: 'center' });
        const { left, top, width, height } = button.getBoundingClientRect();
        return { x: left + width / 2, y: top + height / 2 };
      })()`,
    )
    .catch(ignore);
  if (place) places.set(page, place);
  return places.get(page) ?? { x: 400, y: 350 };
}

async function tick(page: Page, draw: () => number): Promise<void> {
  const at = Math.floor(draw() * BATCH_SIZE);
  await page.evaluate(`document.querySelectorAll('.part')[${at}]?.click()`).catch(ignore);
}

async function slowDown(network: CDPSession, latency: number): Promise<void> {
  const rest = { offline: false, downloadThroughput: -1, uploadThroughput: -1 };
  await network.send('Network.emulateNetworkConditions', { ...rest, latency });
}

/**
 * Keeps how long each question was on the screen, independently of the page's own script. Nobody signs out of all
 * windows. What is stored is told to all windows of a profile, so that is done once a page.
 */
const WATCH = `(() => {
  const KEY = 'shown';
  let last;
  let here = {};
  const watch = () => {
    const now = performance.now();
    // A page on its way may have the form without its fields.
    const digest = document.querySelector('form.decide')?.elements.digest?.value;
    if (digest !== undefined && digest === last?.digest) here[digest] = (here[digest] ?? 0) + now - last.now;
    last = { digest, now };
  };
  setInterval(watch, 100);
  window.batchgateShown = () => {
    const all = JSON.parse(sessionStorage[KEY] ?? '{}');
    for (const [digest, time] of Object.entries(here)) all[digest] = (all[digest] ?? 0) + time;
    return all;
  };
  addEventListener('pagehide', () => {
    watch();
    if (Object.keys(here).length > 0) sessionStorage[KEY] = JSON.stringify(batchgateShown());
    [last, here] = [undefined, {}];
  });
  addEventListener('submit', (event) => event.target.action.endsWith('/sign-out') && event.preventDefault(), true);
})()`;

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
