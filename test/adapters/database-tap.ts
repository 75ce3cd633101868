import type { ProviderCall } from '../../src/testing/conformance';
import { startTap, type Refusal, type Tap } from './tap';

/** What the proxy must know of the language of a database. */
export interface Protocol {
  /** Reads one connection: the text of a request with its values, and what the server answers. */
  readonly reader: () => {
    readonly request: (bytes: Buffer) => string;
    readonly answer?: (bytes: Buffer) => void;
  };
  /** Whether a text ends a transaction. */
  readonly isEnd: (text: string) => boolean;
  readonly isCommit: (text: string) => boolean;
  /** Whether a text changes an item. */
  readonly isChange: (text: string) => boolean;
  /** A lookup, a search or the lookup of an item. */
  readonly readOf: (text: string) => Exclude<ProviderCall['kind'], 'write'> | undefined;
  readonly rollback: Buffer;
  readonly malformed: Buffer;
  readonly refusal: (fault: Refusal, transactionIsOver: boolean) => Buffer;
}

/**
 * A proxy for a database that recognizes the requests that the tests need: a search, the lookup of a row, and the
 * COMMIT of a change, which counts as the write. It relies on the driver to send each request in one piece.
 */
export const startDatabaseTap = (port: number, protocol: Protocol) =>
  startTap(port, (tap) => attach(tap, protocol));

function attach({ client, upstream, meet, answered, end }: Tap, protocol: Protocol): void {
  const reader = protocol.reader();
  let changing: string | undefined;
  let answers: 'pass' | 'malformed' | 'reset' | Buffer = 'pass';
  const callOf = (text: string): ProviderCall | undefined => {
    if (protocol.isCommit(text))
      return changing === undefined ? undefined : { kind: 'write', item_id: changing };
    const kind = protocol.readOf(text);
    return kind && { kind };
  };
  upstream.on('data', (bytes) => {
    answered();
    reader.answer?.(bytes);
    if (answers === 'pass') client.write(bytes);
    else if (typeof answers === 'object') {
      client.write(answers);
      answers = 'pass';
    } else if (answers === 'malformed') client.end(protocol.malformed);
    else end();
  });
  client.on('data', (bytes) => {
    const text = reader.request(bytes);
    const call = callOf(text);
    const fault = meet(call);
    if (protocol.isChange(text)) changing = /thing-\d+/.exec(text)?.[0];
    else if (protocol.isEnd(text)) changing = undefined;
    if (fault === undefined) upstream.write(bytes);
    else if (fault === 'malformed' || fault === 'reset') {
      answers = fault;
      upstream.write(bytes);
    } else if (fault === 'hollow') {
      answers = 'malformed';
      upstream.write(protocol.rollback);
    } else if (fault !== 'silence') {
      const refusal = protocol.refusal(fault, call?.kind === 'write');
      // A refused COMMIT rolls the transaction back.
      if (call?.kind === 'write') {
        answers = refusal;
        upstream.write(protocol.rollback);
      } else {
        answered();
        client.write(refusal);
      }
    }
  });
}
