import { types } from 'node:util';
import { isGrpcServiceError } from '@temporalio/client';

/** The gRPC codes that we distinguish. See https://grpc.io/docs/guides/status-codes/ */
export const GRPC = {
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  unimplemented: 12,
  unauthenticated: 16,
} as const;

export function hasGrpcCode(error: unknown, ...codes: readonly number[]): boolean {
  return isGrpcServiceError(error) && codes.includes(error.code);
}

/** The error in one line, with the cause that `fetch`, gRPC and child processes hide behind a general message. */
export function reasonOf(error: unknown): string {
  // Not `instanceof`, which is false for Node's own errors from another realm.
  if (!types.isNativeError(error)) return String(error);
  const { stderr, code } = error as Error & { stderr?: string; code?: string | number };
  const lastLine = stderr?.trim().split('\n').at(-1);
  if (lastLine !== undefined && lastLine !== '') return lastLine;
  // The error of several failed addresses has a code and no message.
  const message = error.message || String(code ?? error.name);
  return error.cause === undefined ? message : `${message}: ${reasonOf(error.cause)}`;
}
