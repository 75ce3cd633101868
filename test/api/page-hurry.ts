import { setTimeout as pause } from 'node:timers/promises';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { cancelBulkOperation } from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import type { Confirmation } from '../../src/contract/operation';
import { SETTLE_MS } from '../../src/core/approval/selection';
import { isClosed } from '../../src/core/bulk/transitions';
import { launchChromium, newContext, signedInBy } from '../helpers/browser';
import { BESIDE_THE_PAGE, type Press } from '../helpers/hurried-presses';
import { lookAgain } from '../helpers/look-again';
import { noting, pageOf, stage, start } from '../helpers/page-stage';
import { seeded } from '../helpers/seeded';

/** By how much the page and what watches it may see a question at different times. Milliseconds. */
const LOOK_MS = 250;
const ACTIONS = 14;
/** The sessions of a person share an operation of many such batches. */
const BATCH_SIZE = 2;
/**
 * People side by side, whose waits do not add up. Each has a browser profile: the windows of one share a stream, which
 * each load of a page opens again for all of them.
 */
const PEOPLE = 12;
/** A session takes 20 seconds on average. */
const SESSION_MS = 300_000;
/** Much longer than an input takes on a busy machine. */
const ACKNOWLEDGED_MS = 20_000;
/** How many sessions there are for one restart of the server, which everybody notices. */
const SESSIONS_A_RESTART = 20;

/**
 * Somebody who clicks, taps, presses keys, goes back and forward, reloads and changes between two windows at random, also
 * on a slow network, without one, and while the server restarts: a batch runs only for a question that was on the screen
 * for two seconds before the press, and one batch for each.
 */
export function hurryTests(sessions: number): void {
  describe('somebody in a hurry', () => {
    it(
      `runs at most one batch for each question that was on the screen for two seconds, in ${sessions} sessions`,
      async () => {
        const first = Number(process.env['BATCHGATE_HURRY_SEED'] ?? Math.floor(Math.random() * 1e9));
        console.log(`BATCHGATE_HURRY_SEED=${first}`);
        const began = performance.now();
        const { confirmed, findings } = await hurryAll(first, sessions);
        const seconds = Math.round((performance.now() - began) / 1_000);
        console.log(`${sessions} hurried sessions in ${seconds} s; ${confirmed} batches were confirmed`);
        const complaints = stage.http.failures.splice(0).map(String);
        expect(findings).toEqual([]);
        expect(complaints.filter((one) => !AWAY.test(one))).toEqual([]);
      },
      120_000 + 5_000 * sessions,
    );
  });
}

/** What is reported of a server that is away, or whose worker got no time on a busy machine. */
const AWAY = /net::ERR_|Failed to fetch|NetworkError|status of 503|answered for \S+ in time/;

/** Somebody's windows, and the operation that they show. */
interface Person {
  context: BrowserContext;
  /** The first one is in front. */
  windows: Window[];
  id: string;
  seed: number;
  latency: number;
  doing: string;
}

interface Window {
  page: Page;
  network: CDPSession;
  /** Where the button is, or was. */
  at: { x: number; y: number };
}

interface Results {
  confirmed: number;
  findings: { seed: number; wrong: unknown }[];
}

async function hurryAll(first: number, sessions: number): Promise<Results> {
  const browser = await launchChromium(undefined, ['--process-per-site']);
  const results: Results = { confirmed: 0, findings: [] };
  let next = first;
  const inTurn = async (person: Person) => {
    while (next < first + sessions) {
      person.seed = next++;
      try {
        await inTime(person, async () => {
          await hurry(person);
          if (await isOver(person, results)) person.id = await beginning();
        });
      } catch (error) {
        note(results, person, error);
      }
    }
    await cancelBulkOperation(stage.harness.client, person.id).catch(ignore);
    await isOver(person, results);
  };
  try {
    const people: Person[] = [];
    // One after another, so that the worker has time for each.
    while (people.length < Math.min(PEOPLE, sessions)) people.push(await arrive(browser));
    await Promise.all(people.map(inTurn));
  } finally {
    await browser.close();
  }
  return results;
}

/** A session that stands still is reported with what it waits for; its person begins no other. */
async function inTime(person: Person, session: () => Promise<void>): Promise<void> {
  const waiting = new AbortController();
  const late = pause(SESSION_MS, undefined, { signal: waiting.signal }).then(
    () => Promise.reject(new Error(`stood still while it waited for: ${person.doing}`)),
    ignore,
  );
  await Promise.race([session(), late]).finally(() => waiting.abort());
}

