import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type { Config } from '../host/config';
import { findServer, openClient } from './connect';
import { originOf } from './origin';
import { io, readConfig } from './io';
import { note } from './output';
import { describeAdapters } from './serve';
import { interruption, untilEnded } from './staying';
import { verb } from './verb';

export function addMcpVerb(program: Command): void {
  verb(
    program,
    'mcp',
    'the tools for an agent (MCP over stdio); started by its host, ends with it',
    async () => {
      const interrupt = interruption();
      const config = readConfig();
      const { serveMcpStdio, localCaller } = await import('../mcp/stdio.js');
      const door = createDoor(config);
      const context = await contextOf(config, door);
      const onFailure = (error: Error) => note(`MCP: ${error.message}`);
      const { stdin, stdout } = io();
      const serving = serveMcpStdio(context, localCaller(userInfo().username), { stdin, stdout }, onFailure);
      try {
        await untilEnded(interrupt, serving);
      } finally {
        await door.close();
      }
    },
  );
}

async function contextOf(config: Config, { connect }: Door) {
  const { WAITS } = await import('../mcp/context.js');
  const { createSeal } = await import('../mcp/confirmation/seal.js');
  const { createShownGates } = await import('../client/shown-gates.js');
  return {
    connect,
    taskQueue: config.taskQueue,
    origin: () => originOf(config),
    describeAdapters: () => describeAdapters(config),
    confirm: config.mcpConfirm,
    // Questions to this host are valid until this process ends.
    seal: createSeal(randomBytes(32)),
    shown: createShownGates(),
    waits: WAITS,
  };
}

interface Door {
  connect: () => Promise<Client>;
  close: () => Promise<void>;
}

/** A host may start this before `up`, and keep it while `up` restarts, so each call looks for the server again. */
export function createDoor(config: Config, open: typeof openClient = openClient): Door {
  let current: { address: string; client: Promise<Client> } | undefined;
  const connect = async () => {
    const server = await findServer(
      config,
      `No Temporal server is configured, and no \`batchgate up\` runs over ${config.dataDir}.`,
      'Ask the person to run `npx batchgate up` in a terminal, or to set TEMPORAL_ADDRESS.',
    );
    const { address } = server.target;
    if (current?.address === address) return current.client;
    // Kept before it is open: a host may send several requests at once.
    const before = current?.client;
    const opened = { address, client: open(config, server) };
    current = opened;
    opened.client.catch(() => {
      if (current === opened) current = undefined;
    });
    void before?.then((client) => client.connection.close()).catch(() => undefined);
    return opened.client;
  };
  return {
    connect,
    close: async () => {
      const client = await current?.client.catch(() => undefined);
      await client?.connection.close();
    },
  };
}
