import { tasks } from '@switchyard/protocol';
import type { SellerTarget, ConnectionDirectory } from '@switchyard/sellers';
import { destinationOf, type CountedCalls, type CredentialVersion, type Vault } from '@switchyard/vault';
import type { Clock, Instant } from '@switchyard/values';
import type { InstanceNotes, Organizations } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';

interface BindDeps {
  readonly organizations: Pick<Organizations, 'ids'>;
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly vault: Pick<Vault, 'unbound' | 'bind'>;
  readonly notes: Pick<InstanceNotes, 'get' | 'set'>;
  readonly now: Instant;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** Set once every organization was checked and nothing is left: newer credentials name their destination. */
const doneNote = 'credentials_bound';

/**
 * Runs before any call to a seller: seals the seller credentials from before destinations were part of the seal again,
 * for the current address of their connection. One that cannot be bound stays unchanged and unused; the next start
 * tries again. Once none is left, no later start checks. Secrets of buyers' callbacks are many and short-lived, and
 * bound at their first use.
 */
export async function bindCredentials(deps: BindDeps): Promise<void> {
  if ((await deps.notes.get(doneNote)) === true) return;
  let left = 0;
  for (const organizationId of await deps.organizations.ids()) left += await bindOf(deps, { organizationId });
  if (left === 0) await deps.notes.set(doneNote, true, deps.now);
}

interface CredentialHealth {
  /** A seller accepted our credential in a call of `tool`, or refused it with this HTTP status. Returns at once. */
  judged(target: SellerTarget, refusedWith?: number, tool?: string): void;
  /** Resolves once everything in progress is written. */
  settled(): Promise<void>;
}

/** How often an unchanged state is written again, in milliseconds: another process may have written the opposite. */
const againMs = 60_000;
/** The most credentials remembered. */
const rememberedAtMost = 5_000;
/** How long calls are counted before the sum is written, in milliseconds. */
const countMs = 2_000;

/** Tasks that sellers answer to everybody: an answer to one of them proves no credential. */
const openTasks: ReadonlySet<string> = new Set(
  tasks
    .filter(({ access }) => access !== 'credentials')
    .flatMap(({ names }) => [...names.ads, ...names.adcp]),
);

type Counts = { -readonly [Member in keyof CountedCalls]: CountedCalls[Member] };

/**
 * Stores what sellers say of our credentials: counts of uses and refusals, the last refusal, and what it decides about a
 * version that is on trial or has a fallback. A change is written at once, an unchanged state once a minute: a refusal
 * that another process saw is cleared within a minute of the first call that the seller accepts here. Calls that were
 * accepted are written together, one statement for all credentials of an organization.
 */
export function credentialHealth(deps: {
  readonly vault: () => Pick<Vault, 'noteError' | 'settle' | 'count'> | undefined;
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
}): CredentialHealth {
  const known = new Map<string, { readonly status: number | undefined; readonly at: Instant }>();
  const deciding = new Set<string>();
  const underWay = new Set<Promise<void>>();
  let counts = new Map<string, Map<string, Counts>>();
  let cancelCount: (() => void) | undefined;
  const run = (work: Promise<unknown>, where: string): void => {
    const done: Promise<void> = work
      .then(() => undefined)
      .catch((failure: unknown) => deps.onUnexpected(failure, where))
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };
  const writeCounts = (): void => {
    cancelCount?.();
    cancelCount = undefined;
    const all = counts;
    counts = new Map();
    for (const [organizationId, counted] of all)
      run(
        deps.vault()?.count({ organizationId }, [...counted.values()]) ?? Promise.resolve(),
        'the counts of credentials',
      );
  };
  const countOf = (organizationId: string, name: string, version: CredentialVersion): Counts => {
    const ofOne = counts.get(organizationId) ?? new Map<string, Counts>();
    counts.set(organizationId, ofOne);
    const sum = ofOne.get(name) ?? { ...version, uses: 0, refusals: 0, clearsError: false };
    ofOne.set(name, sum);
    cancelCount ??= deps.clock.after(countMs, writeCounts);
    return sum;
  };
  return {
    judged: ({ organizationId, credential }, status, tool) => {
      const vault = deps.vault();
      if (credential === undefined || vault === undefined) return;
      const { id: credentialId, version } = credential;
      const scope = { organizationId };
      const name = `${credentialId}/${version}`;
      const sum = countOf(organizationId, name, { credentialId, version });
      sum.uses += 1;
      if (status !== undefined) sum.refusals += 1;
      const decided = verdictOn(credential, status, tool);
      if (decided !== undefined && !deciding.has(name)) {
        deciding.add(name);
        const settling = vault
          .settle(scope, { credentialId, version }, decided)
          .finally(() => deciding.delete(name));
        run(settling, 'a version of a credential');
      }
      const at = deps.clock.now();
      const before = known.get(name);
      if (before !== undefined && before.status === status && at - before.at < againMs) return;
      if (known.size >= rememberedAtMost) known.clear();
      known.set(name, { status, at });
      const isAsBefore = before === undefined || before.status === status;
      sum.clearsError = status === undefined && isAsBefore;
      if (sum.clearsError) return;
      const error = status === undefined ? undefined : { at, code: `http_${status}` };
      run(vault.noteError(scope, { credentialId, version }, error), 'the last error of a credential');
    },
    settled: async () => {
      writeCounts();
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/**
 * What a call decides about a version: true if the seller has taken a candidate, false if it refuses one that something
 * else is there for. Only 401 refuses, and only an answer to a protected task accepts.
 */
function verdictOn(
  { isCandidate, instead }: NonNullable<SellerTarget['credential']>,
  status: number | undefined,
  tool: string | undefined,
): boolean | undefined {
  if (status === 401) return instead === undefined && isCandidate !== true ? undefined : false;
  if (status !== undefined || isCandidate !== true) return undefined;
  return tool !== undefined && !openTasks.has(tool) ? true : undefined;
}

/** Answers how many are left. */
async function bindOf(deps: BindDeps, scope: TenantScope): Promise<number> {
  const unbound = await deps.vault.unbound(scope);
  if (!unbound.ok) {
    deps.onUnexpected(new Error(unbound.error.message), 'binding credentials');
    return 1;
  }
  const waiting = unbound.value.filter(({ kind }) => kind !== 'callback');
  if (waiting.length === 0) return 0;
  const destinations = new Map<string, string>();
  for (const { credentialId, webhookCredentialId, agentUrl } of await deps.connections.list(scope)) {
    for (const id of [credentialId, webhookCredentialId])
      if (id !== undefined) destinations.set(id, destinationOf(agentUrl));
  }
  let left = 0;
  for (const { credentialId } of waiting) {
    // A credential that no connection names is never sent.
    const destination = destinations.get(credentialId);
    const bound =
      destination === undefined ? undefined : await deps.vault.bind(scope, credentialId, destination);
    if (bound?.ok === true && bound.value) continue;
    left += 1;
    if (bound === undefined) continue;
    const why = bound.ok ? 'it was bound before, and its older row is back' : bound.error.message;
    deps.onUnexpected(
      new Error(`The credential ${credentialId} is not bound: ${why}`),
      'binding credentials',
    );
  }
  return left;
}
