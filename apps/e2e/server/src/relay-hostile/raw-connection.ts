import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/** An HTTP/1.1 connection that sends bytes as given: client libraries would refuse these requests. */
export class RawConnection {
  readonly #port: number;
  #socket: Socket | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends one request and reads its answer, which must have a `Content-Length`. */
  async request(request: Buffer): Promise<RawAnswer> {
    const socket = this.#socket ?? connect(this.#port, '127.0.0.1').setNoDelay(true);
    this.#socket = socket;
    const answer = await new Promise<RawAnswer>((resolve, reject) => {
      const chunks: Buffer[] = [];
      const hear = (chunk: Buffer): void => {
        chunks.push(chunk);
        const read = readAnswer(Buffer.concat(chunks));
        if (read === undefined) return;
        leave();
        resolve(read);
      };
      const fail = (): void => {
        leave();
        reject(new Error(`The server hung up after ${String(Buffer.concat(chunks).length)} bytes.`));
      };
      const leave = (): void => {
        socket.off('data', hear).off('close', fail);
      };
      socket.on('data', hear).on('close', fail);
      socket.once('error', () => undefined);
      socket.write(request);
    }).finally(() => socket.removeAllListeners('error').on('error', () => undefined));
    if (answer.headers.get('connection') === 'close') this.close();
    return answer;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }
}

function readAnswer(bytes: Buffer): RawAnswer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const length = Number(headers.get('content-length') ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(`An answer without a length: ${first}`);
  if (bytes.length < end + 4 + length) return undefined;
  const text = bytes.toString('utf8', end + 4, end + 4 + length);
  return { status: Number(first.split(' ')[1]), headers, text };
}
