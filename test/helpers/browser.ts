import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { installed } from './debian-package';
import { withLockedPrograms } from './npm-programs';

/** Chromium without desktop windows, which cost more than most pages do. */
const CHROMIUM = '/usr/bin/chromium-headless-shell';
const FIREFOX = '/usr/bin/firefox-esr';
/** Options that keep it from sending requests of its own. */
const QUIET = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** Launches Debian's Chromium, and installs it if it is missing. */
export function launchChromium(executablePath = CHROMIUM, args: string[] = []): Promise<Browser> {
  if (executablePath === CHROMIUM) installed(executablePath, 'chromium-headless-shell');
  return chromium.launch({ executablePath, args: [...QUIET, ...args] });
}

/**
 * The maximum time of a page for any step. Milliseconds. A browser's own limit is 30 s; on a busy machine it may get no
 * CPU for longer.
 */
export const PAGE_LIMIT_MS = 150_000;

export async function newContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PAGE_LIMIT_MS);
  return context;
}

/** Signs in by a link and the button of its page. */
export async function signInWith(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${new URL(link).origin}/`);
}

/** Signs in by a link, without its page. */
export async function signedInBy(context: BrowserContext, link: string): Promise<Page> {
  const { origin, searchParams } = new URL(link);
  const form = { token: searchParams.get('token') ?? '' };
  const answer = await context.request.post(`${origin}/sign-in`, {
    form,
    headers: { origin },
    maxRedirects: 0,
  });
  if (answer.status() !== 303) throw new Error(`${link} signs nobody in: ${answer.status()}`);
  return context.newPage();
}

/** The part of Puppeteer that the tests use. It is installed only when they run. */
interface Puppeteer {
  launch(options: { browser: 'firefox'; executablePath: string }): Promise<FirefoxBrowser>;
}
export interface FirefoxBrowser {
  createBrowserContext(): Promise<{ newPage(): Promise<FirefoxPage>; close(): Promise<void> }>;
  close(): Promise<void>;
}
export interface FirefoxPage {
  setDefaultTimeout(milliseconds: number): void;
  goto(url: string): Promise<unknown>;
  locator(selector: string): { click(): Promise<void>; wait(): Promise<unknown> };
  waitForSelector(selector: string, options?: { hidden?: boolean; timeout?: number }): Promise<unknown>;
  evaluate(script: string): Promise<unknown>;
  setRequestInterception(intercept: boolean): Promise<void>;
  on(event: 'request', listener: (request: FirefoxRequest) => void): unknown;
}
interface FirefoxRequest {
  url(): string;
  abort(): Promise<void>;
  continue(): Promise<void>;
}

/**
 * Launches Debian's Firefox, driven by Puppeteer: Playwright needs a patched Firefox, and its channel for an unpatched
 * one (`moz-firefox`) needs a version newer than the ESR.
 */
export async function launchFirefox(): Promise<FirefoxBrowser> {
  installed(FIREFOX, 'firefox-esr');
  const folder = await withLockedPrograms('firefox');
  const puppeteer = createRequire(join(folder, 'none.js'))('puppeteer-core') as Puppeteer;
  return puppeteer.launch({ browser: 'firefox', executablePath: FIREFOX });
}

/** Waits for a text on a page. The error for a page without it contains the page's text. */
export async function shows(page: Page, text: string): Promise<void> {
  try {
    await page.getByText(text).first().waitFor();
  } catch (error) {
    const instead = await page.locator('body').innerText();
    throw new Error(`${page.url()} does not show “${text}”, but:\n${instead}`, { cause: error });
  }
}
