import { source as axe } from 'axe-core';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import type { Role } from '../../src/contract/access';
import { BatchgateError } from '../../src/contract/errors';
import type { BulkItem } from '../../src/contract/items';
import type { BulkOperationInput, Confirmation } from '../../src/contract/operation';
import { createChatModel } from '../../activities/assistant/model';
import { serveScriptedModel, type Script, type ScriptedModel } from '../../src/host/demo-model/server';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { createDiary } from './diary';
import { launchChromium, newContext, signedInBy } from './browser';
import { forgedNames } from './forged-names';
import { countingTool, gateway, manyItems, startHarness, type Harness } from './harness';
import { startHttpApi, type HttpApi } from './http-api';
import { lookAgain } from './look-again';

interface Stage {
  harness: Harness;
  http: HttpApi;
  browser: Browser;
  mails: ReturnType<typeof countingTool> & { marks: Map<string, string> };
  /** Repairs the item that fails on the tool `shaky`. */
  mend(): void;
  /** Sets whether the items of the tool `forged` have their forged names, as initially, or harmless ones. */
  forge(on: boolean): void;
  /** Lets the second item of each new batch of the tool `slow` wait for `release`. */
  hold(): void;
  release(): void;
  /** Lets the tool `busy` refuse every request until this time. */
  refuseUntil(time: string): void;
  /** Sets the answers of the assistant's model. */
  answering(script: Script): void;
  model: ScriptedModel;
}

/** The address of the Temporal UI that a server would report. */
export const TEMPORAL_UI = 'http://temporal.example/namespaces/default';

/** One worker, one server and one browser for all tests of the pages. */
export const stage = {} as Stage;

export async function openStage(): Promise<void> {
  let held = gateway();
  let [broken, forging] = [true, true];
  const marks = new Map<string, string>();
  const mails = { ...countingTool(24, { marks, itemNoun: { one: 'email', many: 'emails' } }), marks };
  const shaky = createFakeAdapter({
    toolName: 'shaky',
    items: () => manyItems(12),
    apply: (item) =>
      Promise.resolve(
        item.id === 'item-002' && broken
          ? { item_id: item.id, success: false, error: 'The mailbox is full', retryable: true }
          : undefined,
      ),
  });
  const slow = createFakeAdapter({
    toolName: 'slow',
    items: () => manyItems(6),
    apply: ({ id }) => (id === 'item-001' ? Promise.resolve() : held.opened),
  });
  const forged = createFakeAdapter({
    toolName: 'forged',
    items: () =>
      forgedNames.map((name, at): BulkItem => ({
        id: `id-${at + 1}`,
        display_name: forging ? name : `Item ${at + 1}`,
      })),
    apply: () => Promise.resolve(),
  });
  const harmless = createFakeAdapter({
    toolName: 'harmless',
    items: () => manyItems(200),
    apply: () => Promise.resolve(),
  });
  const hurried = createFakeAdapter({
    toolName: 'hurried',
    items: () => manyItems(30),
    apply: () => Promise.resolve(),
  });
  const doubtful = createFakeAdapter({
    toolName: 'doubtful',
    items: () => manyItems(5),
    apply: (item) =>
      Promise.resolve(
        item.id === 'item-002' || item.id === 'item-004'
          ? { item_id: item.id, success: false, error: 'No answer came', outcome_unknown: true }
          : undefined,
      ),
  });
  const hebrew = createFakeAdapter({
    toolName: 'hebrew',
    items: () => [{ id: 'פריט (א)', display_name: 'שלום, עולם' }],
    apply: ({ id: item_id }) => Promise.resolve({ item_id, success: false, error: 'תקלה 5' }),
  });
  let refusedUntil = '';
  const busy = createFakeAdapter({
    toolName: 'busy',
    items: () => manyItems(6),
    apply: () => Promise.resolve(),
    onCall: (method) => {
      if (method !== 'executeBatch' || Date.parse(refusedUntil) <= Date.now()) return;
      throw new BatchgateError('RATE_LIMITED', 'Too many requests', 'Later.', { until: refusedUntil });
    },
  });
  const settings = { min_batch_size: 2, max_batch_size: 200, max_total_items: 250 };
  const diary = createDiary().adapter;
  const adapters = [mails.adapter, shaky, slow, forged, harmless, hurried, doubtful, busy, hebrew, diary];
  let script: Script = () => ({ text: 'I have nothing to say.' });
  const model = await serveScriptedModel((request) => script(request));
  const chatModel = createChatModel({ baseUrl: model.url, name: 'scripted' });
  const policies = [
    {
      ...{ name: 'four eyes', when: '"requester" in given && requester == "Two"' },
      require: { approvals: 2, from: ['person:Ada', 'person:Ben'], assurance: 'session' as const },
    },
    {
      ...{ name: 'signed', when: 'has(params.mark) && params.mark == "Signed"' },
      require: { approvals: 2, assurance: 'signed' as const },
    },
  ];
  const harness = await startHarness({ adapters, settings, chatModel, policies });
  const http = await startHttpApi(harness, { temporalUi: TEMPORAL_UI, hasModel: true });
  Object.assign(stage, { harness, http, mails, model });
  Object.assign(stage, {
    mend: () => void (broken = false),
    forge: (on: boolean) => void (forging = on),
    hold: () => void (held = gateway()),
    release: () => held.open(),
    refuseUntil: (time: string) => void (refusedUntil = time),
    answering: (next: Script) => void (script = next),
  });
  stage.browser = await launchChromium();
}