const note = ({ findings }: Results, { seed }: Person, wrong: unknown) =>
  void findings.push({ seed, wrong: wrong instanceof Error ? wrong.stack : wrong });

async function arrive(browser: Awaited<ReturnType<typeof launchChromium>>): Promise<Person> {
  const look = { hasTouch: true, viewport: { width: 360, height: 360 }, reducedMotion: 'reduce' } as const;
  const context = await newContext(browser, look);
  const link = await stage.http.api.signInLink({ name: 'Ada', role: 'admin' });
  await (await signedInBy(context, link)).close();
  await context.addInitScript(BESIDE_THE_PAGE);
  const person: Person = { context, windows: [], id: await beginning(), seed: 0, latency: 0, doing: '' };
  await open(person);
  return person;
}

const beginning = () => patient(() => start('hurried', { batch_size: BATCH_SIZE }));

/** Opens a window in front of the others. */
async function open(person: Person): Promise<void> {
  const page = noting(await person.context.newPage());
  const network = await person.context.newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Network.setBlockedURLs', { urls: ['*/icon.svg', '*/v1/touch'] });
  const window = { page, network, at: { x: 180, y: 300 } };
  person.windows.unshift(window);
  await setNetwork(window, person.latency);
}

/** One session, which its seed determines. */
async function hurry(person: Person): Promise<void> {
  const draw = seeded(person.seed);
  const doing = (what: string) => (person.doing = what);
  person.latency = draw() < 0.5 ? 0 : draw() * 800;
  const restarts = person.seed % SESSIONS_A_RESTART === 0 ? Math.floor(draw() * ACTIONS) : undefined;
  doing('closing windows');
  for (const { page } of person.windows.splice(1)) await page.close();
  doing('the first page');
  await setNetwork(front(person), person.latency);
  await front(person).page.goto(pageOf(person.id)).catch(ignore);
  await pauseIn(front(person), 0);
  for (let action = 0; action < ACTIONS; action++) {
    const [choice, times] = [draw(), 1 + Math.floor(draw() * 4)];
    const act = action === restarts ? duringRestart : actAt(choice);
    doing(`action ${action}, ${act === duringRestart ? 'a restart' : choice}`);
    await act(person, times);
    doing(`the own page after ${person.doing}`);
    await stay(person);
    // The time between the actions is a part of what is tried.
    doing(`a pause after ${person.doing}`);
    await pauseIn(front(person), draw() < 0.25 ? 2_600 : draw() * 700);
  }
  doing('the status');
}

const front = ({ windows }: Person): Window => windows[0]!;

type Act = (person: Person, times: number) => Promise<unknown>;

const repeated =
  (act: (window: Window) => Promise<void>): Act =>
  async (person, times) => {
    for (let time = 0; time < times; time++) await acknowledged(front(person), act);
  };

/** Chromium sometimes never acknowledges what is sent to a page that goes away. The next page has to answer. */
async function acknowledged(window: Window, act: (window: Window) => Promise<unknown>): Promise<void> {
  const given = new AbortController();
  const over = () => pause(ACKNOWLEDGED_MS, 'over' as const, { signal: given.signal });
  try {
    if ((await Promise.race([act(window), over()])) !== 'over') return;
    if ((await Promise.race([window.page.evaluate('1').catch(ignore), over()])) === 'over')
      throw new Error('the page does not answer');
  } finally {
    given.abort();
  }
}

/** A page that is on its way may interrupt these, as for a person. */
const moves =
  (move: (page: Page, how: { waitUntil: 'commit' }) => Promise<unknown>): Act =>
  (person) =>
    move(front(person).page, { waitUntil: 'commit' }).catch(ignore);

const ACTS: readonly [share: number, act: Act][] = [
  [0.33, repeated(({ page, at }) => page.mouse.click(at.x, at.y))],
  [0.2, repeated(({ page, at }) => page.touchscreen.tap(at.x, at.y))],
  [0.04, (person) => front(person).page.mouse.dblclick(front(person).at.x, front(person).at.y)],
  [0.08, repeated(({ page }) => page.keyboard.press('Enter'))],
  [0.05, repeated(({ page }) => page.keyboard.press('Space'))],
  [0.05, (person) => front(person).page.keyboard.press('Tab')],
  [0.04, tick],
  [0.05, moves((page, how) => page.reload(how))],
  [0.04, moves((page, how) => page.goBack(how))],
  [0.03, moves((page, how) => page.goForward(how))],
  [0.03, withoutNetwork],
  [0.03, inOtherWindow],
  [0.03, () => Promise.resolve()],
];

