import type { BuysPorts, OperationStore } from '@switchyard/buys';
import type { LedgerEntry } from '@switchyard/ledger';
import { publicJwk, type ReplayStore, type SigningKey } from '@switchyard/signing';
import type { SeededRandom } from '@switchyard/testing';
import type { TenantScope } from '@switchyard/tenancy';
import { ok, type JsonObject } from '@switchyard/values';
import type { memoryLedger } from '../../../webhooks/testkit/memory-stage.js';

type Ledger = ReturnType<typeof memoryLedger>;

/** A fault of ours, put in where the simulated product is assembled. Each member replaces one part. */
export interface Planted {
  /** The endpoint answers 200 before the message is stored. */
  readonly acknowledgesFirst?: true;
  readonly sent?: (tool: string, args: JsonObject, ids: SeededRandom) => JsonObject;
  readonly store?: (store: OperationStore, scopes: readonly TenantScope[]) => OperationStore;
  readonly replays?: (replays: ReplayStore) => ReplayStore;
  readonly ledger?: (ledger: Ledger) => Ledger;
  readonly clock?: (clock: BuysPorts['clock']) => BuysPorts['clock'];
  readonly resolve?: (
    keyid: string,
    stranger: SigningKey,
  ) => ReturnType<typeof ok<{ readonly jwk: JsonObject; readonly agentUrl: string }>> | undefined;
}

/** Faults that the simulation has to find, by their names. */
export const plantedFaults: Readonly<Record<string, Planted>> = {
  'a webhook is acknowledged before it is stored': { acknowledgesFirst: true },
  'the key is made again for a repeated send': {
    sent: (tool, args, ids) =>
      tool === 'create_media_buy' ? { ...args, idempotency_key: ids.uuid() } : args,
  },
  'the tenant of a statement is dropped': {
    store: (store, [first]) =>
      new Proxy(store, {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return (_scope: unknown, ...args: unknown[]) =>
            Reflect.apply(method, target, [first, ...args]) as unknown;
        },
      }),
  },
  'nonces are not stored': {
    replays: (replays) => ({ ...replays, claim: () => Promise.resolve('claimed' as const) }),
  },
  'a difference is booked twice': {
    ledger: (ledger) =>
      afterReports(ledger, (entries, before) => void entries.push(...entries.slice(before))),
  },
  'the deadline of a request is ignored': {
    clock: (clock) => ({ now: () => clock.now(), after: () => () => undefined }),
  },
  'the pin of a key is ignored': {
    resolve: (keyid, stranger) =>
      keyid === stranger.kid
        ? ok({ jwk: publicJwk(stranger, ['ads_use']), agentUrl: 'https://one.example/mcp' })
        : undefined,
  },
  'an entry is edited': {
    ledger: (ledger) =>
      afterReports(ledger, (entries) => {
        const [first] = entries;
        if (first !== undefined) entries[0] = { ...first, body: first.body.replace(/\d/, '7') };
      }),
  },
};

function afterReports(ledger: Ledger, then: (entries: LedgerEntry[], before: number) => void): Ledger {
  return {
    ...ledger,
    applyReports: async (...args) => {
      const before = ledger.all().length;
      const outcomes = await ledger.applyReports(...args);
      if (ledger.all().length > before) then(ledger.all(), before);
      return outcomes;
    },
  };
}
