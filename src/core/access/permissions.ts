import type { Role } from '../../contract/access';
import { BatchgateError } from '../../contract/errors';

/** What a route does, and who may use it. */
export interface Permission {
  does: string;
  roles: readonly Role[];
  /** A page or a form, for people who signed in. */
  page?: true;
  /** Reaches beyond sessions, so that a key with a session prefix may not. */
  beyond_sessions?: true;
  /** An agent may do it to what it started itself or what belongs to its sessions, as over MCP. */
  own_only?: true;
}

const everybody: readonly Role[] = ['viewer', 'operator', 'approver', 'agent', 'admin'];
const starters: readonly Role[] = ['operator', 'agent', 'admin'];
const deciders: readonly Role[] = ['operator', 'approver', 'admin'];
const operators: readonly Role[] = ['operator', 'admin'];

/** What MCP serves: for agents alone, since a model that holds a person's key would decide in their name. */
const agents = (does: string): Permission => ({ does, roles: ['agent'] });
const looks = (does: string): Permission => ({ does, roles: everybody });
const starts = (does: string): Permission => ({ does, roles: starters });
/** Only a person, or a backend that speaks for one: never an agent. */
const decides = (does: string): Permission => ({ does, roles: deciders });
const operates = (does: string): Permission => ({ does, roles: operators });

/** The pages and what their forms do: the same as the routes of `/v1`. */
const pages = (rows: Record<string, Permission>) =>
  Object.fromEntries(Object.entries(rows).map(([route, row]) => [route, { ...row, page: true as const }]));

const PAGES = pages({
  'GET /': looks('What waits, what runs, what ended today'),
  'POST /sign-out': looks('End your session'),
  'GET /operations/{operation_id}': looks('The open question and the record of an operation'),
  'GET /operations/{operation_id}/report.csv': looks('One row per item'),
  'POST /operations/{operation_id}/continue': decides('Confirm the question that was shown'),
  'POST /operations/{operation_id}/cancel': decides('Cancel at the next item boundary'),
  'POST /operations/{operation_id}/complete': decides('Call it complete, with a reason'),
  'POST /operations/{operation_id}/extend': decides('Give the open question more time'),
  'POST /operations/{operation_id}/resolve': decides('Say what became of an item in doubt'),
  'POST /operations/{operation_id}/retry-failed': starts('Start again with the failed, retryable items'),
  'POST /operations/{operation_id}/rest': starts('Start an operation over what an expired one left'),
  'POST /operations/{operation_id}/undo': starts('Start an operation that undoes an ended one'),
  'GET /start': starts('What can be started'),
  'GET /start/{domain}/{action}': starts('The form that starts an action'),
  'POST /start/{domain}/{action}': starts('Start a bulk operation'),
  'POST /start/{domain}/{action}/change': starts('The filled-in form again'),
  'POST /start/{domain}/{action}/preview': starts('What it would do to each item; nothing is changed'),
  'GET /task-runs/{task_run_id}': looks('Where a task run stands'),
  'GET /task-runs/{task_run_id}/events': looks('When something happened to it'),
  'POST /task-runs/{task_run_id}/complete': operates('Call a task run complete'),
  'POST /task-runs/{task_run_id}/cancel': operates('Cancel a task run'),
  'GET /macros/{run_id}/events': looks('When something happened to it'),
  'GET /macros/{run_id}': looks('The questions and steps of a macro run'),
  'POST /macros/{run_id}/answer': decides('Answer a question of a macro'),
  'POST /macros/{run_id}/pause': operates('Begin no more steps'),
  'POST /macros/{run_id}/resume': operates('Resume a macro run'),
  'POST /macros/{run_id}/cancel': decides('Stop a macro run'),
  'GET /sessions/{session_id}': looks('A conversation with the assistant'),
  'GET /sessions/{session_id}/events': looks('Its changes and answers, as they happen'),
  'POST /sessions/{session_id}/messages': operates('Say something in a conversation'),
  'POST /sessions/{session_id}/stop': operates('Stop the turn of the assistant'),
  'POST /sessions/{session_id}/dismiss': operates('Dismiss the assistant; operations go on'),
});

/**
 * Who may use which route: the one source of the checks, the documentation and the test of every cell. A route that
 * names an operation, a run or a session answers 404 to a key that does not reach that session, whatever its role.
 */
