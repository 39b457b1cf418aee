import { createHash } from 'node:crypto';
import type { Fault, Forge } from './fault.js';
import { RawConnection, type RawAnswer } from './raw-connection.js';
import { bytesOf, sealedWire, type SealedMessage, type Wire } from './sealed-message.js';

/** One sent request and its answer. */
export interface Sent {
  readonly message: SealedMessage;
  readonly wire: Wire;
  readonly bodyHash: string;
  readonly answer: RawAnswer;
  /** The code of the answer; absent if the request was accepted. */
  readonly code?: string;
  readonly recordId: string;
  /** Absent: an honest request. */
  readonly fault?: Fault;
}

/** Sends requests over several connections concurrently. Each is made just before it is sent, because most expire. */
export async function attack(
  jobs: readonly (Fault | 'honest')[],
  forge: Forge,
  port: number,
  connections: number,
): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  const turns = new Map<Fault, Promise<unknown>>();
  const open = jobs.values();
  const work = async (): Promise<void> => {
    const connection = new RawConnection(port);
    for (const job of open) {
      const once = async (): Promise<void> => {
        const message = job === 'honest' ? forge.honest() : await job.make(forge);
        sent.push({
          ...(await send(connection, port, message)),
          ...(job === 'honest' ? {} : { fault: job }),
        });
      };
      if (job === 'honest' || job.isOneAtATime !== true) await once();
      else {
        const turn = (turns.get(job) ?? Promise.resolve()).then(once);
        turns.set(job, turn);
        await turn;
      }
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
  return sent;
}

export async function sendAlone(port: number, message: SealedMessage): Promise<Sent> {
  const connection = new RawConnection(port);
  return send(connection, port, message).finally(() => connection.close());
}

async function send(connection: RawConnection, port: number, message: SealedMessage): Promise<Sent> {
  const wire = sealedWire(message);
  const answer = await connection.request(bytesOf(message.path, `127.0.0.1:${String(port)}`, wire));
  const code = codeOf(answer.text);
  return {
    message,
    wire,
    bodyHash: createHash('sha256').update(wire.body).digest('hex'),
    answer,
    ...(code === undefined ? {} : { code }),
    recordId: answer.headers.get('switchyard-custody-record') ?? '',
  };
}

interface Refusal {
  readonly error?: {
    readonly code?: unknown;
    readonly data?: { readonly errors?: readonly { readonly code: string }[] };
  };
}

function codeOf(text: string): string | undefined {
  const { error } = JSON.parse(text) as Refusal;
  return error === undefined ? undefined : (error.data?.errors?.[0]?.code ?? String(error.code));
}
