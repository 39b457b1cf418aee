import type { LeaseSecrets } from '@switchyard/buys';
import type { Capabilities } from '@switchyard/protocol';
import type {
  AgentFailure,
  QueryCapabilities,
  CapabilitiesOutage,
  ConnectionDirectory,
  SellerTransport,
  SelfDescription,
} from '@switchyard/sellers';
import type { SignerDirectory } from '@switchyard/tenancy';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import { fetchAgentCapabilities, fetchSellerCapabilities } from './onboarding/inspect-seller.js';

interface QueryCapabilitiesDeps {
  readonly connections: Pick<ConnectionDirectory, 'byId'>;
  readonly lease: LeaseSecrets;
  readonly transport: SellerTransport;
  readonly clock: Clock;
}

/**
 * Reads a seller's capabilities over its own protocol, to find its keys. A seller that answers anything is reached; the
 * steps that follow report what its answer lacks.
 */
export function capabilitiesQuery(deps: QueryCapabilitiesDeps): QueryCapabilities {
  return async ({ id, organizationId }) => {
    if (id === undefined || organizationId === undefined) return ok(undefined);
    const scope = { organizationId };
    const connection = await deps.connections.byId(scope, id);
    if (connection === undefined) return ok(undefined);
    return reached(await fetchSellerCapabilities(deps, scope, connection));
  };
}

interface SignerRequestDeps {
  readonly signers: Pick<SignerDirectory, 'find'>;
  readonly transport: SellerTransport;
  readonly clock: Clock;
}

/** The same for an agent that signs requests to us: without a credential, because it has given us none. */
export function signerQuery(deps: SignerRequestDeps): QueryCapabilities {
  return async ({ id, organizationId }) => {
    if (id === undefined || organizationId === undefined) return ok(undefined);
    const signer = await deps.signers.find({ organizationId }, id);
    if (signer?.keys.kind !== 'discovered') return ok(undefined);
    const { agentUrl, dialect } = signer;
    const { protocol } = signer.keys;
    const target = { organizationId, connectionId: id, agentUrl, protocol, dialect };
    const received = await fetchAgentCapabilities(deps, target, 'auto');
    // It is called every few minutes at most, so the session is not kept.
    void deps.transport.forget(id);
    return reached(received);
  };
}

function reached(received: Result<SelfDescription, AgentFailure>): Result<Capabilities, CapabilitiesOutage> {
  if (received.ok) return ok(received.value.capabilities);
  const { code, httpStatus, egress } = received.error;
  return err({ code: egress ?? code, ...(httpStatus === undefined ? {} : { status: httpStatus }) });
}
