import { parseArgs } from 'node:util';
import { BatchgateError } from '../src/contract/errors';
import { loadConfig, type Config, type ModelConfig } from '../src/host/config';
import { DEMO_MODEL } from '../src/host/demo-model';
import { serveScriptedModel } from '../src/host/demo-model/server';
import { KINDS, type EvalRequest } from './eval/expectation';
import { REQUESTS } from './eval/requests';
import { runRequests } from './eval/run';
import { scriptFor } from './eval/scripted-model';
import { openStage } from './eval/stage';
import { isEnough, reportOf, tableOf, type Report } from './eval/table';

const HELP = `npm run eval -- [options]
  --scripted      use the scripted model, which needs no key; so does BATCHGATE_MODEL_NAME=demo
  --only WHAT     only requests of this id or kind (${KINDS.join(', ')}); again for more
  --at-least N    succeed when at least N requests pass (default: all of them)
  --parallel N    how many requests at a time, 1 to 8 (default 4)
  --timeout S     how long the turn of one request may take (default 180)
  --json          print one JSON object instead of the tables`;

const SCRIPTED = 'scripted';

/** Sends the requests of the evaluation set to the assistant, and prints the results. */
async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    options: {
      ...{ scripted: flag, json: flag, help: flag, 'at-least': text, parallel: text, timeout: text },
      only: { ...text, multiple: true, default: [] },
    },
  });
  if (values.help) return console.log(HELP);
  const requests = chosen(values.only);
  const enough = wholeNumber('at-least', values['at-least'], requests.length, 0, requests.length);
  const report = await evaluate(loadConfig(), {
    requests,
    scripted: values.scripted,
    parallel: wholeNumber('parallel', values.parallel, 4, 1, 8),
    timeoutMs: wholeNumber('timeout', values.timeout, 180, 1, 3_600) * 1_000,
  });
  console.log(values.json ? JSON.stringify(report) : tableOf(report));
  if (!isEnough(report, enough)) process.exitCode = 1;
}

interface Options {
  requests: EvalRequest[];
  scripted: boolean;
  parallel: number;
  timeoutMs: number;
}

async function evaluate(config: Config, options: Options): Promise<Report> {
  const { requests, parallel, timeoutMs } = options;
  const begun = Date.now();
  const served = await modelOf(config, options.scripted);
  const { model } = served;
  try {
    const stage = await openStage(config, model);
    try {
      const onResult = progressOver(requests.length);
      const work = runRequests(stage, { requests, parallel, timeoutMs, onResult });
      const { results, strays } = await Promise.race([work, stage.ended]);
      const seconds = Math.round((Date.now() - begun) / 1_000);
      return reportOf(model.name, results, seconds, [...(await stage.changes()), ...strays]);
    } finally {
      await stage.close();
    }
  } finally {
    await served.close();
  }
}

async function modelOf(
  { model, demoModel }: Config,
  scripted: boolean,
): Promise<{ model: ModelConfig; close(): Promise<void> }> {
  if (!scripted && !demoModel) {
    if (model) return { model, close: () => Promise.resolve() };
    throw new BatchgateError(
      'NOT_CONFIGURED',
      'The evaluation needs a model, and none is configured.',
      'Set BATCHGATE_MODEL_BASE_URL and BATCHGATE_MODEL_NAME (and BATCHGATE_MODEL_API_KEY), or add --scripted to run it without a model.',
    );
  }
  const served = await serveScriptedModel(scriptFor(REQUESTS));
  const name = scripted ? SCRIPTED : DEMO_MODEL;
  return { model: { baseUrl: served.url, name }, close: () => served.close() };
}

function chosen(only: readonly string[]): EvalRequest[] {
  const unknown = only.filter((name) => !REQUESTS.some(({ id, kind }) => name === id || name === kind));
  if (unknown.length > 0) {
    throw new BatchgateError(
      'INVALID_INPUT',
      `No request has the id or kind ${unknown.join(', ')}.`,
      `The kinds are ${KINDS.join(', ')}; --json names the ids.`,
    );
  }
  return REQUESTS.filter(({ id, kind }) => only.length === 0 || only.includes(id) || only.includes(kind));
}

function wholeNumber(
  name: string,
  text: string | undefined,
  byDefault: number,
  least: number,
  most: number,
): number {
  const value = text === undefined ? byDefault : Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw wrong(`--${name} is not a whole number from ${least} to ${most}.`);
}

const wrong = (message: string) =>
  new BatchgateError('INVALID_INPUT', message, 'Read `npm run eval -- --help`.');

/** Prints progress in one line, on a terminal only. */
function progressOver(total: number): (result: { passed: boolean }) => void {
  if (!process.stderr.isTTY) return () => undefined;
  const count = { done: 0, failed: 0 };
  return ({ passed }) => {
    count.done++;
    if (!passed) count.failed++;
    const end = count.done === total ? '\n' : '';
    process.stderr.write(`\r${count.done} of ${total} requests, ${count.failed} failed${end}`);
  };
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    const wrongUsage = /^ERR_PARSE_ARGS_/.test((error as { code?: string }).code ?? '');
    const failure = wrongUsage ? wrong((error as Error).message) : error;
    const ours = failure instanceof BatchgateError;
    console.error(ours ? `${failure.code}: ${failure.message}\n${failure.hint}` : failure);
    process.exit(ours && failure.code === 'INVALID_INPUT' ? 2 : 1);
  },
);
