import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Header and body as they came, with the line breaks of quoted-printable removed. */
  readonly text: string;
  /** Of a header, without its line breaks; undefined if it is not there. */
  readonly header: (name: string) => string | undefined;
}

export interface MailServer {
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  /** The first message that a test looks for, now or when it comes. */
  arrived: (isIt: (mail: ReceivedMail) => boolean) => Promise<ReceivedMail>;
  /** The next messages are refused with this code of SMTP, until it is set to undefined. */
  refuseWith: (code: number | undefined) => void;
  readonly close: () => Promise<void>;
}

/** A mail server of a test, on a free port of 127.0.0.1, without encryption and without users. */
export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let refusal: number | undefined;
  const waiting = new Set<() => void>();
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      // Without a listener an aborted message would end the process.
      stream.on('error', () => undefined);
      stream.on('end', () => {
        if (refusal !== undefined) {
          done(Object.assign(new Error('refused'), { responseCode: refusal }));
          return;
        }
        const { mailFrom, rcptTo } = session.envelope;
        received.push(mailOf(Buffer.concat(chunks).toString('utf8'), mailFrom, rcptTo));
        done();
        for (const look of waiting) look();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    received,
    arrived: (isIt) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = received.find(isIt);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    refuseWith: (code) => {
      refusal = code;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

interface Address {
  readonly address: string;
}

function mailOf(raw: string, from: Address | false, to: readonly Address[]): ReceivedMail {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ');
  const text = raw
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return {
    from: from === false ? '' : from.address,
    to: to.map(({ address }) => address),
    text,
    header: (name) =>
      head
        .split('\r\n')
        .find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
        ?.slice(name.length + 1)
        .trim(),
  };
}
