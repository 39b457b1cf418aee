import {
  defaultAdmissionLimits,
  judgeAdmissions,
  type AdmissionLimits,
  type Connection,
  type ConnectionDirectory,
  type KeyedConnection,
  type KeyWatch,
} from '@switchyard/sellers';
import type { KeySighting, SeenKeys } from '@switchyard/store';
import type { AlarmRepository, AlarmToRaise, SignerDirectory } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';
import { seldom } from '../platform/seldom.js';

interface KeyAlarmDeps {
  readonly alarms: AlarmRepository;
  readonly connections: Pick<ConnectionDirectory, 'storeKeySet'>;
  readonly signers: Pick<SignerDirectory, 'storeKeySet'>;
  readonly seenKeys: SeenKeys;
  readonly limits: AdmissionLimits;
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** Reports changes of foreign keys to people. Nothing waits for it, and it revokes nothing. */
export interface KeyAlarms {
  /** Of sellers' keys. */
  readonly watch: KeyWatch;
  /**
   * Of the keys of agents that sign requests to us, each under the id of its registration. Any key that a request names
   * leads to a check of all of them, so one alarm is raised every ten seconds at most.
   */
  readonly signerWatch: KeyWatch;
  /** A key has verified. */
  sighted(organizationId: string, sighting: KeySighting): void;
  /** A signer has reached the cap of its nonces: its signatures are refused until some nonces have expired. */
  rateAbused(organizationId: string, keyid: string, agentUrl: string): void;
  /**
   * A webhook brought another kind of proof than its address was registered for: its seller is migrating, or somebody
   * else knows the address.
   */
  modeMismatched(connection: Pick<Connection, 'id' | 'organizationId' | 'slug'>): void;
  /** Resolves once everything in progress is written. */
  settled(): Promise<void>;
}

/** Keys that one process remembers, so that the database is queried once for each. */
const remembered = 20_000;
const tuningOverdueMs = 30 * 24 * 3_600_000;

export function createKeyAlarms(deps: KeyAlarmDeps): KeyAlarms {
  const known = new Set<string>();
  const isDue = seldom(deps.clock);
  const underWay = new Set<Promise<void>>();
  const aside = (work: Promise<void>): void => {
    const watched = work
      .catch((error: unknown) => deps.onUnexpected(error, 'an alarm'))
      .finally(() => underWay.delete(watched));
    underWay.add(watched);
  };
  const raise = async (organizationId: string, alarm: AlarmToRaise): Promise<void> => {
    await deps.alarms.raise({ organizationId }, alarm);
  };
  return {
    watch: watchWith(raise, aside, ofSellers(deps)),
    signerWatch: watchWith(raise, aside, ofSigners(deps), isDue),
    sighted: (organizationId, sighting) => {
      const { surface, agentUrl, keyid } = sighting;
      const name = JSON.stringify([organizationId, surface, agentUrl, keyid]);
      if (known.has(name)) return;
      if (known.size >= remembered) known.clear();
      known.add(name);
      aside(admit(deps, organizationId, sighting, raise));
    },
    rateAbused: (organizationId, keyid, agentUrl) => {
      const subject = `key ${keyid} of ${agentUrl}`.slice(0, 500);
      aside(raise(organizationId, { kind: 'rate_abuse', subject, detail: { keyid, agent_url: agentUrl } }));
    },
    modeMismatched: ({ id, organizationId, slug }) => {
      if (!isDue(`mode of ${id}`)) return;
      const detail = { connection_id: id };
      aside(raise(organizationId, { kind: 'webhook_mode_mismatch', subject: `seller ${slug}`, detail }));
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

type Raise = (organizationId: string, alarm: AlarmToRaise) => Promise<void>;

/** The owner of keys in an alarm, and where the address of a key set is stored. */
interface Watched {
  readonly aboutIt: (connection: KeyedConnection) => Pick<AlarmToRaise, 'subject' | 'detail'>;
  readonly keep: (connection: KeyedConnection, jwksUri: string) => Promise<void>;
}

function ofSellers(deps: KeyAlarmDeps): Watched {
  return {
    aboutIt: ({ slug = '', id = '' }) => ({ subject: `seller ${slug}`, detail: { connection_id: id } }),
    keep: (connection, jwksUri) => keepOfSeller(deps, connection, jwksUri),
  };
}

function ofSigners({ signers }: KeyAlarmDeps): Watched {
  return {
    aboutIt: ({ agentUrl, id = '' }) => ({
      subject: `signer ${id} at ${agentUrl}`.slice(0, 500),
      detail: { signer_id: id, agent_url: agentUrl },
    }),
    keep: async ({ organizationId, id }, jwksUri) => {
      if (organizationId === undefined || id === undefined) return;
      await signers.storeKeySet({ organizationId }, id, { jwksUri, known: undefined });
    },
  };
}

function watchWith(
  raise: Raise,
  aside: (work: Promise<void>) => void,
  { aboutIt, keep }: Watched,
  isDue: (what: string) => boolean = () => true,
): KeyWatch {
  const notify = (
    connection: KeyedConnection,
    kind: AlarmToRaise['kind'],
    more: AlarmToRaise['detail'],
  ): void => {
    const { subject, detail } = aboutIt(connection);
    const { organizationId } = connection;
    if (organizationId === undefined || !isDue(JSON.stringify([kind, subject, more]))) return;
    aside(raise(organizationId, { kind, subject, detail: { ...detail, ...more } }));
  };
  return {
    found: (connection, jwksUri) => {
      if (isDue(JSON.stringify(['found', connection.id, jwksUri]))) aside(keep(connection, jwksUri));
    },
    changed: (connection, known, named) => notify(connection, 'jwks_uri_changed', { known, named }),
    testKey: (connection, keyid) => notify(connection, 'published_test_key', { keyid }),
    revocationsUntrusted: ({ organizationId }, brandUrl) => {
      if (organizationId !== undefined) aside(raise(organizationId, unreadable(brandUrl)));
    },
  };
}

function unreadable(brandUrl: string): AlarmToRaise {
  return { kind: 'revocations_unreadable', subject: brandUrl, detail: { brand_json_url: brandUrl } };
}

/** The first address wins: a second one found at the same time is a change. */
async function keepOfSeller(
  deps: KeyAlarmDeps,
  { organizationId, id, agentUrl }: KeyedConnection,
  jwksUri: string,
): Promise<void> {
  if (organizationId === undefined || id === undefined) return;
  const keySet = { kind: 'found', known: undefined, jwksUri } as const;
  await deps.connections.storeKeySet({ organizationId }, { id, agentUrl }, keySet, deps.clock.now());
}

async function admit(
  deps: KeyAlarmDeps,
  organizationId: string,
  sighting: KeySighting,
  raise: Raise,
): Promise<void> {
  const scope = { organizationId };
  if (!(await deps.seenKeys.isFirst(scope, sighting))) return;
  const counts = await deps.seenKeys.counts(scope);
  for (const clause of judgeAdmissions(counts, deps.limits)) {
    const { lastFiveMinutes, lastHour, lastDay } = counts;
    const detail = { clause, last_5_minutes: lastFiveMinutes, last_hour: lastHour, last_day: lastDay };
    await raise(organizationId, { kind: 'keyids_surge', subject: clause, detail });
  }
  if (counts.knownForMs > tuningOverdueMs && deps.limits === defaultAdmissionLimits) {
    const detail = { advice: 'Set the SWITCHYARD_KEYIDS_* limits to what is usual here.' };
    await raise(organizationId, { kind: 'threshold_tuning_overdue', subject: 'new keys', detail });
  }
}

/** The settings of the limits of new keys, each absent unless set. */
type KeyidSettings = Readonly<
  Partial<
    Record<
      `SWITCHYARD_KEYIDS_${'SHORT_RATIO' | 'MEDIUM_RATIO' | 'LONG_RATIO' | 'FLOOR' | 'SHARE' | 'LEAST'}`,
      number | undefined
    >
  >
>;

/** The default objects themselves if nothing is set: their identity shows that they were never tuned. */
export function admissionLimits(settings: KeyidSettings): AdmissionLimits {
  const limits = {
    shortRatio: settings.SWITCHYARD_KEYIDS_SHORT_RATIO,
    mediumRatio: settings.SWITCHYARD_KEYIDS_MEDIUM_RATIO,
    longRatio: settings.SWITCHYARD_KEYIDS_LONG_RATIO,
    floor: settings.SWITCHYARD_KEYIDS_FLOOR,
    share: settings.SWITCHYARD_KEYIDS_SHARE,
    least: settings.SWITCHYARD_KEYIDS_LEAST,
  };
  const set = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  return set.length === 0
    ? defaultAdmissionLimits
    : { ...defaultAdmissionLimits, ...Object.fromEntries(set) };
}
