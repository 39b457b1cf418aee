import { createHash } from 'node:crypto';
import { dialects, type Dialect } from '@switchyard/protocol';
import { readCapture, verifyCapture } from '@switchyard/signing';
import {
  err,
  isJsonObject,
  ok,
  parseStrictJson,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import type { CliFailure } from '../outcome.js';
import { linesOf, unreadable } from '../read-input.js';
import { senderName } from './judge-chain.js';
import type { Proof } from './verdict.js';

/** What a file of sellers' messages is held against. */
interface MessagesCheck {
  /** Hashes that entries of a ledger name. */
  readonly named: ReadonlySet<string>;
  /** Public keys of sellers in an export of a ledger, by `senderName`. */
  readonly keys: ReadonlyMap<string, readonly JsonObject[]>;
  /** Whether the ledger is valid. Otherwise anybody may have written the messages, and the keys beside them. */
  readonly isVouchedFor: boolean;
}

/** Reads the file that `events export` wrote, line by line: hashes every message, and verifies the seller's signature. */
export async function checkMessages(
  deps: CliDeps,
  file: string,
  { named, keys, isVouchedFor }: MessagesCheck,
): Promise<Result<Proof, CliFailure>> {
  const isNone = (at: number): Result<never, CliFailure> =>
    err({ message: `${file} is no export of messages (at line ${at}).` });
  const missing = new Set(named);
  const tally = new MessageTally(keys);
  let at = 0;
  let ended = false;
  try {
    for await (const line of linesOf(deps, file)) {
      at += 1;
      if (line === '' || (at === 1 && line === '{"messages":[')) continue;
      if (at === 1 || ended) return isNone(at);
      ended = line === ']}';
      if (ended) continue;
      const parsed = parseStrictJson(Buffer.from(line.endsWith(',') ? line.slice(0, -1) : line));
      const message = parsed.ok ? parsed.value.value : undefined;
      const seen = isJsonObject(message) ? await tally.add(message) : undefined;
      if (seen === undefined) return isNone(at);
      if (seen.hash !== undefined) missing.delete(seen.hash);
    }
  } catch (error) {
    return err(unreadable(file, error));
  }
  if (!ended) return isNone(at);
  const proven = named.size - missing.size;
  return ok({
    kind: 'messages',
    file,
    faults: tally.faults(),
    holds: [
      `Its entries name ${named.size} messages: the bytes of ${proven} are in ${file} and have the hash.`,
      `${tally.signed} verify with the public key that the seller published then.`,
    ],
    ...(isVouchedFor && { isVouchedFor }),
    json: { messages: { named: named.size, proven, ...tally.json() } },
  });
}

/** Messages of sellers, counted by what is proved of them. */
export class MessageTally {
  readonly #keys: MessagesCheck['keys'];
  readonly #changed: string[] = [];
  readonly #forged: string[] = [];
  signed = 0;

  /** `keys`: public keys that are beside a signed chain, by `senderName`. */
  constructor(keys: MessagesCheck['keys']) {
    this.#keys = keys;
  }

  /** Undefined if it is no message. `hash` is there where its bytes are, and are those that came. */
  async add(
    message: JsonObject,
  ): Promise<{ readonly hash?: string; readonly operationId?: string } | undefined> {
    const { event_id: id, body_sha256: stated, body_base64: body, operation_id: of } = message;
    if (typeof id !== 'string' || typeof stated !== 'string') return undefined;
    const operation = typeof of === 'string' ? { operationId: of } : {};
    if (typeof body !== 'string') return operation;
    const hash = createHash('sha256').update(Buffer.from(body, 'base64')).digest('hex');
    if (hash !== stated) this.#changed.push(id);
    const verdict = await signatureOf(message, this.#keys);
    if (verdict === 'verified') this.signed += 1;
    else if (verdict === 'wrong') this.#forged.push(id);
    return hash === stated ? { ...operation, hash } : operation;
  }

  faults(): readonly string[] {
    return [
      ...(this.#changed.length === 0 ? [] : [`Changed since they were received: ${fewOf(this.#changed)}.`]),
      ...(this.#forged.length === 0 ? [] : [`Not signed by the key beside them: ${fewOf(this.#forged)}.`]),
    ];
  }

  json(): JsonObject {
    return { changed: this.#changed, signed: this.signed, forged: this.#forged };
  }
}

const fewOf = (ids: readonly string[]): string =>
  `${ids.slice(0, 10).join(', ')}${ids.length > 10 ? ` and ${ids.length - 10} more` : ''}`;

/** `unknown`: it was proved in another way, or what was signed or the key is not in the files. */
async function signatureOf(
  message: JsonObject,
  known: MessagesCheck['keys'],
): Promise<'verified' | 'wrong' | 'unknown'> {
  const { request, keyid, sender, received_at: received, body_base64: body } = message;
  if (!isJsonObject(request) || typeof keyid !== 'string' || typeof sender !== 'string') return 'unknown';
  const beside = Array.isArray(message['keys']) ? message['keys'].filter(isJsonObject) : [];
  // The keys in the ledger's export were signed with its head; those beside the message were not.
  const keys = known.get(senderName(sender, keyid)) ?? beside;
  const headers = new Map<string, string[]>();
  for (const pair of Array.isArray(request['headers']) ? request['headers'] : []) {
    const [name, line] = Array.isArray(pair) ? pair : [];
    if (typeof name === 'string' && typeof line === 'string')
      headers.set(name, [...(headers.get(name) ?? []), line]);
  }
  const dialect = dialectOf(headers);
  if (keys.length === 0 || dialect === undefined) return 'unknown';
  for (const key of keys) {
    const capture = readCapture({
      request: { ...request, headers: Object.fromEntries(headers), body_base64: body ?? '' },
      reference_now: Math.floor(Date.parse(typeof received === 'string' ? received : '') / 1_000),
      jwks_override: { keys: [key] } as JsonValue,
    });
    if (!capture.ok) return 'unknown';
    const { requestTag, webhookTag, keyUseMember } = dialects[dialect];
    const verdict = await verifyCapture(capture.value, {
      kind: 'webhook',
      names: { requestTag, webhookTag, useMember: keyUseMember },
      legacyHeaders: legacyOf(dialect),
      otherLegacyHeaders: [],
      jwks: [key],
      now: Date.now(),
    });
    if (verdict.ok) return 'verified';
  }
  return 'wrong';
}

const legacyOf = (dialect: Dialect) => ({
  signature: dialects[dialect].legacySignatureHeader,
  timestamp: dialects[dialect].legacyTimestampHeader,
});

/** The dialect whose tag the signature names; undefined if there is none. */
function dialectOf(headers: ReadonlyMap<string, readonly string[]>): Dialect | undefined {
  const [, lines = []] = [...headers].find(([name]) => name.toLowerCase() === 'signature-input') ?? [];
  const input = lines.join(', ');
  return (Object.keys(dialects) as Dialect[]).find((name) =>
    input.includes(`tag="${dialects[name].webhookTag}"`),
  );
}
