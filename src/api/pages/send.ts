import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Html } from './html';

export async function sendPage(reply: FastifyReply, page: Html): Promise<never> {
  return reply.type('text/html; charset=utf-8').send(String(await page)) as never;
}

/** Whether the sender is a browser that asks for a page, not for an answer of the API. */
export const wantsPage = ({ url, headers: { accept } }: FastifyRequest): boolean =>
  /\btext\/html\b/i.test(accept ?? '') &&
  !/^\/(v1|mcp|openapi\.json|metrics|livez|readyz|\.well-known)\b/.test(url);
