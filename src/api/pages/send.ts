import type { FastifyReply } from 'fastify';
import type { Html } from './html';

export async function sendPage(reply: FastifyReply, page: Html): Promise<never> {
  return reply.type('text/html; charset=utf-8').send(String(await page)) as never;
}
