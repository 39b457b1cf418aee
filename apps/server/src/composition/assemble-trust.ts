import {
  createSellerKeys,
  createSignerKeys,
  type QueryCapabilities,
  type ConnectionDirectory,
  type Egress,
  type SellerKeySource,
} from '@switchyard/sellers';
import {
  alarmRepository,
  refusedSignatures,
  replayStore,
  seenKeys,
  signerDirectory,
  trustDocuments,
  type RefusedSignatures,
  type Store,
} from '@switchyard/store';
import type { MetricsRegistry } from '@switchyard/telemetry';
import type { AlarmRepository, IsStopped } from '@switchyard/tenancy';
import type { RequestSignatures } from '../tasks/caller/request-signatures.js';
import { systemClock } from './clock.js';
import { createRefusalLog } from './webhooks/keep-refusals.js';
import { createEchoAlarms, type EchoAlarms } from './webhooks/echo-alarms.js';
import { admissionLimits, createKeyAlarms } from './keys/key-alarms.js';
import { brandSignatures, type BrandVerifier } from '../relay/brand-signatures.js';
import type { Settings } from './settings.js';
import { createRequestSignatures } from './keys/request-signatures.js';
import { watchWebhooks, type WebhookVerdicts } from './webhooks/webhook-verdicts.js';

export interface TrustSurroundings {
  readonly store: Store;
  readonly egress: Egress;
  readonly connections: ConnectionDirectory;
  /** Calls a seller of which nothing is known yet, to find its keys by what it says of itself. */
  readonly queryCapabilities: QueryCapabilities;
  /** The same of agents that sign requests to us and whose keys are discovered. */
  readonly askSigner: QueryCapabilities;
  readonly isStopped: IsStopped;
  readonly metrics: MetricsRegistry;
  readonly settings: Settings;
  /** True while we are bound to loopback: published test keys are taken there and nowhere else. */
  readonly isLocal: boolean;
  /** The organization that strangers are answered by, once it is known. */
  readonly strangersOf: () => string | undefined;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** What verifies others, and what tells people when something about their keys is not as it was. */
export interface Trust {
  readonly sellerKeys: SellerKeySource;
  readonly signatures: RequestSignatures;
  /** The verifier of what a principal signed for sellers: its own keys alone, and the same memory of nonces. */
  readonly brandSignatures: BrandVerifier;
  readonly verdicts: WebhookVerdicts;
  readonly alarms: AlarmRepository;
  readonly echoes: Pick<EchoAlarms, 'echoed'>;
  readonly refusals: RefusedSignatures;
  /** Resolves once nothing is being written aside any more: before the store closes. */
  settled(): Promise<void>;
}

/** Nonces of one key that a verifier of requests keeps at most (docs/protocol/signing.md#requests-to-us). */
const requestNoncesPerKey = 1_000_000;

export function assembleTrust(surroundings: TrustSurroundings): Trust {
  const { store, egress, connections, metrics, isLocal, onUnexpected } = surroundings;
  const clock = systemClock;
  const alarms = alarmRepository(store, clock);
  const refusals = refusedSignatures(store);
  const documents = trustDocuments(store);
  const signers = signerDirectory(store);
  const keyAlarms = createKeyAlarms({
    alarms,
    connections,
    signers,
    seenKeys: seenKeys(store, clock),
    limits: admissionLimits(surroundings.settings),
    clock,
    onUnexpected,
  });
  const echoes = createEchoAlarms({ alarms, connections, clock, onUnexpected });
  const log = createRefusalLog({
    refusals,
    strangersOf: surroundings.strangersOf,
    metrics,
    clock,
    onUnexpected,
  });
  const signerKeys = createSignerKeys({
    egress,
    clock,
    signers: () => signers.all(),
    documents,
    queryCapabilities: surroundings.askSigner,
    watch: keyAlarms.signerWatch,
    trustsTestKeys: isLocal,
  });
  // What a stopped key signs is refused as what a revoked one signs.
  const requestKeys: typeof signerKeys = {
    ...signerKeys,
    status: async (signer, keyid) =>
      (await surroundings.isStopped(signer.principal.organizationId, 'key', keyid))
        ? 'revoked'
        : signerKeys.status(signer, keyid),
  };
  const requestNonces = replayStore(store, { clock, cap: requestNoncesPerKey });
  const signatures = createRequestSignatures({
    keys: requestKeys,
    signers,
    replays: requestNonces,
    clock,
    alarms: keyAlarms,
    refusals: log,
  });
  return {
    sellerKeys: createSellerKeys({
      egress,
      clock,
      documents,
      queryCapabilities: surroundings.queryCapabilities,
      watch: keyAlarms.watch,
      trustsTestKeys: isLocal,
    }),
    signatures,
    // The row of a change, which is flushed before it is passed on, flushes the claim of its nonce with it.
    brandSignatures: brandSignatures({
      keys: requestKeys,
      signers,
      replays: replayStore(store, { clock, cap: requestNoncesPerKey, flushes: false }),
      clock,
    }),
    verdicts: watchWebhooks(keyAlarms, log),
    alarms,
    refusals,
    echoes,
    settled: async () => {
      await Promise.all([keyAlarms.settled(), log.settled(), echoes.settled()]);
    },
  };
}
