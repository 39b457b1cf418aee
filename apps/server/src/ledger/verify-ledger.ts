import { isMacOfCheckpoint, macOfCheckpoint, type Anchor, type Checkpoint } from '@switchyard/journal';
import type { LedgerVerification } from '@switchyard/ledger';
import type { CheckpointStore, SealedCheckpoint } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import type { KeyManagement } from '@switchyard/vault';

export interface VerifierDeps {
  readonly keys: Pick<KeyManagement, 'generateDataKey' | 'unwrap'>;
  readonly checkpoints: CheckpointStore;
  /** Reads the whole ledger or what came after a checkpoint, on another thread. */
  readonly read: (
    scope: TenantScope,
    options: { readonly since?: Checkpoint; readonly anchors?: readonly Anchor[] },
  ) => Promise<LedgerVerification>;
  readonly clock: Clock;
}

export interface LedgerCheck extends LedgerVerification {
  /** The checkpoint that the read began at; absent if it began at the first entry. */
  readonly since?: Checkpoint;
}

interface LedgerCheckOptions {
  readonly fromStart?: boolean;
  readonly anchors?: readonly Anchor[];
}

export interface LedgerVerifier {
  /**
   * Verifies an organization's ledger from its last checkpoint, or from the first entry if there is none or `fromStart`
   * is set, and stores a checkpoint if everything is intact.
   *
   * A checkpoint made with another key is reported as a problem. The ledger is then read from the first entry, and the
   * checkpoint is replaced if `fromStart` is set and nothing else is wrong. A checkpoint whose key cannot be opened now
   * counts as absent. With `anchors` everything is read, and the stream must contain them.
   */
  verify(scope: TenantScope, options?: LedgerCheckOptions): Promise<LedgerCheck>;
}

export function createLedgerVerifier(deps: VerifierDeps): LedgerVerifier {
  // One read at a time: each has its own thread and connection.
  let before: Promise<unknown> = Promise.resolve();
  return {
    verify: (scope, options = {}) => {
      const check = before.then(() => verify(deps, scope, options));
      before = check.catch(() => undefined);
      return check;
    },
  };
}

/**
 * Wraps the key of a checkpoint's MAC under the current master key. The new wrap must open the same MAC before it replaces
 * the old one. False if nothing was moved: it is there already, is not ours, or the key service did not answer.
 */
export async function rewrapCheckpoint(
  deps: Pick<VerifierDeps, 'checkpoints'> & { readonly keys: KeyManagement },
  scope: TenantScope,
): Promise<boolean> {
  const stored = await deps.checkpoints.find(scope);
  if (stored === undefined || stored.keyId === deps.keys.currentKeyId()) return false;
  const from = { keyId: stored.keyId, wrapped: stored.wrappedKey };
  const to = await deps.keys.rewrap({ ...from, context: contextOf(scope) });
  if (!to.ok) return false;
  const { keyId, wrapped: wrappedKey } = to.value;
  if ((await standingOf(deps, scope, { ...stored, keyId, wrappedKey })) !== 'ours') return false;
  return deps.checkpoints.replaceWrap(scope, from, to.value);
}

async function verify(
  deps: VerifierDeps,
  scope: TenantScope,
  { fromStart: isWhole = false, anchors = [] }: LedgerCheckOptions,
): Promise<LedgerCheck> {
  const fromStart = isWhole || anchors.length > 0;
  const stored = await deps.checkpoints.find(scope);
  const standing = stored === undefined ? 'none' : await standingOf(deps, scope, stored);
  const trusted = standing === 'ours' ? stored?.checkpoint : undefined;
  const since = fromStart ? undefined : trusted;
  const read = await deps.read(scope, {
    ...(since === undefined ? {} : { since }),
    // In a read from the first entry, the checkpoint is a block that the stream must contain.
    ...(since === undefined && trusted !== undefined
      ? { anchors: [plain(trusted.head), ...anchors] }
      : { anchors }),
  });
  if (read.ok && read.head.number > 0n && (standing !== 'forged' || fromStart)) {
    const verifiedAt = deps.clock.now();
    const { head, sums } = read;
    await store(
      deps,
      scope,
      { head, sums, verifiedAt, fullyVerifiedAt: since?.fullyVerifiedAt ?? verifiedAt },
      stored,
    );
  }
  if (standing === 'forged') return { ...read, ...withForged(read) };
  return since === undefined ? read : { ...read, since };
}

const plain = ({ number, hash }: Anchor): Anchor => ({ number, hash });

function contextOf({ organizationId }: TenantScope) {
  return { v: '1', purpose: 'journal-checkpoint', organization: organizationId };
}

async function standingOf(
  { keys }: Pick<VerifierDeps, 'keys'>,
  scope: TenantScope,
  { checkpoint, keyId, wrappedKey, mac }: SealedCheckpoint,
): Promise<'ours' | 'forged' | 'unknown'> {
  const key = await keys.unwrap({ keyId, wrapped: wrappedKey, context: contextOf(scope) });
  if (!key.ok) {
    const { code } = key.error;
    return code === 'invalid_ciphertext' || code === 'wrong_key' ? 'forged' : 'unknown';
  }
  const isOurs = key.value.use((bytes) => isMacOfCheckpoint(bytes, checkpoint, mac));
  key.value.wipe();
  return isOurs ? 'ours' : 'forged';
}

/** Without the key service no checkpoint is stored, and the next verification reads more. */
async function store(
  { keys, checkpoints }: VerifierDeps,
  scope: TenantScope,
  checkpoint: Checkpoint,
  replaced: SealedCheckpoint | undefined,
): Promise<void> {
  const key = await keys.generateDataKey(contextOf(scope));
  if (!key.ok) return;
  const { keyId, wrapped: wrappedKey, plaintext } = key.value;
  const mac = plaintext.use((bytes) => macOfCheckpoint(bytes, checkpoint));
  plaintext.wipe();
  await checkpoints.save(scope, { checkpoint, keyId, wrappedKey, mac }, replaced);
}

function withForged({ problems, problemTotal }: LedgerVerification) {
  const problem = {
    code: 'checkpoint' as const,
    message:
      'The stored checkpoint was not made by this installation, or was changed. Everything was read from the first ' +
      'entry instead. With --from-start a new checkpoint takes its place, if nothing else is wrong.',
    at: 'journal_checkpoint',
  };
  return { ok: false, problems: [problem, ...problems].slice(0, 100), problemTotal: problemTotal + 1 };
}
