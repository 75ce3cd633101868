import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type { ToolQuery } from '../contract/tools';
import type { Config } from '../host/config';
import { loadDataConverter } from '../host/data-converter';
import { findRuntime } from '../host/runtime-file';
import { reachServer } from '../host/temporal/connection';
import { findServer } from './connect';
import { io, readConfig } from './io';
import { note } from './output';
import { describeAdapters, PORT } from './serve';
import { interruption, untilEnded } from './staying';
import { verb } from './verb';

const CONNECT_MS = 4_000;

export function addMcpVerb(program: Command): void {
  verb(
    program,
    'mcp',
    'the tools for an agent (MCP over stdio); started by its host, ends with it',
    async () => {
      const asked = interruption();
      const config = readConfig();
      const { serveMcpStdio, localCaller } = await import('../mcp/stdio.js');
      const door = createDoor(config);
      const context = await contextOf(config, door);
      const onFailure = (error: Error) => note(`MCP: ${error.message}`);
      const { stdin, stdout } = io();
      const serving = serveMcpStdio(context, localCaller(userInfo().username), { stdin, stdout }, onFailure);
      try {
        await untilEnded(asked, serving);
      } finally {
        await door.close();
      }
    },
  );
}

async function contextOf(config: Config, { connect }: Door) {
  const { WAITS } = await import('../mcp/context.js');
  const { createSeal } = await import('../mcp/confirmation/seal.js');
  const { createShownGates } = await import('../mcp/confirmation/shown.js');
  return {
    connect,
    taskQueue: config.taskQueue,
    origin: () => originOf(config),
    describeTools: async (query: ToolQuery) =>
      (await import('../worker/tools/index.js')).describeTools(config, query),
    describeAdapters: () => describeAdapters(config),
    confirm: config.mcpConfirm,
    // The questions to this host end with it.
    seal: createSeal(randomBytes(32)),
    shown: createShownGates(),
    waits: WAITS,
  };
}

/** Where the person of this host finds the approval page. */
async function originOf({ file, dataDir, httpPort }: Config): Promise<string> {
  const { http_url } = (await findRuntime(dataDir)) ?? {};
  const url = file.http.base_url ?? http_url ?? `http://127.0.0.1:${httpPort ?? PORT}`;
  return url.replace(/\/$/, '');
}

interface Door {
  connect: () => Promise<Client>;
  close: () => Promise<void>;
}

/** Hosts may start this before `up`, and keep it running when `up` restarts: each call looks for the server anew. */
function createDoor(config: Config): Door {
  let there: { address: string; client: Client } | undefined;
  const connect = async () => {
    const { target, configured, runtime } = await findServer(
      config,
      `No Temporal server is configured, and no \`batchgate up\` runs over ${config.dataDir}.`,
      'Ask the person to run `npx batchgate up` in a terminal, or to set TEMPORAL_ADDRESS.',
    );
    if (there?.address === target.address) return there.client;
    const connection = await reachServer(target, CONNECT_MS);
    const namespace = runtime?.namespace ?? configured.namespace;
    const dataConverter = await loadDataConverter(config.payloadCodecPath);
    await there?.client.connection.close();
    there = { address: target.address, client: new Client({ connection, namespace, dataConverter }) };
    return there.client;
  };
  return {
    connect,
    close: async () => {
      await there?.client.connection.close();
    },
  };
}
