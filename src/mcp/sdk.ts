import type * as Server from '@modelcontextprotocol/server';
import type * as Stdio from '@modelcontextprotocol/server/stdio';
import { optional } from '../host/optional';

/** The protocol's library. An installation without MCP does not include it. */
export const sdk = () => optional<typeof Server>('@modelcontextprotocol/server');
export const stdioSdk = () => optional<typeof Stdio>('@modelcontextprotocol/server/stdio');
