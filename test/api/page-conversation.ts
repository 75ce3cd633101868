import type { Page } from 'playwright-core';
import { getAssistant } from '../../src/client';
import { withoutClock } from '../../src/core/assistant/clock';
import { isSettled } from '../../src/core/approval/selection';
import type { Script } from '../../src/host/demo-model/server';
import { shows } from '../helpers/browser';
import { gateway } from '../helpers/harness';
import { lookAgain } from '../helpers/look-again';
import { acceptedOf, confirmAll, lookUntil, settled, signedIn, stage } from '../helpers/page-stage';

/** Starts an operation for a message that begins with `mark`, and otherwise answers in words. */
const assistant: Script = ({ messages }) => {
  const from = messages.findLastIndex(({ role }) => role === 'user');
  const said = withoutClock(messages[from]?.content ?? '');
  if (said.startsWith('[batchgate] ')) return { text: 'That one is over.' };
  if (!said.startsWith('mark')) return { text: `You said: ${said}` };
  if (messages.length === from + 1)
    return { calls: [{ tool: 'choose_tools', args: { categories: ['bulk'] } }] };
  const params = { group: 'all', mark: 'Later' };
  const args = { domain: 'fake', action: 'mark', params, batch_size: 10, reason: 'You asked me to.' };
  return { text: 'I plan to mark them.', calls: [{ tool: 'start_bulk_operation', args }] };
};

const say = async (page: Page, text: string) => {
  await page.getByLabel('Your message').fill(text);
  await page.getByRole('button', { name: 'Send the message' }).click();
};

const operationOf = async (session: string): Promise<string> => {
  const { turns } = await getAssistant(stage.harness.client, session);
  return turns.flatMap(({ operations }) => operations).at(-1) ?? '';
};

/** Starts a session, and waits until its assistant has started an operation. */
export async function waitingConversation(session = 'axe-talk'): Promise<string> {
  stage.answering(assistant);
  const body = { text: 'mark all of them', assistant: true };
  await stage.http.ask('POST', `/v1/sessions/${session}/messages`, { body });
  while ((await operationOf(session)) === '') await lookAgain();
  return session;
}

