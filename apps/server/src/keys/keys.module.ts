import { Module } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { createBrandDocuments, createSignerKeys, type QueryCapabilities } from '@switchyard/sellers';
import {
  delegations as delegationsIn,
  platformKeyStore,
  refusedSignatures,
  replayStore,
  seenKeys,
  trustDocuments,
} from '@switchyard/store';
import { defaultRotationTimes, type KeyService } from '@switchyard/signing';
import type { SignerDirectory } from '@switchyard/tenancy';
import type { Kernel } from '../platform/kernel.js';
import { createIssuedTokens } from './issued-tokens.js';
import { admissionLimits, createKeyAlarms } from './key-alarms.js';
import { createOperatorCheck } from './operator-check.js';
import { createPlatformKeys } from './platform-keys.js';
import { createRefusalLog } from './record-refusals.js';
import { createRequestSignatures } from './request-signatures.js';
import type { TrustedIssuer } from './trusted-issuers.js';
import { capabilityOf } from '../platform/routes/controller-of.js';
import { keyRoutes } from './keys.routes.js';

export const keys = capabilityOf('keys', {
  keys: keyRoutes,
});

@Module({ controllers: [...keys.controllers] })
export class KeysModule {}

/** What the capability is made of. */
export type Keys = ReturnType<typeof makeKeys>;

/** The most nonces of one key that a verifier of requests stores (docs/protocol/signing.md#requests-to-us). */
export const requestNoncesPerKey = 1_000_000;

interface MadeFrom {
  /** Signs for principals that have a key of their own in a key service. */
  readonly service: KeyService;
  /** Key ids of it that principals may be given. */
  readonly kmsKeys: readonly string[];
  /** How long a published key waits before it signs, in milliseconds. */
  readonly waitMs: number;
  readonly settings: Parameters<typeof admissionLimits>[0];
  readonly issuers: readonly TrustedIssuer[];
  readonly signers: SignerDirectory;
  /** Finds the keys of an agent that signs requests to us by its own capabilities. */
  readonly querySigner: QueryCapabilities;
  /** The organization that answers requests without a credential, once it is known. */
  readonly strangersOf: () => string | undefined;
}

/** Our own keys, and the verification of what others sign: alarms are raised when their keys change. */
export function makeKeys(kernel: Kernel, { signers, ...from }: MadeFrom) {
  const { store, egress, clock, isStopped, isLocal, organizations } = kernel;
  const times = { ...defaultRotationTimes, wait: from.waitMs };
  const ownKeys = createPlatformKeys({
    ...{ ...kernel, times, randomBytes, service: from.service, kmsKeys: from.kmsKeys },
    store: platformKeyStore(store),
  });
  const limits = admissionLimits(from.settings);
  const keyAlarms = createKeyAlarms({ ...kernel, signers, limits, seenKeys: seenKeys(store, clock) });
  const refusals = refusedSignatures(store);
  const refusalLog = createRefusalLog({ ...kernel, refusals, strangersOf: from.strangersOf });
  const signerKeys = createSignerKeys({
    ...{ egress, clock, signers: () => signers.all(), documents: trustDocuments(store) },
    queryCapabilities: from.querySigner,
    watch: keyAlarms.signerWatch,
    trustsTestKeys: isLocal,
  });
  // A signature of a stopped key is refused like one of a revoked key.
  const requestKeys: typeof signerKeys = {
    ...signerKeys,
    status: async (signer, keyid) =>
      (await isStopped(signer.principal.organizationId, 'key', keyid))
        ? 'revoked'
        : signerKeys.status(signer, keyid),
  };
  const replays = replayStore(store, { clock, cap: requestNoncesPerKey });
  const delegations = delegationsIn(store);
  return {
    ...{ ownKeys, keyAlarms, refusals, refusalLog, requestKeys, delegations },
    documentKeys: ownKeys,
    rotationTimes: times,
    trustsTestKeys: isLocal,
    issuedTokens: createIssuedTokens(from.issuers, egress, clock),
    signatures: createRequestSignatures({
      ...{ keys: requestKeys, signers, replays, clock, alarms: keyAlarms, refusals: refusalLog },
    }),
    operators: createOperatorCheck({
      ...{ documents: createBrandDocuments(egress, clock), delegations, clock, isLocal },
      organizationOf: ({ organizationId }) => organizations.byId(organizationId),
    }),
  };
}