export async function closeStage(): Promise<void> {
  await stage.browser?.close();
  await stage.http?.close();
  await stage.harness?.close();
  await stage.model?.close();
}

export async function closeWindows(): Promise<void> {
  await Promise.all(stage.browser.contexts().map((context) => context.close()));
}

/** Opens a window of a signed-in person. An error in the browser counts as a failure of the server. */
export async function signedIn(
  name = 'Ada',
  { role = 'admin', ...options }: BrowserContextOptions & { role?: Role } = {},
): Promise<Page> {
  const context = await newContext(stage.browser, { viewport: { width: 1200, height: 900 }, ...options });
  return noting(await signedInBy(context, await stage.http.api.signInLink({ name, role })));
}

/** Records the errors of the browser in a window. */
export function noting(page: Page): Page {
  const { failures } = stage.http;
  page.on('pageerror', (error) => failures.push(error));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status (of )?4\d\d/.test(message.text()))
      failures.push(message.text());
  });
  return page;
}

export const pageOf = (operationId: string): string => `${stage.http.url}/operations/${operationId}`;

export async function start(domain = 'fake', input: Partial<BulkOperationInput> = {}): Promise<string> {
  return (await stage.harness.start({ domain, requested_by: 'Grace', ...input })).operation_id;
}

export async function acceptedOf(operationId: string): Promise<Confirmation[]> {
  const { confirmations } = await stage.harness.status(operationId);
  return confirmations.filter(({ outcome }) => outcome === 'accepted');
}

/** Confirms the remaining batches, one by one, as a backend. */
export async function confirmAll(id: string): Promise<void> {
  const { harness, http } = stage;
  for (let turn = await harness.status(id); turn.next_batch; turn = await harness.status(id)) {
    const { number: batch, attempt, digest } = turn.next_batch;
    await http.done('POST', `/v1/operations/${id}/continue`, {
      body: { batch, attempt, digest, by: 'Grace' },
    });
  }
}

/** Expects that a reload of a form's result page reads the page again without sending the form. */
export async function expectReloadSendsNothing(page: Page, text: string): Promise<void> {
  await page.getByText(text).first().waitFor();
  const sent: string[] = [];
  const note = (request: Request) => sent.push(`${request.method()} ${request.url()}`);
  page.on('request', note);
  await page.reload();
  page.off('request', note);
  await page.getByText(text).first().waitFor();
  expect(sent).toContain(`GET ${page.url()}`);
  expect(sent.filter((one) => !one.startsWith('GET '))).toEqual([]);
}

/** Reloads a page until it shows a text, because without JavaScript a page does not change. */
export async function lookUntil(page: Page, text: string): Promise<void> {
  while ((await page.getByText(text).count()) === 0) {
    await lookAgain();
    await page.reload().catch(unlessOnItsWay);
  }
}

/** Ignores the error of a reload during which the page that a press requested arrives. */
function unlessOnItsWay(error: unknown): void {
  if (!String(error).includes('net::ERR_ABORTED')) throw error;
}

/** Waits until the button of a new question accepts presses. */
export async function settled(page: Page): Promise<void> {
  await page.locator('button.go:enabled').waitFor();
  await page.evaluate(
    `Promise.all(document.querySelector('button.go').getAnimations().map(({ finished }) => finished))`,
  );
}

/** The description of why the question's button accepts no press; empty if it accepts one. */
export const whyOff = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => {
    const ids = document.querySelector('button.go').getAttribute('aria-describedby').split(' ');
    return ids.map((id) => document.getElementById(id).innerText).join(' ').trim();
  })()`);

/** The problems that axe reports for a page in its current state, by its default rules or by these. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('Boolean(window.axe)'))) await page.evaluate(axe);
  const options = {
    resultTypes: ['violations'],
    ...(rules && { runOnly: { type: 'rule', values: rules } }),
  };
  return page.evaluate<string[]>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`,
  );
}
