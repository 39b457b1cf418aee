import type { LeaseSecrets } from '@switchyard/buys';
import {
  queryAgent,
  egressCaps,
  probeSeller,
  targetOf,
  type AgentFailure,
  type Connection,
  type DiscoveredSeller,
  type ProbeFailure,
  type SellerTarget,
  type SellerTransport,
  type SelfDescription,
} from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { err, type Clock, type Result } from '@switchyard/values';

/** Our credential could not be opened, so the seller was not called at all. */
export const unopened: AgentFailure = {
  code: 'unreachable',
  message: 'It was not queried: our credential for it cannot be used at its address now.',
};

/** The timeout of an agent's capabilities, in milliseconds. */
const timeoutMs = 10_000;

export interface InspectDeps {
  readonly lease: LeaseSecrets;
  readonly transport: SellerTransport;
  readonly clock: Clock;
}

/** Reads a seller's capabilities and offer, with our credential there. Changes nothing. */
export async function inspectSeller(
  deps: InspectDeps,
  scope: TenantScope,
  connection: Connection,
): Promise<Result<DiscoveredSeller, ProbeFailure>> {
  const target = await sellerTarget(deps, scope, connection);
  if (target === undefined) return err(unopened);
  return inTime(deps.clock, (signal) =>
    probeSeller(deps.transport, target, connection.configuredForm, signal),
  );
}

/** Reads only a seller's capabilities, whatever it sells, to find its keys. */
export async function fetchSellerCapabilities(
  deps: InspectDeps,
  scope: TenantScope,
  connection: Connection,
): Promise<Result<SelfDescription, AgentFailure>> {
  const target = await sellerTarget(deps, scope, connection);
  if (target === undefined) return err(unopened);
  return fetchAgentCapabilities(deps, target, connection.configuredForm);
}

/** Reads the capabilities of any agent; an answer longer than capabilities can be counts as none. */
export function fetchAgentCapabilities(
  { transport, clock }: Omit<InspectDeps, 'lease'>,
  target: SellerTarget,
  configured: Connection['configuredForm'],
): Promise<Result<SelfDescription, AgentFailure>> {
  const maxAnswerBytes = egressCaps.capabilities;
  return inTime(clock, (signal) => queryAgent(transport, target, { configured, signal, maxAnswerBytes }));
}

/** Where and with which credential a connection is called; undefined: its credential cannot be used now. */
export async function sellerTarget(
  { lease }: InspectDeps,
  scope: TenantScope,
  connection: Connection,
): Promise<SellerTarget | undefined> {
  const secrets = await lease(scope, [connection], { operationId: connection.id, purpose: 'probe' });
  const credential = secrets.ok ? secrets.value.get(connection.id)?.credential : undefined;
  // A seller that we have a credential for is not called without it: the agent at the address may be another one.
  if (connection.credentialId !== undefined && credential === undefined) return undefined;
  return targetOf(connection, credential);
}

function inTime<T>(clock: Clock, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  return work(stop.signal).finally(clock.after(timeoutMs, () => stop.abort()));
}
