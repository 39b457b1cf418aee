import type { TenantScope } from '@switchyard/tenancy';
import { isTaken } from '../model/leg-lease.js';
import type { OperationState } from '../model/operation-store.js';
import { pollLeg } from './poll-leg.js';
import type { BuysPorts } from '../model/ports.js';
import { readBack } from './read-back.js';
import { nextStep } from '../send/resume-leg.js';
import type { Leg } from '../model/operation.js';
import { runLeg, type LegRun } from '../send/run-leg.js';

/** Performs the next step of an unfinished leg. */
export async function followLeg(
  ports: BuysPorts,
  scope: TenantScope,
  legId: string,
  known: LegRun,
): Promise<OperationState | undefined> {
  const leg = await ports.store.leg(scope, legId);
  if (leg === undefined) return undefined;
  const run = await asWritten(ports, scope, leg, known);
  const now = ports.clock.now();
  const step = nextStep(leg, run.connection, now);
  // A send is still running: a read-back would find nothing yet, and could park a leg that will succeed.
  if (step === 'leave' || (step === 'read_back' && isTaken(leg, now))) return undefined;
  const signing = run.signer === undefined ? await withSigner(ports, scope, leg, run) : run;
  switch (step) {
    case 'send':
    case 'send_again':
      return runLeg(ports, scope, legId, signing);
    case 'read_back':
      return readBack(ports, scope, leg, signing);
    case 'poll':
      return pollLeg(ports, scope, leg, signing);
  }
}

/** For a leg that was encoded again, loads the current connection if the caller's version is older. */
async function asWritten(
  { connections }: Pick<BuysPorts, 'connections'>,
  scope: TenantScope,
  { earlier, profile, connectionId }: Leg,
  run: LegRun,
): Promise<LegRun> {
  const { dialect, form } = run.connection;
  if (earlier === undefined || (dialect === profile.dialect && form === profile.form)) return run;
  const connection = await connections.byId(scope, connectionId);
  return connection === undefined ? run : { ...run, connection };
}

/** A follower signs as the principal that began the leg, at sellers that verify signatures. */
async function withSigner(ports: BuysPorts, scope: TenantScope, leg: Leg, run: LegRun): Promise<LegRun> {
  if (ports.signerFor === undefined) return run;
  const { capabilities, wantsRelaySignature } = run.connection;
  if (capabilities?.requestSigning.supported !== true && wantsRelaySignature !== true) return run;
  const state = await ports.store.state(scope, leg.operationId);
  if (state === undefined) return run;
  const use = { operationId: leg.operationId, purpose: leg.task };
  return { ...run, signer: ports.signerFor(scope, state.operation.principalId, use) };
}
