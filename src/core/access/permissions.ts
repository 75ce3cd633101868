import type { Role } from '../../contract/access';
import { BatchgateError } from '../../contract/errors';
import type { ToolDefinition } from '../../contract/tools';

/** The roles that may call a command. */
export interface Access {
  readonly roles: readonly Role[];
  /** The command reaches beyond sessions, so a key with a session prefix may not call it. */
  readonly beyond_sessions?: true;
  /** An agent may call it only for what it started itself and what belongs to its sessions. */
  readonly own_only?: true;
}

/** The description of a route, and the roles that may use it. */
export interface Permission extends Access {
  readonly does: string;
  /** A page or a form, for people who signed in. */
  readonly page?: true;
}

const everybody: readonly Role[] = ['viewer', 'operator', 'approver', 'agent', 'admin'];
const starters: readonly Role[] = ['operator', 'agent', 'admin'];
const deciders: readonly Role[] = ['operator', 'approver', 'admin'];
const operators: readonly Role[] = ['operator', 'admin'];

/** The roles for each kind of action. */
export const MAY = {
  look: { roles: everybody },
  start: { roles: starters },
  /** For a person, or a backend that acts for one; never for an agent. */
  decide: { roles: deciders },
  operate: { roles: operators },
  speak: { roles: ['operator', 'approver', 'agent', 'admin'] },
  administer: { roles: ['admin'] },
  /** The tools of MCP are for agents alone: a model that holds a person's key would decide in their name. */
  agents: { roles: ['agent'] },
} as const satisfies Record<string, Access>;

const looks = (does: string): Permission => ({ does, ...MAY.look });
const starts = (does: string): Permission => ({ does, ...MAY.start });
const decides = (does: string): Permission => ({ does, ...MAY.decide });
const operates = (does: string): Permission => ({ does, ...MAY.operate });
const agents = (does: string): Permission => ({ does, ...MAY.agents });

/** The routes of pages and their forms, with the same permissions as the routes of `/v1`. */
const pages = (rows: Record<string, Permission>) =>
  Object.fromEntries(Object.entries(rows).map(([route, row]) => [route, { ...row, page: true as const }]));

export const PAGE_ROUTES: Readonly<Record<string, Permission>> = pages({
  'GET /': looks('What waits, what runs, what ended today'),
  'GET /stats': looks('How operations ended, and how long their questions waited'),
  'GET /events': looks('When what open pages show has changed'),
  'POST /sign-out': looks('End your session'),
  'GET /operations/{operation_id}': looks('The open question and the record of an operation'),
  'GET /operations/{operation_id}/groups': looks('All items by what happens to them'),
  'GET /operations/{operation_id}/report.csv': looks('One row per item'),
  'POST /operations/{operation_id}/continue': decides('Confirm the question that was shown'),
  'POST /operations/{operation_id}/challenge': decides('What a passkey signs for this confirmation'),
  'POST /operations/{operation_id}/cancel': decides('Cancel at the next item boundary'),
  'POST /operations/{operation_id}/complete': decides('Call it complete, with a reason'),
  'GET /operations/{operation_id}/edit': decides('The form that edits the change of the open question'),
  'POST /operations/{operation_id}/edit': decides('Edit the change of the open question'),
  'POST /operations/{operation_id}/extend': decides('Give the open question more time'),
  'POST /operations/{operation_id}/withdraw': decides('Take back the confirmation of a scheduled batch'),
  'POST /operations/{operation_id}/delegate': decides('Let another person approve in your place'),
  'POST /operations/{operation_id}/resolve': decides('Say what became of an item in doubt'),
  'POST /operations/{operation_id}/revise': decides('Send it back with guidance for its requester'),
  'POST /operations/{operation_id}/retry-failed': starts('Start again with the failed, retryable items'),
  'POST /operations/{operation_id}/rest': starts('Start an operation over what an expired one left'),
  'POST /operations/{operation_id}/undo': starts('Start an operation that undoes an ended one'),
  'GET /passkeys': decides('Your passkeys'),
  'POST /passkeys': decides('Register a passkey'),
  'POST /passkeys/challenge': decides('What a browser needs to make a passkey'),
  'POST /passkeys/{passkey_id}/name': decides('Rename a passkey'),
  'POST /passkeys/{passkey_id}/revoke': decides('Revoke a passkey'),
  'POST /passkeys/invitations': { does: 'Invite somebody to register a passkey', ...MAY.administer },
  'GET /start': starts('What can be started'),
  'GET /start/{domain}/{action}': starts('The form that starts an action'),
  'POST /start/{domain}/{action}': starts('Start a bulk operation'),
  'GET /start/{domain}/{action}/suggestions': starts('Values that a field of the form can have'),
  'POST /start/{domain}/{action}/change': starts('The filled-in form again'),
  'POST /start/{domain}/{action}/preview': starts('What it would do to each item; nothing is changed'),
  'GET /task-runs/{task_run_id}': looks('Where a task run stands'),
  'POST /task-runs/{task_run_id}/complete': operates('Call a task run complete'),
  'POST /task-runs/{task_run_id}/cancel': operates('Cancel a task run'),
  'GET /macros/{run_id}': looks('The questions and steps of a macro run'),
  'POST /macros/{run_id}/answer': decides('Answer a question of a macro'),
  'POST /macros/{run_id}/pause': operates('Begin no more steps'),
  'POST /macros/{run_id}/resume': operates('Resume a macro run'),
  'POST /macros/{run_id}/cancel': decides('Stop a macro run'),
  'GET /sessions/{session_id}': looks('A conversation with the assistant'),
  'POST /sessions/{session_id}/messages': operates('Say something in a conversation'),
  'POST /sessions/{session_id}/stop': operates('Stop the turn of the assistant'),
  'POST /sessions/{session_id}/dismiss': operates('Dismiss the assistant; operations go on'),
});

