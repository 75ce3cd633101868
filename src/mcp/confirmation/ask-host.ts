import type { InputRequests, InputRequiredResult } from '@modelcontextprotocol/server';
import type { Call } from '../context';
import { sdk } from '../sdk';
import type { ShownGate } from '../../client/shown-gates';

/** Has the host ask its person. The host's answer belongs to this question alone. */
export async function askHost(
  { context, caller, mcp }: Call,
  operationId: string,
  gate: ShownGate,
  inputRequests: InputRequests,
): Promise<InputRequiredResult> {
  const requestState = await context.seal.close(gate, operationId, caller.id, mcp);
  return sdk().inputRequired({ inputRequests, requestState });
}
