import type { LeaseSecrets } from '@switchyard/buys';
import type { Capabilities } from '@switchyard/protocol';
import type {
  AgentFailure,
  AskCapabilities,
  CapabilitiesOutage,
  ConnectionDirectory,
  SellerTransport,
  ToldOfItself,
} from '@switchyard/sellers';
import type { SignerDirectory } from '@switchyard/tenancy';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import { hearAgent, hearSeller } from './look-at-seller.js';

export interface AskCapabilitiesParts {
  readonly connections: Pick<ConnectionDirectory, 'byId'>;
  readonly lease: LeaseSecrets;
  readonly transport: SellerTransport;
  readonly clock: Clock;
}

/**
 * Asks a seller what it is over its own protocol, for whoever looks for its keys. A seller that answers something is
 * reached, whatever it answers: what it does not say is missed by the steps that follow.
 */
export function capabilitiesAsker(parts: AskCapabilitiesParts): AskCapabilities {
  return async ({ id, organizationId }) => {
    if (id === undefined || organizationId === undefined) return ok(undefined);
    const scope = { organizationId };
    const connection = await parts.connections.byId(scope, id);
    if (connection === undefined) return ok(undefined);
    return reached(await hearSeller(parts, scope, connection));
  };
}

export interface AskSignerParts {
  readonly signers: Pick<SignerDirectory, 'find'>;
  readonly transport: SellerTransport;
  readonly clock: Clock;
}

/** The same of an agent that signs requests to us: without a credential, because it has given us none. */
export function signerAsker(parts: AskSignerParts): AskCapabilities {
  return async ({ id, organizationId }) => {
    if (id === undefined || organizationId === undefined) return ok(undefined);
    const signer = await parts.signers.find({ organizationId }, id);
    if (signer?.keys.kind !== 'discovered') return ok(undefined);
    const { agentUrl, dialect } = signer;
    const { protocol } = signer.keys;
    const target = { organizationId, connectionId: id, agentUrl, protocol, dialect };
    const told = await hearAgent(parts, target, 'auto');
    // It is asked every few minutes at most: no session waits for that.
    void parts.transport.forget(id);
    return reached(told);
  };
}

function reached(told: Result<ToldOfItself, AgentFailure>): Result<Capabilities, CapabilitiesOutage> {
  if (told.ok) return ok(told.value.capabilities);
  const { code, httpStatus, egress } = told.error;
  return err({ code: egress ?? code, ...(httpStatus === undefined ? {} : { status: httpStatus }) });
}
