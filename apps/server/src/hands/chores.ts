import { marketReads, readKeptMs } from '@switchyard/buys';
import type { CallbackSecretsPurge, OldReads } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { every, type Rounds } from './every.js';
import { forgetEvents, type ForgetParts } from './forget-events.js';
import { measureLag, type LagParts } from './measure-lag.js';
import { refreshCapabilities } from './refresh-capabilities.js';
import { mutationPatienceMs } from '../application/patience.js';
import { tellEndlessLegs, type EndlessParts } from './tell-endless-legs.js';
import { tellUnanswered, type UnansweredParts } from './tell-unanswered.js';

/** How often what is not urgent is looked after, in milliseconds. */
const everyMs = 60_000;
/** How long the secrets of a callback outlive what it was for, in milliseconds: as long as anything is told of it. */
const keepSecretsMs = readKeptMs;
const keepRefusalsMs = 7 * 24 * 3_600_000;
/** How often people are told of what has come to no outcome, and secrets that are of no use are forgotten. */
const seldomEveryMs = 60 * 60_000;
/** How often what is shown of the work is measured: as fresh as a scrape wants it. */
const lagEveryMs = 5_000;
/** By this age, in milliseconds, whoever was to answer an operation has done so or is dead. */
const answeredByMs = mutationPatienceMs + 15_000;

export interface ChoresParts
  extends ForgetParts, EndlessParts, Pick<UnansweredParts, 'abandoned'>, Pick<LagParts, 'lag'> {
  /** What verifiers have seen, of which the expired is forgotten. */
  readonly nonces: { purge(): Promise<number> };
  /** Our own keys: published ones come into use, retiring ones end. */
  readonly ownKeys: { advance(scope: TenantScope): Promise<number> };
  /** Questions to the market whose answers are too old to be read. */
  readonly reads: OldReads;
  /** Secrets of callbacks that nothing more is sent to. */
  readonly callbackSecrets: CallbackSecretsPurge;
  /** Verdicts on refused signatures, which are kept for a week. */
  readonly refusals: { purge(scope: TenantScope, before: Instant): Promise<number> };
}

/**
 * Looks after what ages by itself, once a minute: nonces and keys that have expired, bytes beyond their retention, and
 * what sellers say they can do. A failure waits for the next round, and keeps nothing else from its turn.
 */
export function startChores(parts: ChoresParts): Rounds {
  const { clock } = parts.ports;
  const round = async (): Promise<void> => {
    await parts.nonces.purge().catch((error: unknown) => {
      parts.onUnexpected(error, 'forgetting nonces');
    });
    await forgetEvents(parts).catch((error: unknown) => {
      parts.onUnexpected(error, 'forgetting webhooks');
    });
    for (const organizationId of await parts.organizations.ids()) {
      await parts.ownKeys.advance({ organizationId }).catch((error: unknown) => {
        parts.onUnexpected(error, 'the rotation of our keys');
      });
      await parts.refusals
        .purge({ organizationId }, parts.ports.clock.now() - keepRefusalsMs)
        .catch((error: unknown) => parts.onUnexpected(error, 'forgetting refused signatures'));
      const now = clock.now();
      await tellUnanswered(parts, { organizationId }, now - answeredByMs, now).catch((error: unknown) => {
        parts.onUnexpected(error, 'telling buyers that were not answered');
      });
      await parts.reads
        .forget({ organizationId }, marketReads, now - readKeptMs)
        .catch((error: unknown) => parts.onUnexpected(error, 'forgetting old questions'));
      await refreshCapabilities(parts, { organizationId });
    }
  };
  const rounds = [
    every(clock, everyMs, round, (error) => parts.onUnexpected(error, 'the chores')),
    every(
      clock,
      seldomEveryMs,
      async () => {
        for (const organizationId of await parts.organizations.ids()) {
          const scope = { organizationId };
          await parts.callbackSecrets
            .forget(scope, clock.now() - keepSecretsMs)
            .catch((error: unknown) => parts.onUnexpected(error, 'forgetting secrets of callbacks'));
          await tellEndlessLegs(parts, scope, clock.now());
        }
      },
      (error) => parts.onUnexpected(error, 'telling of legs without an outcome'),
    ),
    every(
      clock,
      lagEveryMs,
      () => measureLag(parts, clock),
      (error) => parts.onUnexpected(error, 'measuring the lag'),
    ),
  ];
  return {
    stop: async () => {
      await Promise.all(rounds.map((one) => one.stop()));
    },
  };
}
