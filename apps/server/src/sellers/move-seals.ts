import type { SealedUnder } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { err, ok, type Clock, type Instant, type Result } from '@switchyard/values';
import { proveKeys, type MasterKeys, type Vault } from '@switchyard/vault';
import type { AdminFailure } from '../platform/failure.js';

export interface MoveSealsDeps {
  readonly keys: MasterKeys;
  readonly vault: Pick<Vault, 'rewrapAll'>;
  /** Moves the checkpoint of an organization's ledger. */
  readonly rewrapCheckpoint: (scope: TenantScope) => Promise<boolean>;
  /** What is sealed under each master key, in all organizations. */
  readonly sealedUnder: () => Promise<readonly SealedUnder[]>;
  /** Stores which key wraps from now on, for every process. */
  readonly choose: (keyId: string, at: Instant) => Promise<void>;
  /** Wraps the value by which a start knows its master keys under the current one. */
  readonly moveKeyCheck: (at: Instant) => Promise<void>;
  readonly clock: Clock;
}

/** What one call has moved, and what is left under which key. */
export interface MovedSeals {
  readonly rewrapped: number;
  /** Records under other keys: call again, until it is 0. */
  readonly left: number;
  readonly keyId: string;
  readonly under: ReadonlyMap<string, number>;
}

/** How long one call works, in milliseconds: the answer comes before a proxy gives up. */
const workMs = 20_000;

/**
 * Moves every data key of the installation to a master key: credentials with their revoked versions, checkpoints of
 * ledgers, the value by which a start knows its keys. Each record is a step of its own, so this can be cut off at any point
 * and called again.
 *
 * The new key is tried first, with the rights that are there now. Then all processes wrap under it, and only then records
 * are moved, so that no process adds one under the key before. A seal that had its data key already is found by the next
 * pass.
 */
export async function moveSeals(
  deps: MoveSealsDeps,
  to = deps.keys.configuredKeyId,
): Promise<Result<MovedSeals, AdminFailure>> {
  const keys = deps.keys.at(to);
  if (keys === undefined) return err(unknownKey(to));
  const proved = await proveKeys(keys);
  if (!proved.ok)
    return err(
      proved.error.code === 'unknown_key'
        ? unknownKey(to)
        : { code: 'UNAVAILABLE', message: `Nothing was moved. ${proved.error.message}` },
    );
  const began = deps.clock.now();
  await deps.choose(to, began);
  const chosen = await deps.keys.refresh();
  if (!chosen.ok) return err({ code: 'UNAVAILABLE', message: chosen.error.message });
  await deps.moveKeyCheck(began);
  let rewrapped = 0;
  let left = await behind(deps, to);
  for (let moved = 1; moved > 0 && left.length > 0 && deps.clock.now() < began + workMs;) {
    moved = 0;
    for (const { organizationId, checkpoints } of left) {
      const report = await deps.vault.rewrapAll({ organizationId }, began + workMs);
      if (!report.ok) return err({ code: 'UNAVAILABLE', message: report.error.message });
      const checkpoint = checkpoints > 0 && (await deps.rewrapCheckpoint({ organizationId }));
      moved += report.value.rewrapped + (checkpoint ? 1 : 0);
    }
    rewrapped += moved;
    left = await behind(deps, to);
  }
  const under = new Map<string, number>();
  for (const { keyId, credentials, checkpoints } of await deps.sealedUnder())
    under.set(keyId, (under.get(keyId) ?? 0) + credentials + checkpoints);
  const rest = [...under].reduce((sum, [keyId, count]) => (keyId === to ? sum : sum + count), 0);
  return ok({ rewrapped, left: rest, keyId: to, under });
}

async function behind({ sealedUnder }: MoveSealsDeps, to: string): Promise<readonly SealedUnder[]> {
  return (await sealedUnder()).filter(({ keyId }) => keyId !== to);
}

function unknownKey(to: string): AdminFailure {
  return {
    code: 'NOT_FOUND',
    message: `This process has no master key ${to}.`,
    field: 'to',
    suggestion:
      'Name it in SWITCHYARD_KMS_KEY_ID or SWITCHYARD_KMS_KEY_IDS, or add one: switchyard keyring add',
  };
}
