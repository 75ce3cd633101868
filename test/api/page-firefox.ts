import { launchFirefox, PAGE_LIMIT_MS, type FirefoxBrowser, type FirefoxPage } from '../helpers/browser';
import { lookAgain } from '../helpers/look-again';
import { acceptedOf, stage, start } from '../helpers/page-stage';

let firefox: FirefoxBrowser;

/** What another engine could do otherwise: streams and their worker, and the time of a button that the style keeps. */
export function firefoxTests(): void {
  describe('Firefox', () => {
    beforeAll(async () => void (firefox = await launchFirefox()));
    afterAll(() => firefox?.close());

    it('leads from the inbox to the outcome, live, and without any script of the page', async () => {
      const [id, plain] = [await question('firefox'), await question('firefox-plain')];
      await inFirefox(async (page) => {
        await page.goto(`${stage.http.url}/?session=firefox`);
        await page.locator('a.row').click();
        await page.locator('input[aria-label="Run item 3: Item 3"]').click();
        await page.locator('::-p-text(The question changed.)').wait();
        await press(page, '::-p-aria([name="Continue with 4 items of batch 1"][role="button"])');
        await shows(page, '✅ Completed!');
        await page.setRequestInterception(true);
        page.on(
          'request',
          (request) => void (/\.m?js$/.test(request.url()) ? request.abort() : request.continue()),
        );
        await page.goto(`${stage.http.url}/?session=firefox-plain`);
        await page.locator('a.row').click();
        await settled(page);
        expect(await page.evaluate(`document.documentElement.dataset.script ?? 'none'`)).toBe('none');
        await page.locator('button.go').click();
        await page.locator('::-p-text(Fiona confirmed batch 1)').wait();
      });
      const { succeeded, skipped } = await stage.harness.status(id);
      expect([succeeded, skipped]).toEqual([4, 1]);
      while ((await stage.harness.status(plain)).state !== 'completed') await lookAgain();
      const fiona = { by: 'Fiona', assurance: 'session', batch: 1 };
      for (const one of [id, plain]) expect(await acceptedOf(one)).toMatchObject([fiona]);
    });
  });
}

function question(session_id: string): Promise<string> {
  const items = Array.from({ length: 5 }, (_, at) => ({ id: `id-${at}`, display_name: `Item ${at + 1}` }));
  return start('harmless', { params: {}, items, session_id });
}

/** The button of a new question accepts no press yet; waits until it does. */
async function settled(page: FirefoxPage): Promise<void> {
  await page.waitForSelector('button.go:enabled');
  await page.evaluate(
    `Promise.all(document.querySelector('button.go').getAnimations().map(({ finished }) => finished)).then(() => true)`,
  );
}

/** A refresh may replace the button just before the press, which is then ignored; a person would press again. */
async function press(page: FirefoxPage, button: string): Promise<void> {
  do {
    await settled(page);
    await page.locator(button).click();
  } while (await page.waitForSelector('button.go', { hidden: true, timeout: 15_000 }).then(never, always));
}

const never = () => false;
const always = () => true;

/** Waits for a text. If it does not appear, the error contains the text of the page. */
async function shows(page: FirefoxPage, text: string): Promise<void> {
  try {
    await page.locator(`::-p-text(${text})`).wait();
  } catch (error) {
    const shown = await page.evaluate('document.body.innerText');
    throw new Error(`no "${text}" on the page, which shows: ${String(shown)}`, { cause: error });
  }
}

/** A window of Firefox in which Fiona is signed in. */
async function inFirefox(visit: (page: FirefoxPage) => Promise<void>): Promise<void> {
  const context = await firefox.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  await page.goto(await stage.http.api.signInLink({ name: 'Fiona', role: 'admin' }));
  await page.locator('main button').click();
  await page.waitForSelector('a[href="/"][aria-current="page"]');
  await visit(page);
  await context.close();
}
