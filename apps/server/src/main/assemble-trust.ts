import {
  createSellerKeys,
  createSignerKeys,
  type QueryCapabilities,
  type ConnectionDirectory,
  type Egress,
  type KeyInspector,
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
import type { RequestSignatures } from '../platform/caller/request-signatures.js';
import { systemClock } from '../platform/clock.js';
import { createRefusalLog } from '../keys/record-refusals.js';
import { createEchoAlarms, type EchoAlarms } from '../sellers/echo-alarms.js';
import { admissionLimits, createKeyAlarms } from '../keys/key-alarms.js';
import { brandSignatures, type BrandVerifier } from '../relay/admission/brand-signatures.js';
import type { Settings } from './settings/settings.js';
import { createRequestSignatures } from '../keys/request-signatures.js';
import { watchWebhooks, type WebhookVerdicts } from '../webhooks/in/webhook-verdicts.js';

interface TrustSurroundings {
  readonly store: Store;
  readonly egress: Egress;
  readonly connections: ConnectionDirectory;
  /** Calls an unknown seller, to find its keys by its own capabilities. */
  readonly queryCapabilities: QueryCapabilities;
  /** The same for agents that sign requests to us and whose keys are discovered. */
  readonly querySigner: QueryCapabilities;
  readonly isStopped: IsStopped;
  readonly metrics: MetricsRegistry;
  readonly settings: Settings;
  /** True while we are bound to loopback: only there published test keys are accepted. */
  readonly isLocal: boolean;
  /** The organization that answers requests without a credential, once it is known. */
  readonly strangersOf: () => string | undefined;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** Verifies other parties, and raises alarms when their keys change. */
export interface Trust {
  readonly sellerKeys: SellerKeySource & KeyInspector;
  readonly signatures: RequestSignatures;
  /** Verifies what a principal signed for sellers: by its own keys alone, with the same store of nonces. */
  readonly brandSignatures: BrandVerifier;
  readonly verdicts: WebhookVerdicts;
  readonly alarms: AlarmRepository;
  readonly echoes: Pick<EchoAlarms, 'echoed'>;
  readonly refusals: RefusedSignatures;
  /** Resolves once no background write is running: before the store closes. */
  settled(): Promise<void>;
}

/** The most nonces of one key that a verifier of requests stores (docs/protocol/signing.md#requests-to-us). */
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
    queryCapabilities: surroundings.querySigner,
    watch: keyAlarms.signerWatch,
    trustsTestKeys: isLocal,
  });
  // A signature of a stopped key is refused like one of a revoked key.
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
    // The row of a change, which is flushed before it is forwarded, also flushes the claim of its nonce.
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
