import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const runtimeSchema = z.object({ url: z.string() });
const labelsSchema = z.object({ labels: z.array(z.object({ id: z.string(), name: z.string() })) });
const listSchema = z.object({ messages: z.array(z.object({ id: z.string() })).default([]) });

/** Reads the local mailbox through its own HTTP interface, without the adapter. */
export class MailboxReader {
  private constructor(private readonly url: string) {}

  /** The mailbox process of a data folder. */
  static async of(dataDir: string): Promise<MailboxReader> {
    const { url } = runtimeSchema.parse(JSON.parse(await readFile(join(dataDir, 'mailbox.json'), 'utf8')));
    return new MailboxReader(url);
  }

  async labels(): Promise<{ id: string; name: string }[]> {
    return labelsSchema.parse(await this.get('labels')).labels;
  }

  async withLabel(name: string): Promise<string[]> {
    const label = (await this.labels()).find((one) => one.name === name);
    if (!label) return [];
    const list = listSchema.parse(await this.get(`messages?maxResults=500&labelIds=${label.id}`));
    return list.messages.map(({ id }) => id).sort();
  }

  async countWithLabel(name: string): Promise<number> {
    return (await this.withLabel(name)).length;
  }

  /** Every label, with the emails that have it. */
  async state(): Promise<Record<string, string[]>> {
    const labels = await this.labels();
    return Object.fromEntries(
      await Promise.all(labels.map(async ({ name }) => [name, await this.withLabel(name)] as const)),
    );
  }

  private async get(path: string): Promise<unknown> {
    const answer = await fetch(`${this.url}/gmail/v1/users/me/${path}`, {
      headers: { authorization: 'Bearer reader' },
    });
    if (!answer.ok) throw new Error(`the mailbox answered ${answer.status}`);
    return answer.json();
  }
}
