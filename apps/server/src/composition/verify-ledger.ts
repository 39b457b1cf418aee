import { isMacOfCheckpoint, macOfCheckpoint, type Anchor, type Checkpoint } from '@switchyard/journal';
import type { LedgerVerification } from '@switchyard/ledger';
import type { CheckpointStore, SealedCheckpoint } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import type { KeyManagement } from '@switchyard/vault';

export interface VerifierDeps {
  readonly keys: Pick<KeyManagement, 'generateDataKey' | 'unwrap'>;
  readonly checkpoints: CheckpointStore;
  /** Reads the ledger, all of it or what came after a checkpoint; elsewhere than on this thread. */
  readonly read: (
    scope: TenantScope,
    options: { readonly since?: Checkpoint; readonly anchors?: readonly Anchor[] },
  ) => Promise<LedgerVerification>;
  readonly clock: Clock;
}

export interface LedgerCheck extends LedgerVerification {
  /** The checkpoint that the reading began at; absent where it began at the first entry. */
  readonly since?: Checkpoint;
}

export interface LedgerCheckOptions {
  readonly fromStart?: boolean;
  readonly anchors?: readonly Anchor[];
}

export interface LedgerVerifier {
  /**
   * Verifies an organization's ledger from its last checkpoint, or from the first entry where it has none or
   * `fromStart` says so, and stores a checkpoint where everything holds.
   *
   * A checkpoint that another key made is a problem of its own. The ledger is then read from the first entry, and the
   * checkpoint is replaced where `fromStart` was asked for and nothing else is wrong. One whose key cannot be opened now
   * is as good as none. With `anchors` everything is read, and the stream has to pass through them.
   */
  verify(scope: TenantScope, options?: LedgerCheckOptions): Promise<LedgerCheck>;
}

export function createLedgerVerifier(deps: VerifierDeps): LedgerVerifier {
  // One reading at a time: each has a thread and a connection of its own.
  let before: Promise<unknown> = Promise.resolve();
  return {
    verify: (scope, options = {}) => {
      const check = before.then(() => verify(deps, scope, options));
      before = check.catch(() => undefined);
      return check;
    },
  };
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
    // From the first entry on, the checkpoint is a block that the stream has to pass through.
    ...(since === undefined && trusted !== undefined
      ? { anchors: [plain(trusted.head), ...anchors] }
      : { anchors }),
  });
  if (read.ok && read.head.number > 0n && (standing !== 'forged' || fromStart)) {
    const verifiedAt = deps.clock.now();
    const { head, sums } = read;
    await store(deps, scope, { head, sums, verifiedAt, wholeAt: since?.wholeAt ?? verifiedAt }, stored);
  }
  if (standing === 'forged') return { ...read, ...withForged(read) };
  return since === undefined ? read : { ...read, since };
}

const plain = ({ number, hash }: Anchor): Anchor => ({ number, hash });

function contextOf({ organizationId }: TenantScope) {
  return { v: '1', purpose: 'journal-checkpoint', organization: organizationId };
}

async function standingOf(
  { keys }: VerifierDeps,
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

/** Without the key service there is no checkpoint, and the next verification reads more. */
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