export const PERMISSIONS: Readonly<Record<string, Permission>> = {
  'GET /v1/me': looks('Who you are'),
  'POST /v1/sign-out': looks('End your session'),
  'GET /openapi.json': looks('This document'),
  'GET /docs': looks('This document as a page for people'),
  'GET /metrics': looks('Metrics for Prometheus'),
  'POST /v1/operations': starts('Start a bulk operation'),
  'GET /v1/operations': looks('List bulk operations'),
  'GET /v1/operations/{operation_id}': looks('Where an operation stands'),
  'POST /v1/operations/{operation_id}/continue': decides('Confirm the open batch and run it'),
  'POST /v1/operations/{operation_id}/cancel': {
    does: 'Cancel at the next item boundary; an agent only what it started',
    roles: [...deciders, 'agent'],
    own_only: true,
  },
  'POST /v1/operations/{operation_id}/complete': decides('Call it complete'),
  'POST /v1/operations/{operation_id}/extend': decides('Give the open question more time'),
  'POST /v1/operations/{operation_id}/resolve': decides('Say what became of an item in doubt'),
  'POST /v1/operations/{operation_id}/retry-failed': starts('Start again with the failed, retryable items'),
  'POST /v1/operations/{operation_id}/resume': starts('Start again with the items that an expired one left'),
  'POST /v1/operations/{operation_id}/undo': starts('Start an operation that undoes an ended one'),
  'POST /v1/previews': starts('What an operation would do to each item; nothing is changed'),
  'POST /v1/operations/{operation_id}/links': decides('A link that opens this question for one person'),
  'GET /v1/operations/{operation_id}/errors': looks('The failed items'),
  'GET /v1/operations/{operation_id}/items': looks('The items and their outcomes'),
  'GET /v1/operations/{operation_id}/guard': looks('Whether it can be completed'),
  'GET /v1/operations/{operation_id}/progress': looks('The progress contract'),
  'GET /v1/operations/{operation_id}/report': looks('One row per item'),
  'GET /v1/operations/{operation_id}/events': looks('Its changes of state, as they happen'),
  'GET /v1/events': looks('Changes of all operations that you may see, as they happen'),
  'POST /v1/sessions/{session_id}/messages': {
    does: 'One turn of conversation; what an agent writes decides nothing',
    roles: ['operator', 'approver', 'agent', 'admin'],
  },
  'GET /v1/sessions/{session_id}/assistant': looks('Where the assistant of a session stands'),
  'GET /v1/sessions/{session_id}/assistant/events': looks('Its answers, as they are written'),
  'POST /v1/sessions/{session_id}/assistant/stop': starts('Stop its turn; operations go on'),
  'POST /v1/sessions/{session_id}/assistant/cancel': operates('Dismiss it; operations go on'),
  'POST /v1/touch': looks('Say that somebody is here'),
  'POST /v1/task-runs': starts('Start a task run'),
  'GET /v1/task-runs': looks('List task runs'),
  'GET /v1/task-runs/{task_run_id}': looks('Where a task run stands'),
  'POST /v1/task-runs/{task_run_id}/record': starts('Record what was done'),
  'POST /v1/task-runs/{task_run_id}/complete': {
    ...starts('Call a task run complete; an agent only one of its own sessions'),
    own_only: true,
  },
  'POST /v1/task-runs/{task_run_id}/cancel': {
    ...starts('Cancel a task run; an agent only one of its own sessions'),
    own_only: true,
  },
  // The steps of a macro call tools, which take any session.
  'POST /v1/macros': { ...starts('Start a macro; an agent only names one'), beyond_sessions: true },
  'GET /v1/macros': looks('List macro runs'),
  'GET /v1/macros/{run_id}': looks('Where a macro run stands, and its latest steps'),
  'POST /v1/macros/{run_id}/pause': operates('Begin no more steps'),
  'POST /v1/macros/{run_id}/resume': operates('Resume a macro run'),
  'POST /v1/macros/{run_id}/cancel': decides('Stop a macro run'),
  'POST /v1/macros/{run_id}/answer': decides('Answer a question of a macro'),
  'POST /mcp': agents('The tools of MCP, see AGENT_TOOLS'),
  'GET /mcp': agents('Nothing: this server keeps no streams of MCP open'),
  'DELETE /mcp': agents('Nothing: this server keeps no sessions of MCP'),
  'GET /v1/tools': looks('What macros and agents can call'),
  'GET /v1/profiles/{profile}': looks('The operational limits of a profile'),
  ...PAGES,
  'PATCH /v1/profiles/{profile}': { does: 'Change operational limits', roles: ['admin'] },
};

