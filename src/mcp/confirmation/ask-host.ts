import type { InputRequests, InputRequiredResult } from '@modelcontextprotocol/server';
import type { Call } from '../context';
import { sdk } from '../sdk';
import type { ShownGate } from '../../client/shown-gates';

/** Makes the host ask its person. The host's answer is valid only for this question. */
export async function askHost(
  { context, caller, mcp }: Call,
  operationId: string,
  gate: ShownGate,
  inputRequests: InputRequests,
): Promise<InputRequiredResult> {
  const requestState = await context.seal.close(gate, operationId, caller.id, mcp);
  return sdk().inputRequired({ inputRequests, requestState });
}
