import { may, type Me } from '../../api/session.js';
import { Go } from '../../parts/go.js';
import { Avatar } from '../../parts/avatar.js';
import { Checks, type Check } from '../../parts/checks.js';
import { StatusBadge } from '../../parts/status.js';
import { clean, Name, wordsOf } from '../../parts/name.js';
import { actText } from '../../parts/act-words.js';
import { HistoryList } from '../../parts/history-list.js';
import { Panel } from '../../parts/panel.js';
import { useSellerNames } from '../../parts/seller-name.js';
import { Stats } from '../../parts/stats.js';
import { useAnswer } from '../../parts/use-rows.js';
import { MarketNow } from '../admin/market-now.js';
import { NeedsYou } from './needs-you.js';

const soonMs = 30 * 86_400_000;

/** The start page of an administrator: what stops others, and what changed lately. */
export function AdminHome({ me }: { readonly me: Me }) {
  return (
    <>
      <Figures me={me} />
      <div className="columns">
        <div className="column">
          <NeedsYou about="what stops others first" />
          {may(me, 'sellers.write') && <BeingConnected />}
        </div>
        <div className="column">
          <System me={me} />
          {may(me, 'sellers.read') && <MarketNow />}
          {may(me, 'principals.read') && <Lately />}
        </div>
      </div>
    </>
  );
}

function Figures({ me }: { readonly me: Me }) {
  const maySellers = may(me, 'sellers.read');
  const mayPeople = may(me, 'principals.read');
  const nameOf = useSellerNames();
  const before = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000 + soonMs).toISOString();
  const instance = useAnswer('GET /v1/instance', {}, maySellers);
  const ending = useAnswer(
    'GET /v1/credentials',
    { query: { retires_before: before, limit: '50' } },
    maySellers,
  );
  const alarms = useAnswer('GET /v1/alarms', { query: { state: 'open', limit: '50' } }, maySellers);
  const people = useAnswer('GET /v1/principals', { query: { limit: '200' } }, mayPeople);
  const { sellers = 0, sellers_live: live = 0 } = instance.data ?? {};
  const keys = ending.data?.credentials ?? [];
  const open = alarms.data?.alarms.length ?? 0;
  const all = people.data?.principals ?? [];
  const persons = all.filter(({ kind, revoked_at: at }) => kind === 'person' && at === undefined);
  const weak = persons.filter(({ sign_in: way }) => way === 'password' || way === 'link');
  return (
    <Stats
      label="The instance"
      of={[
        ...(maySellers
          ? [
              {
                label: 'Sellers that answer',
                value: live,
                unit: `of ${sellers}`,
                note: live === sellers ? 'all of them' : `${sellers - live} need attention`,
                tone: live === sellers ? ('good' as const) : ('warn' as const),
              },
              {
                label: 'Open alarms',
                value: open,
                note: open === 0 ? 'nothing is wrong' : 'see System',
                tone: open === 0 ? ('good' as const) : ('warn' as const),
              },
              {
                label: 'Keys that end within 30 days',
                value: keys.length,
                note: keys[0]?.seller === undefined ? 'none' : nameOf(keys[0].seller),
              },
            ]
          : []),
        ...(mayPeople
          ? [
              {
                label: 'People without a second factor',
                value: weak.length,
                unit: `of ${persons.length}`,
                note: weak.length === 0 ? 'none' : clean(weak.map(({ name }) => name).join(', '), 40),
                tone: weak.length === 0 ? ('good' as const) : undefined,
              },
            ]
          : []),
      ]}
    />
  );
}

const draftStates: Readonly<Record<string, readonly [words: string, tone: string]>> = {
  live: ['Live', 'good'],
  needs_person: ['Waits for a person', 'accent'],
  waiting: ['Waits for an answer', 'warn'],
  failed: ['A check failed', 'bad'],
};

/** Sellers whose connection was begun, and what each waits for. */
function BeingConnected() {
  const { data } = useAnswer('GET /v1/sellers/drafts');
  const drafts = data?.drafts ?? [];
  if (drafts.length === 0) return undefined;
  return (
    <Panel title="Being connected" acts={<Go to="/sellers/new">All</Go>} isFlush>
      <ul className="draft-list">
        {drafts.slice(0, 5).map(({ slug, input, state, next }) => {
          const [words, tone] = draftStates[state] ?? [state, 'gray'];
          return (
            <li key={slug}>
              <span className="with-avatar">
                <Avatar of={slug.replaceAll('-', ' ')} size={22} />
                <Go to="/sellers/new" search={{ slug }}>
                  <Name of={input} most={60} />
                </Go>
              </span>
              <StatusBadge of={words} tone={tone} />
              <span className="quiet">
                <Name of={next ?? ''} most={80} />
              </span>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

/** Whether everything that runs by itself does. */
function System({ me }: { readonly me: Me }) {
  const maySellers = may(me, 'sellers.read');
  const mayReports = may(me, 'reports.read');
  const alarms = useAnswer('GET /v1/alarms', { query: { state: 'open', limit: '50' } }, maySellers);
  const held = useAnswer(
    'GET /v1/events',
    { query: { state: 'quarantined', counts: 'no', limit: '50' } },
    mayReports,
  );
  const out = useAnswer('GET /v1/outgoing-events', { query: { state: 'waiting', limit: '50' } }, mayReports);
  const open = alarms.data?.alarms.length ?? 0;
  const heldCount = held.data?.events.length ?? 0;
  const waiting = out.data?.events.length ?? 0;
  const check = (title: string, count: number, none: string, some: string, to: string): Check => ({
    title,
    state: count === 0 ? 'ok' : 'warn',
    detail: count === 0 ? none : <Go to={to}>{`${count} ${some}`}</Go>,
  });
  return (
    <Panel
      title="System"
      acts={
        <StatusBadge of={open === 0 ? 'All well' : `${open} alarms`} tone={open === 0 ? 'good' : 'bad'} />
      }
    >
      <div className="close-panel">
        <Checks
          of={[
            ...(maySellers ? [check('Alarms', open, 'none is open', 'open', '/system')] : []),
            ...(mayReports
              ? [
                  check('Webhooks in', heldCount, 'none is held', 'held', '/webhooks/held'),
                  check(
                    'Webhooks out',
                    waiting,
                    'all are delivered',
                    waiting === 1 ? 'waits for the next try' : 'wait for the next try',
                    '/webhooks/out',
                  ),
                ]
              : []),
          ]}
        />
      </div>
    </Panel>
  );
}

/** The newest acts of people. */
function Lately() {
  const { data } = useAnswer('GET /v1/audit', { query: { kind: 'act', limit: '8' } });
  return (
    <Panel title="Lately" acts={<Go to="/system/acts">Who did what</Go>}>
      <HistoryList
        of={(data?.events ?? []).map(({ at, actor, action, object_name: name, detail }) => ({
          at,
          tone: 'accent',
          kind: action,
          title: (
            <>
              <Name of={actor} most={40} /> {actText(action)}
              {name !== undefined && (
                <>
                  : <Name of={name} most={60} />
                </>
              )}
            </>
          ),
          text: detail === undefined ? undefined : <Name of={wordsOf(detail)} most={90} />,
        }))}
      />
    </Panel>
  );
}