/**
 * What an agent does by each tool of MCP. `asks`: a person decides, and the tool only asks and waits. It is as over
 * HTTP, except that an agent reaches nothing but its own jobs here. It may stop its operations and complete its task
 * runs, also by force with a reason, which is recorded.
 */
export const AGENT_TOOLS: Readonly<Record<string, 'acts' | 'asks'>> = {
  describe_tools: 'acts',
  preview_bulk_operation: 'acts',
  start_bulk_operation: 'acts',
  get_bulk_status: 'acts',
  list_bulk_operations: 'acts',
  get_bulk_report: 'acts',
  retry_failed_items: 'acts',
  undo_bulk_operation: 'acts',
  cancel_bulk_operation: 'acts',
  continue_bulk_operation: 'asks',
  complete_bulk_operation: 'asks',
  extend_bulk_operation: 'asks',
  resolve_item: 'asks',
  task_run_start: 'acts',
  task_run_update: 'acts',
  task_run_complete: 'acts',
  task_run_cancel: 'acts',
  task_run_get: 'acts',
  task_run_list: 'acts',
  run_macro: 'acts',
  list_tools: 'acts',
};

/**
 * The routes whose permission a tool of the assistant needs: the assistant does nothing for its caller that the caller may
 * not do directly. Other tools have no route, so that only those who look after the servers have them called.
 */
const ASSISTANT_TOOLS: Readonly<Record<string, string>> = {
  start_bulk_operation: 'POST /v1/operations',
  get_bulk_status: 'GET /v1/operations/{operation_id}',
  get_bulk_items: 'GET /v1/operations/{operation_id}/items',
  get_bulk_errors: 'GET /v1/operations/{operation_id}/errors',
  get_completion_guard: 'GET /v1/operations/{operation_id}/guard',
  list_bulk_operations: 'GET /v1/operations',
  task_run_start: 'POST /v1/task-runs',
  task_run_update: 'POST /v1/task-runs/{task_run_id}/record',
  // The task runs of every session, unlike those of an agent over MCP: as on the pages, for people.
  task_run_complete: 'POST /task-runs/{task_run_id}/complete',
  task_run_cancel: 'POST /task-runs/{task_run_id}/cancel',
  task_run_get: 'GET /v1/task-runs/{task_run_id}',
  task_run_list: 'GET /v1/task-runs',
  // A person reads a proposal, and starts it.
  propose_macro: 'POST /v1/macros',
  get_macro_run: 'GET /v1/macros/{run_id}',
  // The scratchpad of the conversation that the caller speaks in.
  scratchpad_save: 'POST /v1/sessions/{session_id}/messages',
  scratchpad_get: 'POST /v1/sessions/{session_id}/messages',
  scratchpad_list: 'POST /v1/sessions/{session_id}/messages',
  scratchpad_delete: 'POST /v1/sessions/{session_id}/messages',
};

/** Whether the assistant may call a tool for a caller of this role. Plain Temporal clients have none, and may do all. */
export function mayHaveCalled(role: Role | undefined, tool: string): boolean {
  if (role === undefined) return true;
  const route = ASSISTANT_TOOLS[tool];
  return route === undefined ? isOperator(role) : (PERMISSIONS[route]?.roles.includes(role) ?? false);
}

/** Those who look after the servers too, and so into Temporal. */
export const isOperator = (role: Role): boolean => operators.includes(role);

export const mayDecide = (role: Role): boolean => deciders.includes(role);
export const mayStart = (role: Role): boolean => starters.includes(role);

/**
 * Who may give the assistant work: it starts operations, and its tools look beyond sessions, so that neither an
 * approver nor a key with a session prefix may.
 */
export const mayInstruct = ({ role, session_prefix }: { role: Role; session_prefix?: string }): boolean =>
  mayStart(role) && session_prefix === undefined;

/** The refusal of what reaches beyond sessions: macros, whose steps do. */
export const beyondSessions = (prefix: string) =>
  new BatchgateError(
    'FORBIDDEN',
    `This key reaches only sessions that begin with ${prefix}, and this request reaches further.`,
    'Use a key without a session prefix.',
  );

/** Whether a session is within a key's reach. Without a prefix a key reaches all, also what has no session. */
export function reaches(prefix: string | undefined, sessionId: string | undefined): boolean {
  return prefix === undefined || (sessionId?.startsWith(prefix) ?? false);
}
