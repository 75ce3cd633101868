// Posts each message of batchgate to a Slack channel. SLACK_URL is Slack's incoming webhook; HOOK_SECRET is ours.
import { nameText, post, receive, textFor } from './receiver.mjs';

const { HOOK_SECRET, SLACK_URL } = process.env;
/** A section takes 3,000 characters, counted after the escaping. */
const MAX_CHARACTERS = 3_000;
/** https://docs.slack.dev/messaging/formatting-message-text, "Escaping text" */
const escaped = (text) =>
  fitting(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));

/** The cut splits neither an escape nor a character of two units. */
function fitting(text) {
  if (text.length <= MAX_CHARACTERS) return text;
  return `${text.slice(0, MAX_CHARACTERS - 1).replace(/(&[a-z]*|[\ud800-\udbff])$/, '')}…`;
}

async function tell({ data }) {
  const { next_batch, url } = data;
  const names = (next_batch?.items ?? []).map(({ display_name }) => `• ${nameText(display_name)}`);
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
