import { z } from 'zod';
import { macroSchema, macroTurnSchema } from '../commands/macros';
import { assistantEventSchemas, assistantStatusSchema, turnViewSchema } from '../contract/assistant';
import { completionGuardResultSchema, bulkProgressContractSchema } from '../contract/progress';
import { BatchgateError, errorBodySchema } from '../contract/errors';
import {
  bulkStatusSchema,
  bulkTurnSchema,
  itemErrorSchema,
  operationEventSchema,
  itemRowSchema,
} from '../contract/operation';
import { itemProofSchema } from '../contract/item-proof';
import { reportSchema } from '../contract/report';
import { operationRowSchema } from '../contract/rows';
import { taskRunStatusSchema } from '../contract/task-run';
import { upTo } from '../contract/text';
import { problemSchema } from './problems';

/** A page of a list. */
export const listOf = <T extends z.ZodType>(row: T) =>
  z.object({
    items: z.array(row),
    next_cursor: z.string().optional().describe('The cursor of the next page; absent on the last page'),
  });

export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(100).describe('How many at most'),
  cursor: upTo(200).optional().describe('next_cursor of the page before'),
});

/** A page's cursor contains the offset of the next page. */
const cursorOf = (offset: number) => Buffer.from(`offset:${offset}`).toString('base64url');

/** @throws BatchgateError `INVALID_INPUT` for a cursor that no page returned. */
export function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [, offset] = /^offset:(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (offset !== undefined) return Number(offset);
  throw new BatchgateError(
    'INVALID_INPUT',
    'The cursor is not one that a list gave.',
    'Take `next_cursor` of the page before, or none for the first page.',
  );
}

export function pageOf<T>(items: T[], offset: number, more: boolean): { items: T[]; next_cursor?: string } {
  return { items, ...(more && items.length > 0 && { next_cursor: cursorOf(offset + items.length) }) };
}

const gateSchema = z.object({
  batch: z.number().int().optional(),
  attempt: z.number().int().optional(),
  digest: z.string().optional(),
});

const turnSchema = z.object({
  handled: z.boolean(),
  intent: z.enum(['continue', 'cancel', 'unknown', 'revise', 'edit']),
  reply: z.string(),
  asked: gateSchema.optional(),
  status: z.union([bulkStatusSchema, bulkTurnSchema]).optional(),
  macro: macroTurnSchema.optional(),
  error: errorBodySchema.optional(),
});

/** `assistant`: the number of the turn in which the assistant received the message. */
export const saidSchema = turnSchema.extend({ assistant: z.object({ turn: z.number().int() }).optional() });

/** The named schemas of the document, for which generated clients have types. */
export const registry = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries({
  AssistantCall: assistantEventSchemas.call,
  AssistantQuestion: assistantEventSchemas.question,
  AssistantStatus: assistantStatusSchema,
  AssistantText: assistantEventSchemas.text,
  AssistantTurn: turnViewSchema,
  BulkStatus: bulkStatusSchema,
  BulkTurn: bulkTurnSchema,
  BulkProgressContract: bulkProgressContractSchema,
  CompletionGuardResult: completionGuardResultSchema,
  ItemError: itemErrorSchema,
  ItemProof: itemProofSchema,
  ItemRow: itemRowSchema,
  MacroTrace: macroSchema,
  MacroTurn: macroTurnSchema,
  OperationEvent: operationEventSchema,
  OperationRow: operationRowSchema,
  Problem: problemSchema,
  Report: reportSchema,
  TaskRunStatus: taskRunStatusSchema,
  Turn: turnSchema,
})) {
  registry.add(schema as z.ZodType, { id });
}
