import type * as Server from '@modelcontextprotocol/server';
import type * as Stdio from '@modelcontextprotocol/server/stdio';
import { optional } from '../host/optional';

/** The protocol's library, which an installation without MCP leaves out. */
export const sdk = () => optional<typeof Server>('@modelcontextprotocol/server');
export const stdioSdk = () => optional<typeof Stdio>('@modelcontextprotocol/server/stdio');
