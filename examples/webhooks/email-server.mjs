// Sends each message of batchgate as an email. SMTP_URL is smtp://HOST:PORT or smtps://USER:PASSWORD@HOST.
import { createTransport } from 'nodemailer';
import { nameText, receive, textFor } from './receiver.mjs';

const { HOOK_SECRET, SMTP_URL, MAIL_FROM, MAIL_TO } = process.env;
const transport = createTransport(SMTP_URL);

async function mail({ type, data }) {
  const { operation_id = '', next_batch, url = '' } = data;
  const names = (next_batch?.items ?? []).map(({ display_name }) => `- ${nameText(display_name)}`);
  await transport.sendMail({
    from: MAIL_FROM,
    to: MAIL_TO,
    subject: `batchgate: ${type.replaceAll('_', ' ')} (${operation_id})`,
    text: [textFor(data), ...names, url].filter((line) => line !== '').join('\n'),
    // Mail programs group what belongs to one operation.
    references: `<${encodeURIComponent(operation_id)}@batchgate>`,
  });
}

receive({ port: Number(process.argv[2]), secret: HOOK_SECRET, handle: mail });
