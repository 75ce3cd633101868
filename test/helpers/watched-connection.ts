import type { Connection } from '@temporalio/client';

/**
 * Wraps a connection. `onCall` is called before each call to Temporal's service, and an error that it throws fails the
 * call. `onAnswer` is called after the end of each.
 */
export function watched(
  connection: Connection,
  onCall: (method: string) => void,
  onAnswer: (method: string) => void = () => undefined,
): Connection {
  const replacing = <T extends object>(of: T, replace: (name: string, value: unknown) => unknown) =>
    new Proxy(of, { get: (target, name) => replace(String(name), Reflect.get(target, name)) });
  const service = replacing(connection.workflowService, (name, value) => {
    if (typeof value !== 'function') return value;
    return (...args: unknown[]) => {
      onCall(name);
      const answer = Reflect.apply(value, connection.workflowService, args) as unknown;
      const over = () => onAnswer(name);
      if (answer instanceof Promise) answer.then(over, over);
      return answer;
    };
  });
  return replacing(connection, (name, value) => (name === 'workflowService' ? service : value));
}
