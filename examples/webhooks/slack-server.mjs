// Posts each message of batchgate to a Slack channel. SLACK_URL is Slack's incoming webhook; HOOK_SECRET is ours.
import { post, receive, textFor } from './receiver.mjs';

const { HOOK_SECRET, SLACK_URL } = process.env;
/** https://docs.slack.dev/messaging/formatting-message-text, "Escaping text"; a section takes 3,000 characters. */
const escaped = (text) =>
  text.slice(0, 2_500).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

async function tell({ data }) {
  const { next_batch, url } = data;
  const names = (next_batch?.items ?? []).map(({ display_name }) => `• ${display_name}`);
  const section = (text) => ({ type: 'section', text: { type: 'mrkdwn', text: escaped(text) } });
  const button = { type: 'button', text: { type: 'plain_text', text: 'Decide' }, url };
  await post(SLACK_URL, {
    text: escaped(textFor(data)),
    blocks: [
      section(textFor(data)),
      ...(names.length > 0 ? [section(names.join('\n'))] : []),
      ...(url ? [{ type: 'actions', elements: [button] }] : []),
    ],
  });
}

receive({ port: Number(process.argv[2]), secret: HOOK_SECRET, handle: tell });
