import { createEgress } from '@switchyard/egress';
import { parseStrictJson, type JsonObject, type Result } from '@switchyard/values';
import type { InstanceClient } from '../instance-client.js';
import { objectsIn } from '../objects-in.js';
import type { CliFailure } from '../outcome.js';

export interface HistoryStage {
  readonly instance: InstanceClient;
  /** Control address of the sandbox market. */
  readonly marketUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly log: (line: string) => void;
}

/** A step that failed; it ends the play. */
export class HistoryFailure extends Error {
  constructor(readonly failure: CliFailure) {
    super(failure.message);
  }
}

export function notTrue(message: string): never {
  throw new HistoryFailure({ message, hint: 'Run it again: it continues where it stopped.' });
}

export async function done(answer: Promise<Result<JsonObject, CliFailure>>): Promise<JsonObject> {
  const found = await answer;
  if (found.ok) return found.value;
  throw new HistoryFailure(found.error);
}

export const textAt = (row: JsonObject | undefined, name: string): string => {
  const value = row?.[name];
  return typeof value === 'string' ? value : '';
};

/** Reads from the control address of the sandbox market, on loopback only. */
export async function fromMarket(
  { marketUrl }: HistoryStage,
  path: string,
  at = marketUrl,
): Promise<readonly JsonObject[]> {
  const egress = createEgress({ allowLoopback: true });
  try {
    const url = `${at}${path}`;
    const got = await egress.request({ method: 'GET', url, maxBytes: 32 * 1024 * 1024, timeoutMs: 30_000 });
    const parsed = got.ok ? parseStrictJson(got.value.body) : undefined;
    if (parsed?.ok === true) return objectsIn(parsed.value.value);
  } finally {
    await egress.close();
  }
  return notTrue('The sandbox market does not answer.');
}
