import { may, type Me } from '../../api/session.js';
import { Go } from '../../parts/go.js';
import { Name, wordsOf } from '../../parts/name.js';
import { HistoryList } from '../../parts/history-list.js';
import { Panel } from '../../parts/panel.js';
import { Stats } from '../../parts/stats.js';
import { useAnswer } from '../../parts/use-rows.js';
import { MarketNow } from '../admin/market-now.js';
import { NeedsYou } from './home.js';

const soonMs = 30 * 86_400_000;

/** The start page of an administrator: what stops others, and what changed lately. */
export function AdminHome({ me }: { readonly me: Me }) {
  return (
    <>
      <Figures me={me} />
      <div className="columns">
        <div className="column">
          <NeedsYou about="what stops others first" />
        </div>
        <div className="column">
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
  const persons = all.filter(({ kind }) => kind === 'person').length;
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
                note: keys[0]?.seller ?? 'none',
              },
            ]
          : []),
        ...(mayPeople
          ? [
              {
                label: 'People',
                value: persons,
                unit: 'persons',
                note: `${all.length - persons} agents and services`,
              },
            ]
          : []),
      ]}
    />
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
              <Name of={actor} most={40} /> {action.replaceAll('_', ' ')}{' '}
              {name !== undefined && <Name of={name} most={60} />}
            </>
          ),
          text: detail === undefined ? undefined : <Name of={wordsOf(detail)} most={90} />,
        }))}
      />
    </Panel>
  );
}