/** By a number from 0 to 1. */
function actAt(choice: number): Act {
  let left = choice;
  return (ACTS.find(([share]) => (left -= share) < 0) ?? ACTS[0]!)[1];
}

/** Ticks an item off, or on again. */
async function tick(person: Person, times: number): Promise<void> {
  const at = times % BATCH_SIZE;
  await front(person).page.evaluate(`document.querySelectorAll('.part')[${at}]?.click()`).catch(ignore);
}

async function withoutNetwork(person: Person, times: number): Promise<void> {
  const window = front(person);
  await setNetwork(window, 0, true);
  await window.page.mouse.click(window.at.x, window.at.y);
  await pauseIn(window, times * 300);
  await setNetwork(window, person.latency);
}

async function inOtherWindow(person: Person): Promise<void> {
  if (person.windows.length === 1) await open(person);
  else person.windows.reverse();
}

let restarting = Promise.resolve();
/** Presses while the server is away, or about to be. */
async function duringRestart(person: Person): Promise<void> {
  const { page, at } = front(person);
  restarting = restarting.then(() => stage.http.restart());
  await page.mouse.click(at.x, at.y);
  await restarting;
}

/** A press may have led to another page. */
async function stay(person: Person): Promise<void> {
  const { page } = front(person);
  const own = pageOf(person.id);
  if (![own, `${own}/continue`].includes(page.url().split(/[?#]/)[0] ?? ''))
    await page.goto(own, { waitUntil: 'commit' }).catch(ignore);
}

const ignore = () => undefined;

/** Waits, then looks for the button. Ends early when another page comes, so that the next press hits what that one asks. */
async function pauseIn(window: Window, ms: number): Promise<void> {
  for (const wait of [ms, 0]) {
    const seen = await window.page
      .evaluate<Partial<Pick<Window, 'at'>>>(`${FIND_BUTTON}(${wait})`)
      .catch(ignore);
    window.at = seen?.at ?? window.at;
    if (seen) return;
  }
}

const FIND_BUTTON = `(async (wait) => {
  await new Promise((resolve) => setTimeout(resolve, wait));
  const button = document.querySelector('button.go');
  if (!button) return {};
  button.scrollIntoView({ block: 'center' });
  const { left, top, width, height } = button.getBoundingClientRect();
  return { at: { x: left + width / 2, y: top + height / 2 } };
})`;

async function setNetwork({ network }: Window, latency: number, offline = false): Promise<void> {
  const rest = { downloadThroughput: -1, uploadThroughput: -1 };
  await network.send('Network.emulateNetworkConditions', { ...rest, latency, offline });
}

/**
 * Compares the record of the person's operation with what they pressed. Returns whether they are done with it. What the
 * last press began may still go on: the next session looks at it again.
 */
async function isOver(person: Person, results: Results): Promise<boolean> {
  const { state, confirmations, processed, skipped } = await patient(() => stage.harness.status(person.id));
  const confirmed = confirmations.filter(
    ({ decision, outcome }) => decision === 'continue' && outcome === 'accepted',
  );
  person.doing = 'what was pressed';
  const presses = await pressesOf(person);
  const isMeant =
    ({ digest, at }: Confirmation) =>
    (press: Press) =>
      press.digest === digest && press.at <= Date.parse(at) && press.seen_ms >= SETTLE_MS - LOOK_MS;
  const early = confirmed.filter((one) => !presses.some(isMeant(one)));
  const twice = confirmed.length - new Set(confirmed.map(({ digest }) => digest)).size;
  const unasked = processed + skipped - BATCH_SIZE * confirmed.length;
  const isWrong = early.length > 0 || twice > 0 || unasked > 0;
  if (isWrong) note(results, person, { operation: person.id, early, twice, unasked, presses });
  const over = isWrong || isClosed(state);
  if (over) results.confirmed += confirmed.length;
  return over;
}

/** What the person sent, in all windows. A browser's own page about an error has none of it. */
async function pressesOf(person: Person): Promise<Press[]> {
  const { page } = front(person);
  for (;;) {
    let kept: string | undefined;
    await acknowledged(front(person), async () => {
      kept = await page.evaluate<string>(`localStorage.presses ?? '[]'`).catch(ignore);
    }).catch(ignore);
    if (kept !== undefined) return JSON.parse(kept) as Press[];
    await page.goto(pageOf(person.id)).catch(ignore);
    await lookAgain();
  }
}

/** Asks again where the worker got no time. */
async function patient<T>(ask: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof BatchgateError && error.code === 'TEMPORAL_UNAVAILABLE')) throw error;
    }
}
