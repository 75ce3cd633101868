import { once } from 'node:events';
import {
  connect,
  constants,
  createServer,
  type ClientHttp2Session,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './grpc-proxy';

type Take = (method: string, at: Fault['at']) => Fault | undefined;

export interface GrpcProxy {
  port: number;
  /** Closes every connection now. */
  drop(): void;
  refuse(on: boolean): void;
  close(): void;
}

/** Forwards calls to Temporal; `take` returns the fault for each call and each answer. */
export async function serveGrpcProxy(upstream: string, take: Take): Promise<GrpcProxy> {
  let refusing = false;
  const sockets = new Set<Socket>();
  const outward = new Map<Http2Session, ClientHttp2Session>();
  // The server closes each connection after a while (GOAWAY), and the next call opens another one.
  const outwardOf = (inward: Http2Session): ClientHttp2Session => {
    const open = outward.get(inward);
    if (open && !open.closed && !open.destroyed) return open;
    const created = connect(`http://${upstream}`);
    created.on('error', () => undefined);
    outward.set(inward, created);
    return created;
  };
  const server = createServer({ settings: { maxConcurrentStreams: 1_000 } });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => undefined);
    if (refusing) socket.destroy();
  });
  server.on('session', (session) => {
    session
      .on('error', () => undefined)
      .once('close', () => {
        outward.get(session)?.destroy();
        outward.delete(session);
      });
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    carry(stream, headers, take, outwardOf).catch(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    drop: () => sockets.forEach((socket) => socket.destroy()),
    refuse: (on) => void (refusing = on),
    close: () => {
      server.close();
      sockets.forEach((socket) => socket.destroy());
    },
  };
}

async function carry(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  take: Take,
  outwardOf: (inward: Http2Session) => ClientHttp2Session,
): Promise<void> {
  const method = headers[':path']?.split('/').at(-1) ?? '';
  if ((await suffer(stream, take(method, 'call'))) || stream.session === undefined) return;
  const call = outwardOf(stream.session).request(headers);
  // A killed server closes its streams without an error.
  const broken = () => {
    if (!stream.writableEnded) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  };
  call.on('error', broken).once('close', broken);
  stream.once('close', () => call.close(constants.NGHTTP2_CANCEL));
  stream.pipe(call);
  let trailers: IncomingHttpHeaders = {};
  call.once('trailers', (received: IncomingHttpHeaders) => {
    trailers = received;
  });
  const [answer, flags] = (await once(call, 'response')) as [IncomingHttpHeaders, number];
  if (await suffer(stream, take(method, 'answer'))) return;
  const whole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
  stream.respond(answer, whole ? { endStream: true } : { waitForTrailers: true });
  if (whole) return;
  stream.once('wantTrailers', () => stream.sendTrailers(trailers));
  call.pipe(stream);
}

/** Executes the fault, and returns whether it ends the call. */
async function suffer(stream: ServerHttp2Stream, fault: Fault | undefined): Promise<boolean> {
  if (fault?.holdMs) await pause(fault.holdMs);
  if (fault?.end === 'cut') stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  if (fault?.end === 'reset') stream.close(constants.NGHTTP2_CANCEL);
  return fault?.end === 'cut' || fault?.end === 'reset' || stream.destroyed;
}