/** The routes that only HTTP has. Those of the commands are in src/commands. */
export const HTTP_ROUTES: Readonly<Record<string, Permission>> = {
  'GET /v1/me': looks('Who you are'),
  'POST /v1/sign-out': looks('End your session'),
  'GET /v1/passkeys': { does: 'List the passkeys of all people', ...MAY.administer, beyond_sessions: true },
  'POST /v1/passkeys/{passkey_id}/revoke': {
    does: 'Revoke a passkey',
    ...MAY.administer,
    beyond_sessions: true,
  },
  'POST /v1/passkeys/invitations': {
    does: 'Invite a person to register a passkey',
    ...MAY.administer,
    beyond_sessions: true,
  },
  'GET /openapi.json': looks('This document'),
  'GET /docs': looks('This document as a page for people'),
  'GET /metrics': { ...looks('Metrics for Prometheus, of all sessions'), beyond_sessions: true },
  'POST /v1/operations/{operation_id}/links': decides('Make a link that opens this question for one person'),
  'GET /v1/operations/{operation_id}/events': looks('Stream the changes of an operation'),
  'GET /v1/events': looks('Stream the changes of all operations that you may see'),
  'POST /v1/sessions/{session_id}/messages': {
    does: 'Send one message of a conversation; the messages of an agent decide nothing',
    ...MAY.speak,
  },
  'GET /v1/sessions/{session_id}/assistant/events': looks('Stream the answers of an assistant'),
  'GET /v1/tools': looks('List what macros and agents can call'),
  'POST /mcp': agents('The tools of MCP'),
  'GET /mcp': agents('Nothing: this server keeps no streams of MCP open'),
  'DELETE /mcp': agents('Nothing: this server keeps no sessions of MCP'),
};

/**
 * Whether the assistant may call a tool for a caller of this role: it does nothing for a caller that the caller may not
 * do directly. A tool that names no roles may do anything, so it is called only for operators of the servers. Plain
 * Temporal clients have no role, and may do everything.
 */
export function mayHaveCalled(
  role: Role | undefined,
  { roles = operators }: Pick<ToolDefinition, 'roles'>,
): boolean {
  return role === undefined || roles.includes(role);
}

/** Whether a role also operates the servers, and so has access to Temporal. */
export const isOperator = (role: Role): boolean => operators.includes(role);

export const mayDecide = (role: Role): boolean => deciders.includes(role);
export const mayStart = (role: Role): boolean => starters.includes(role);

/**
 * Whether a caller may give the assistant work. It starts operations, and its tools read beyond sessions, so neither an
 * approver nor a key with a session prefix may.
 */
export const mayInstruct = ({ role, session_prefix }: { role: Role; session_prefix?: string }): boolean =>
  mayStart(role) && session_prefix === undefined;

/** The error of a request that reaches beyond sessions, as the steps of macros do. */
export const beyondSessions = (prefix: string) =>
  new BatchgateError(
    'FORBIDDEN',
    `This key reaches only sessions that begin with ${prefix}, and this request reaches further.`,
    'Use a key without a session prefix.',
  );

/** Whether a key reaches a session. A key without a prefix reaches everything, including jobs without a session. */
export function reaches(prefix: string | undefined, sessionId: string | undefined): boolean {
  return prefix === undefined || (sessionId?.startsWith(prefix) ?? false);
}
