import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { launch, type Browser as FirefoxBrowser } from 'puppeteer-core';
import { installed } from './debian-package';

const CHROMIUM = '/usr/bin/chromium';
const FIREFOX = '/usr/bin/firefox-esr';
/** It sends no requests of its own. */
const QUIET = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** Debian's Chromium, installed when it is missing. */
export function launchChromium(executablePath = CHROMIUM): Promise<Browser> {
  if (executablePath === CHROMIUM) installed(executablePath, 'chromium');
  return chromium.launch({ executablePath, args: QUIET });
}

/**
 * How long a page may take for anything. A browser's own limit is 30 s, and on a busy machine it may get no time for
 * longer. Milliseconds.
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

/** Debian's Firefox, which Playwright cannot drive: it needs a patched one. */
export function launchFirefox(): Promise<FirefoxBrowser> {
  installed(FIREFOX, 'firefox-esr');
  return launch({ browser: 'firefox', executablePath: FIREFOX });
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
