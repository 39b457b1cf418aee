import { useQuery } from '@tanstack/react-query';
import { api, ApiFailure, type Answer } from '../../../api/client.js';
import { Checks, type Check } from '../../../parts/checks.js';
import { Name } from '../../../parts/name.js';

export type Run = Answer<'GET /v1/sellers/{slug}/checks'>;
export type GateCheck = Run['checks'][number];
type Key = GateCheck['key'];

/** What each check finds out, in the order in which they run. */
export const titles: Readonly<Record<Key, string>> = {
  source: 'The publisher names the agent',
  address: 'The address may be called',
  'reach.mcp': 'Answers in MCP',
  'reach.a2a': 'Answers in A2A',
  'reach.connector': 'A connector calls it',
  metadata: 'How to sign in is known',
  authorise: 'Sign-in is accepted',
  capabilities: 'Says what it can do',
  keys: 'Publishes its keys',
  accounts: 'Our account is accepted',
  'read.mcp': 'Products can be read',
  'read.a2a': 'Products can be read in A2A',
  'read.connector': 'Products can be read by the connector',
  buy: 'A practice order is taken',
  webhook: 'A signed webhook arrives',
  report: 'The report is written',
  approve: 'Another person agrees',
  live: 'Is live',
};
const keys = Object.keys(titles) as readonly Key[];

/** How often the checks of a seller are read while they run, in milliseconds. */
const runningEveryMs = 700;

/** The newest result of each check of one seller; read again and again while they run. */
export function useGateRun(slug: string | undefined, isStarted = false) {
  return useQuery({
    // The noun of the route: a change of the seller has it read again.
    queryKey: ['sellers', 'GET /v1/sellers/{slug}/checks', slug],
    queryFn: async ({ signal }) => {
      try {
        return await api('GET /v1/sellers/{slug}/checks', { params: { slug: slug ?? '' }, signal });
      } catch (error) {
        // The first checks of a seller run before it is stored.
        if (isStarted && error instanceof ApiFailure && error.status === 404) return null;
        throw error;
      }
    },
    enabled: slug !== undefined && slug !== '',
    retry: false,
    refetchInterval: ({ state: { data } }) =>
      isStarted || data?.checks.some(({ state }) => state === 'running') === true ? runningEveryMs : false,
  });
}

const states = {
  passed: 'ok',
  failed: 'stops',
  running: 'running',
  needs_person: 'asks',
  waiting: 'to do',
  skipped: 'to do',
} as const satisfies Readonly<Record<GateCheck['state'], Check['state']>>;

/** Where the sentence of a check speaks to who uses the command line, or of a step that the page shows by itself. */
const ownWords: Readonly<Record<string, string>> = {
  waits: '',
  runs: '',
  wants_credential: 'It answers, and wants us to sign in.',
  made: 'It stands below, to copy or to download.',
};

/** The check with a key, unless it has not begun. */
export const checkOf = (run: Pick<Run, 'checks'> | null | undefined, key: Key): GateCheck | undefined =>
  run?.checks.find((check) => check.key === key);

/** How many checks are behind a seller, of those that it needs. */
export function progressOf(run: Run | null | undefined): string {
  const needed = keys.filter((key) => checkOf(run, key)?.state !== 'skipped');
  const passed = needed.filter((key) => checkOf(run, key)?.state === 'passed');
  return `${passed.length} of ${needed.length} passed`;
}

/** Each check with what it found. Those that this seller does not need stand behind a summary. */
export function GateChecks({
  run,
  onlyRan = false,
}: {
  readonly run: Pick<Run, 'checks'> | null | undefined;
  /** Leaves out those that have no result. */
  readonly onlyRan?: boolean;
}) {
  const of = onlyRan ? keys.filter((key) => checkOf(run, key) !== undefined) : keys;
  const rows = of.map((key): Check & { readonly isSkipped: boolean } => {
    const check = checkOf(run, key);
    return {
      title: titles[key],
      state: check === undefined ? 'to do' : states[check.state],
      detail: check && <Name of={ownWords[check.code] ?? check.words} most={400} />,
      isSkipped: check?.state === 'skipped',
    };
  });
  const skipped = rows.filter(({ isSkipped }) => isSkipped);
  return (
    <>
      <Checks of={rows.filter(({ isSkipped }) => !isSkipped)} />
      {skipped.length > 0 && (
        <details className="skipped">
          <summary>
            {skipped.length} {skipped.length === 1 ? 'check is' : 'checks are'} not needed
          </summary>
          <Checks of={skipped} />
        </details>
      )}
    </>
  );
}
