import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { err, ok, type Result } from '@switchyard/values';

export interface Exchange {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly token?: string;
  readonly accept?: string;
  readonly body?: Buffer;
  /** Beside these, or instead of them. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface Unreachable {
  readonly code: string;
}

/**
 * One request to an instance. Uses Node's own client without a timeout, because an onboarding may take long: it waits
 * while the connection is open.
 */
export function exchange(query: Exchange): Promise<Result<IncomingMessage, Unreachable>> {
  const send = query.url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve) => {
    const request = send(
      query.url,
      {
        method: query.method,
        agent: false,
        headers: {
          accept: query.accept ?? 'application/json',
          ...(query.token === undefined ? {} : { authorization: `Bearer ${query.token}` }),
          ...(query.body ? { 'content-type': 'application/json', 'content-length': query.body.length } : {}),
          ...query.headers,
        },
      },
      (response) => resolve(ok(response)),
    );
    request.once('error', (error: NodeJS.ErrnoException) => resolve(err({ code: error.code ?? 'ERROR' })));
    request.end(query.body);
  });
}

export async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export interface ServerEvent {
  readonly event: string;
  readonly id?: string;
  readonly data: string;
}

/** The events of a stream, one by one. */
export async function* eventsOf(response: IncomingMessage): AsyncGenerator<ServerEvent> {
  response.setEncoding('utf8');
  let rest = '';
  for await (const chunk of response) {
    rest += chunk as string;
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      yield eventOf(rest.slice(0, end));
      rest = rest.slice(end + 2);
    }
  }
}

function eventOf(block: string): ServerEvent {
  let event = 'message';
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) event = line.slice('event: '.length);
    if (line.startsWith('id: ')) id = line.slice('id: '.length);
    if (line.startsWith('data: ')) data.push(line.slice('data: '.length));
  }
  return { event, data: data.join('\n'), ...(id === undefined ? {} : { id }) };
}
