import { USUAL_PORTS } from '../../host/temporal/start-server';
import { isTaken, temporalVersionAt } from '../../host/temporal/ports';
import { ok, warning, type Finding } from './check';
import type { Runtime } from '../../host/runtime-file';

const ANSWER_MS = 1_000;

/** A port that we use, and how to identify its listener. */
export interface PortQuestion {
  port: number;
  /** Its purpose, such as `HTTP`. */
  use: string;
  ours: () => boolean | Promise<boolean>;
  /** Returns the name of another program, if it can be identified. */
  recognise?: () => Promise<string | undefined>;
  /** The remedy if it is taken. */
  remedy: string;
}

export async function probePort({ port, use, ours, recognise, remedy }: PortQuestion): Promise<Finding> {
  if (!(await isTaken(port))) return ok(`${port} (${use}) is free`);
  if (await ours()) return ok(`${port} (${use}) is ours`);
  const whose = (await recognise?.()) ?? 'another program';
  return warning(`${port} (${use}) is taken by ${whose}`, remedy);
}

/** The ports of `up` and of the HTTP server. A configured Temporal server needs none of the first two. */
export function portQuestions(
  server: Promise<{ address: string } | undefined>,
  runtime: Runtime | undefined,
  httpPort: number,
): PortQuestion[] {
  const isOurs = async (port: number) =>
    [(await server)?.address, runtime?.temporal_address, runtime?.ui_url].some((address) =>
      address?.endsWith(`:${port}`),
    );
  const { server: frontend, ui } = USUAL_PORTS;
  return [
    {
      port: frontend,
      use: 'Temporal',
      ours: () => isOurs(frontend),
      recognise: async () => {
        const version = await temporalVersionAt(`127.0.0.1:${frontend}`);
        return version && `another Temporal server (${version})`;
      },
      remedy: `\`up\` takes another port by itself. If it is a Temporal server you mean to use, set TEMPORAL_ADDRESS=127.0.0.1:${frontend}.`,
    },
    {
      port: ui,
      use: 'Temporal UI',
      ours: () => isOurs(ui),
      remedy: `\`up\` takes another port by itself; \`lsof -i :${ui}\` names the program.`,
    },
    {
      port: httpPort,
      use: 'HTTP',
      ours: () => answersAsOurs(httpPort),
      remedy: `Stop it (\`lsof -i :${httpPort}\` names it), or set BATCHGATE_HTTP_PORT to another one.`,
    },
  ];
}

async function answersAsOurs(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(ANSWER_MS) });
    return answer.ok;
  } catch {
    return false;
  }
}
