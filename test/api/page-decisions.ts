import { continueBulkOperation } from '../../src/client';
import { describeInLongRun, itInLongRun, itInMain } from '../helpers/long-run';
import { acceptedOf, lookUntil, pageOf, settled, signedIn, stage, start } from '../helpers/page-stage';

export function decisionTests(): void {
  describe('the question', () => {
    itInMain(
      'runs exactly what it shows after items were excluded, and records who confirmed it',
      async () => {
        const id = await start('fake', { params: { group: 'all', mark: 'Later' } });
        const page = await signedIn('Ada');
        await page.goto(pageOf(id));
        const question = page.getByRole('region', {
          name: 'Mark each item of the group “all” with “Later”.',
        });
        await question.getByText('Can be undone.').waitFor();
        expect(await question.getByText(/asked for by/).count()).toBe(0);
        await page.getByText('asked for by Grace').waitFor();
        expect(await question.getByRole('checkbox').count()).toBe(10);
        // Identical changes are one line.
        expect(await question.getByText('mark none → “Later”').count()).toBe(1);
        const before = await page.locator('input[name=shown]').inputValue();
        await page.getByRole('checkbox', { name: 'Run item 3: Item 3' }).uncheck();
        await page.getByText('The question changed.').waitFor();
        expect(await page.locator('input[name=shown]').inputValue()).not.toBe(before);
        await page.getByLabel('Why? Optional').fill('from my boss');
        await page.getByRole('button', { name: 'Continue with 9 items' }).click();
        await page.getByText('Batch 2 of 3').waitFor();
        await page.getByText('Ada confirmed batch 1').first().waitFor();
        const status = await stage.harness.status(id);
        expect([status.succeeded, status.skipped, status.remaining]).toEqual([9, 1, 14]);
        expect(status.confirmations).toMatchObject([
          { by: 'Ada', assurance: 'session', outcome: 'accepted', digest: before },
        ]);
        expect(stage.mails.touched.has('item-003')).toBe(false);
      },
    );

    itInLongRun(
      'does not change while somebody presses, accepts the click, and then shows the newer state',
      async () => {
        const id = await start('fake');
        const page = await signedIn('Ada');
        await page.goto(pageOf(id));
        const readAgain = () =>
          page.evaluate(
            `new Promise((resolve) => {
            document.addEventListener('htmx:after:request', () => setTimeout(resolve, 100), { once: true });
            htmx.trigger('#live', 'again');
          })`,
          );
        await settled(page);
        await page.getByRole('button', { name: 'Continue with 10 items' }).hover();
        await page.mouse.down();
        await readAgain();
        await page.mouse.up();
        await page.getByText('Batch 2 of 3').waitFor();
        expect(await acceptedOf(id)).toMatchObject([{ by: 'Ada', batch: 1 }]);
        await page.getByRole('heading', { level: 1 }).hover();
        await page.mouse.down();
        await continueBulkOperation(stage.harness.client, id, { batch: 2 });
        await readAgain();
        expect(await page.getByText('Batch 2 of 3').count()).toBe(1);
        await page.mouse.up();
        await page.getByText('Batch 3 of 3').waitFor();
        stage.mails.marks.clear();
      },
    );

    itInLongRun('reads again what it could not read, and shows nothing of the refusal', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada');
      // What a worker requests cannot be refused here.
      await page.addInitScript('delete window.SharedWorker');
      const own = new URL(pageOf(id)).pathname;
      const isRead = ({ pathname, search }: URL) =>
        pathname === '/events' || (pathname === own && search !== '');
      const refused = new Set<string>();
      await page.route(isRead, (route) => {
        const { pathname } = new URL(route.request().url());
        if (refused.has(pathname)) return route.continue();
        refused.add(pathname);
        return route.fulfill({ status: 429, contentType: 'text/html', body: 'BUSY' });
      });
      await page.goto(pageOf(id));
      await continueBulkOperation(stage.harness.client, id, { batch: 1 });
      await page.getByText('Batch 2 of 3').waitFor();
      expect([...refused]).toEqual(['/events', own]);
      // Ticks disable the button until the changed question is there.
      refused.clear();
      await page.getByRole('checkbox', { name: 'Run item 1: Item 11' }).uncheck();
      await page.getByRole('button', { name: 'Continue with 9 items' }).click();
      await page.getByText('Batch 3 of 3').waitFor();
      expect(refused).toContain(own);
      expect(await page.getByText('BUSY').count()).toBe(0);
      stage.mails.marks.clear();
    });

    itInLongRun('gives way to the sign-in once its person has signed out in another window', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada');
      await page.goto(pageOf(id));
      const other = await page.context().newPage();
      await other.goto(stage.http.url);
      await other.getByRole('button', { name: 'Sign out' }).click();
      await other.getByText('You are signed out').waitFor();
      // Its stream ends with the session.
      await page.getByText('Please sign in').waitFor();
      expect(new URL(page.url()).pathname).toBe(new URL(pageOf(id)).pathname);
    });

    itInMain(
      'is answered without JavaScript, and asks again if the ticks differ from those of the question',
      async () => {
        const id = await start('shaky', { params: { group: 'plain' } });
        const page = await signedIn('Ada', { javaScriptEnabled: false });
        await page.goto(pageOf(id));
        await page.getByRole('checkbox').first().uncheck();
        await page.getByRole('button', { name: 'Continue with 10 items' }).click();
        await page.getByText('Nothing was run by your click').waitFor();
        expect(await acceptedOf(id)).toEqual([]);
        expect(await page.getByRole('checkbox').first().isChecked()).toBe(false);
        await page.getByRole('button', { name: 'Continue with 9 items' }).click();
        await page.getByText('Ada confirmed batch 1').first().waitFor();
        await lookUntil(page, 'Batch 2 of 2');
        await page.getByText('More time…').click();
        await page.getByLabel('Let it wait longer by').selectOption({ label: '1 day' });
        await page.getByRole('button', { name: 'Let it wait longer' }).click();
        await page.getByText('Waits 1 day more').first().waitFor();
        await page.getByText('Cancel…').click();
        await page.getByLabel('Why? (optional)').fill('enough');
        await page.getByRole('button', { name: 'Cancel the operation' }).click();
        await page.getByText('Bulk mark on shaky cancelled. 9/12 items were processed').waitFor();
        expect((await stage.harness.status(id)).state).toBe('cancelled');
      },
    );

    itInLongRun('completes with a reason, and says so', async () => {
      const id = await start('fake');
      const page = await signedIn();
      await page.goto(pageOf(id));
      await page.getByText('Complete…').click();
      await page.getByLabel('Why is it complete?').fill('seen by hand');
      await page.getByRole('button', { name: 'Complete the operation' }).click();
      await page.getByText('Completed by decision with 24 item(s) missing: seen by hand.').waitFor();
    });
  });

  describeInLongRun('two windows', () => {
    it('lets one confirm a batch, replaces the buttons in the other and says who confirmed', async () => {
      stage.hold();
      const id = await start('slow');
      const [ada, bob] = [await signedIn('Ada'), await signedIn('Bob')];
      await Promise.all([ada.goto(pageOf(id)), bob.goto(pageOf(id))]);
      const button = { name: 'Continue with 6 items' };
      await bob.getByRole('button', button).waitFor();
      const streams: string[] = [];
      bob.on('request', (request) => streams.push(new URL(request.url()).pathname));
      const clicked = performance.now();
      await ada.getByRole('button', button).click();
      await bob.getByText('Ada confirmed batch 1').first().waitFor();
      console.log(`the other window followed after ${Math.round(performance.now() - clicked)} ms`);
      // Its open stream reported the change: the window requested only its own page.
      expect(new Set(streams)).toEqual(new Set([new URL(pageOf(id)).pathname]));
      expect(await bob.getByRole('button', button).count()).toBe(0);
      stage.release();
      await bob.getByText('✅ Completed!').waitFor();
      expect((await acceptedOf(id)).length).toBe(1);
    });

    it('tells a late click who decided, and runs nothing', async () => {
      const id = await start('fake');
      const [ada, bob] = [await signedIn('Ada'), await signedIn('Bob', { javaScriptEnabled: false })];
      await Promise.all([ada.goto(pageOf(id)), bob.goto(pageOf(id))]);
      const button = { name: 'Continue with 10 items' };
      await ada.getByRole('button', button).click();
      await ada.getByText('Batch 2 of 3').waitFor();
      await bob.getByRole('button', button).click();
      await bob.getByText('Nothing was run by your click').waitFor();
      await bob.getByText('Ada confirmed batch 1').first().waitFor();
      const status = await stage.harness.status(id);
      expect([status.processed, (await acceptedOf(id)).length]).toEqual([10, 1]);
      expect(status.confirmations.at(-1)).toMatchObject({ by: 'Bob', outcome: 'STALE_CONFIRMATION' });
    });
  });

  describeInLongRun('anything but a click', () => {
    it('confirms nothing: reading, prefetching, going back, reloading, and the second click of a double click', async () => {
      const id = await start('fake');
      const page = await signedIn();
      const cookies = (await page.context().cookies())
        .map(({ name, value }) => `${name}=${value}`)
        .join('; ');
      for (const method of ['GET', 'HEAD']) {
        for (const path of ['', '/continue', '/cancel', '?keep=1&decision_id=x&batch=1']) {
          const headers = { cookie: cookies, 'sec-purpose': 'prefetch', accept: 'text/html' };
          await fetch(`${pageOf(id)}${path}`, { method, headers });
        }
      }
      expect((await stage.harness.status(id)).confirmations).toEqual([]);
      await page.goto(pageOf(id));
      await page.getByRole('button', { name: 'Continue with 10 items' }).dblclick();
      await page.getByText('Batch 2 of 3').waitFor();
      await page.goBack();
      await page.reload();
      await page.getByText('Batch 2 of 3').waitFor();
      expect((await acceptedOf(id)).length).toBe(1);
      expect((await stage.harness.status(id)).processed).toBe(10);
    });

    it('refuses a form without the token of the session, or of another site', async () => {
      const id = await start('fake');
      const page = await signedIn();
      await page.goto(pageOf(id));
      const fields = await page.evaluate<string>(
        `new URLSearchParams(new FormData(document.querySelector('form.decide'))).toString()`,
      );
      const [cookie] = await page.context().cookies();
      const send = (body: string, origin: string) =>
        fetch(`${pageOf(id)}/continue`, {
          method: 'POST',
          redirect: 'manual',
          headers: {
            ...{ cookie: `${cookie?.name}=${cookie?.value}`, origin },
            'content-type': 'application/x-www-form-urlencoded',
          },
          body,
        });
      expect(
        (await send(fields.replace(/form_token=\w+/, 'form_token=made-up'), stage.http.url)).status,
      ).toBe(403);
      expect((await send(fields, 'https://evil.example')).status).toBe(403);
      // Repeated submissions of the same form, like those of an impatient person, are one decision.
      await page.getByRole('button', { name: 'Continue with 10 items' }).click({ trial: true });
      const sent = await Promise.all([1, 2, 3].map(() => send(fields, stage.http.url)));
      expect(sent.map(({ status }) => status)).toEqual([303, 303, 303]);
      // A form is answered as soon as the decision is accepted; the page then follows the batch.
      await page.getByText('Batch 2 of 3').first().waitFor();
      expect((await acceptedOf(id)).length).toBe(1);
      expect((await stage.harness.status(id)).processed).toBe(10);
    });

    it('runs one batch for a double click without JavaScript', async () => {
      const id = await start('fake');
      const page = await signedIn('Ada', { javaScriptEnabled: false });
      await page.goto(pageOf(id));
      await page.getByRole('button', { name: 'Continue with 10 items' }).dblclick();
      await page.getByText('Ada confirmed batch 1').first().waitFor();
      await page.waitForLoadState('networkidle');
      await lookUntil(page, 'Batch 2 of 3');
      const status = await stage.harness.status(id);
      expect([status.processed, (await acceptedOf(id)).length]).toEqual([10, 1]);
    });

    it('confirms nothing by a restored tab, nor by a click in the restored page', async () => {
      const id = await start('fake');
      const page = await signedIn('Bob', { javaScriptEnabled: false });
      await page.goto(pageOf(id));
      const old = await page.content();
      const { number: batch, attempt, digest } = (await stage.harness.status(id)).next_batch ?? {};
      const body = { batch, attempt, digest, by: 'Grace' };
      await stage.http.ask('POST', `/v1/operations/${id}/continue`, { body });
      await page.goto(`${stage.http.url}/`);
      await page.goBack();
      await page.getByText('Batch 2 of 3').waitFor();
      // A browser that has cached the page shows its old content.
      const tab = await page.context().newPage();
      await tab.route(pageOf(id), (route) => route.fulfill({ body: old, contentType: 'text/html' }));
      await tab.goto(pageOf(id));
      expect((await acceptedOf(id)).length).toBe(1);
      await tab.getByRole('button', { name: 'Continue with 10 items' }).click();
      await tab.getByText('Nothing was run by your click').waitFor();
      await tab.getByText('Grace confirmed batch 1').first().waitFor();
      expect([(await acceptedOf(id)).length, (await stage.harness.status(id)).processed]).toEqual([1, 10]);
    });

    it("shows a viewer the question without a way to answer it, and refuses a viewer's requests", async () => {
      const id = await start('fake');
      const page = await signedIn('Vera', { role: 'viewer' });
      await page.goto(pageOf(id));
      await page.getByText('Your role may look, and may not decide.').waitFor();
      const within = page.getByRole('main');
      expect([await within.getByRole('button').count(), await within.getByRole('checkbox').count()]).toEqual([
        0, 0,
      ]);
      const token = await page.locator('meta[name=form-token]').getAttribute('content');
      const status = await page.evaluate(
        async ([url, form_token]) =>
          (
            await fetch(url ?? '', {
              method: 'POST',
              body: new URLSearchParams({ form_token: form_token ?? '' }),
            })
          ).status,
        [`${pageOf(id)}/cancel`, token],
      );
      expect(status).toBe(403);
      expect((await stage.harness.status(id)).state).toBe('awaiting_confirmation');
    });
  });
}