export function conversationTests(): void {
  describe('a conversation', () => {
    it('shows the answer while it is written, stops a turn, and confirms by the form of the question', async () => {
      const held = gateway();
      stage.answering(() => ({ text: 'Once upon a time', until: held.opened }));
      const page = await signedIn('Mina');
      await page.goto(stage.http.url);
      await page.getByRole('link', { name: 'Talk to the assistant' }).click();
      await page.getByText('Your message').waitFor();
      const session = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');
      await say(page, 'tell me a story');
      await page.getByText('Once upon a time').waitFor();
      // The text appears before the turn has ended.
      expect((await getAssistant(stage.harness.client, session)).state).toBe('working');
      await page.getByRole('button', { name: 'Stop this turn' }).click();
      await page.getByText('Stopped.').waitFor();
      held.open();
      stage.answering(assistant);
      await say(page, 'mark all of them');
      await page.getByText('I plan to mark them.').waitFor();
      // The question appears without a reload, and the page keeps the draft of a message.
      await page.getByLabel('Your message').fill('a draft');
      await page.getByRole('button', { name: 'Continue with 10 items' }).waitFor();
      expect(await page.getByLabel('Your message').inputValue()).toBe('a draft');
      await settled(page);
      await page.getByRole('button', { name: 'Continue with 10 items' }).click();
      await shows(page, 'Batch 2 of 3');
      expect(new URL(page.url()).pathname).toBe(`/sessions/${session}`);
      const id = await operationOf(session);
      expect(await acceptedOf(id)).toMatchObject([{ by: 'Mina', batch: 1, assurance: 'session' }]);
      // Somebody else confirms the rest, and the page shows the outcome without a reload.
      await confirmAll(id);
      await page.getByText('✅ Completed! Processed 24/24 items.').first().waitFor();
      await page.getByText('That one is over.').waitFor();
      expect(await page.getByRole('button', { name: /^Continue/ }).count()).toBe(0);
    });

    it('shows a proposed macro, and accepts its answer', async () => {
      const macro = { name: 'counting', steps: [{ type: 'set', variable: 'n', expression: '1 + 1' }] };
      stage.answering(({ messages }) => {
        const from = messages.findLastIndex(({ role }) => role === 'user');
        if (messages[from]?.content?.startsWith('[batchgate] ')) return { text: 'It has counted.' };
        const [tool, args] =
          messages.length === from + 1
            ? ['choose_tools', { categories: ['macros'] }]
            : ['propose_macro', { macro }];
        return { calls: [{ tool: tool, args: args }] };
      });
      const page = await signedIn('Mina');
      await page.goto(`${stage.http.url}/sessions/proposal`);
      await say(page, 'count');
      await page.getByText('The assistant proposes to run the macro “counting”.').waitFor();
      await page.getByRole('link', { name: /A macro asks you/ }).waitFor();
      // A faster answer would not count as an answer to this question, and reading the page again changes nothing.
      const since = () => page.locator('[name=shown_at]').first().inputValue();
      const shownAt = parseInt(await since());
      await page.evaluate(
        `new Promise((resolve) => {
          document.addEventListener('htmx:after:swap', resolve, { once: true });
          htmx.trigger('#live', 'again');
        })`,
      );
      expect(parseInt(await since())).toBe(shownAt);
      while (!isSettled(shownAt, Date.now())) await lookAgain();
      await say(page, 'run');
      await shows(page, 'Answered question 1 of proposal-counting.');
      await page.getByText('It has counted.').waitFor();
    });

    it('works without JavaScript, and a typed answer confirms only the question that was shown', async () => {
      stage.answering(assistant);
      const page = await signedIn('Mina', { javaScriptEnabled: false });
      const own = `${stage.http.url}/sessions/plain`;
      await page.goto(own);
      await say(page, 'mark all of them');
      await lookUntil(page, 'Batch 1 of 3');
      const late = await page.context().newPage();
      await late.goto(own);
      const id = await operationOf('plain');
      await say(page, 'how many are left?');
      await page.getByText('24 of 24 items are left, in 3 batches.').waitFor();
      expect(await acceptedOf(id)).toEqual([]);
      await settled(page);
      await say(page, 'continue');
      await page.getByText('Batch 2 of 3').waitFor();
      expect(await acceptedOf(id)).toMatchObject([{ by: 'Mina', batch: 1, assurance: 'session' }]);
      // This window still shows the first question.
      await say(late, 'continue');
      await late.getByText('This confirmation is not for the open question').waitFor();
      expect((await acceptedOf(id)).length).toBe(1);
      await page.goto(own);
      await page.getByRole('link', { name: 'Leave items out' }).click();
      await page.getByRole('checkbox').first().waitFor();
      await page.goto(own);
      await settled(page);
      await say(page, 'cancel');
      await page.getByText('Bulk mark on fake cancelled.').first().waitFor();
      await page.getByText('Dismiss…').click();
      await page.getByRole('button', { name: 'Dismiss the assistant' }).click();
      await lookUntil(page, 'Dismissed');
      expect((await getAssistant(stage.harness.client, 'plain')).state).toBe('cancelled');
    });

    it('is read-only for a viewer, and is listed in the inbox', async () => {
      const session = await waitingConversation('read');
      const page = await signedIn('Vic', { role: 'viewer' });
      await page.goto(`${stage.http.url}/?session=${session}`);
      expect(await page.getByRole('link', { name: 'Talk to the assistant' }).count()).toBe(0);
      await page.getByRole('link', { name: /Conversation read/ }).click();
      await page.getByText('I plan to mark them.').waitFor();
      await page.getByText('Your role may look, and may not talk to the assistant.').waitFor();
      expect(await page.getByRole('button', { name: /^(Continue|Send|Stop|Dismiss)/ }).count()).toBe(0);
      await stage.http.ask('POST', `/v1/operations/${await operationOf(session)}/cancel`);
    });
  });
}
