import type { Config, ModelConfig } from '../../host/config';
import { ok, problem, warning, type Finding } from './check';

const ANSWER_MS = 2_500;

/** Checks the model by listing the models of its server, which is free. Not using a model is not a problem. */
export async function probeModel({
  model,
  demoModel,
}: Pick<Config, 'model' | 'demoModel'>): Promise<Finding> {
  if (demoModel) return ok('the demo model, for the assistant alone; macros that need a model are refused');
  if (model === undefined) {
    return ok(
      'none is configured, so macros that need one and the assistant are refused. Set BATCHGATE_MODEL_BASE_URL and BATCHGATE_MODEL_NAME (docs/macros.md).',
    );
  }
  const where = `${model.name} at ${new URL(model.baseUrl).host}`;
  let answer: Response;
  try {
    answer = await listModels(model);
  } catch (error) {
    return unreached(where, error);
  }
  const { status } = answer;
  await answer.body?.cancel();
  if (answer.ok) return ok(where);
  if (status === 401 || status === 403) return refused(where, status, model.apiKey !== undefined);
  return warning(
    `${where}: the address answers, but with ${status} when it is asked for its models`,
    status >= 500 || status === 429
      ? 'Check the server of the model, or try again later.'
      : 'Check BATCHGATE_MODEL_BASE_URL, which often ends in /v1. Not every server lists its models.',
  );
}

function listModels({ baseUrl, apiKey }: ModelConfig): Promise<Response> {
  return fetch(`${baseUrl}/models`, {
    headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
    // Redirects are not followed: the key would be sent there too.
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS),
  });
}

/** The error's own message could contain the address, and any secret in it. */
function unreached(where: string, error: unknown): Finding {
  const late = error instanceof Error && error.name === 'TimeoutError';
  return problem(
    late ? `${where} did not answer within ${ANSWER_MS / 1_000} s` : `${where} cannot be reached`,
    'Start it, or correct BATCHGATE_MODEL_BASE_URL.',
  );
}

function refused(where: string, status: number, keyed: boolean): Finding {
  return keyed
    ? problem(`${where} refuses our key (${status})`, 'Correct BATCHGATE_MODEL_API_KEY.')
    : problem(`${where} requires a key (${status})`, 'Set BATCHGATE_MODEL_API_KEY.');
}
