import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { JsonObject } from '../../api/client.js';
import { atSellers, isObject, objectsIn, task, textAt } from '../../api/task.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Explained } from '../../parts/explained.js';
import { Loaded } from '../../parts/loaded.js';
import { Name } from '../../parts/name.js';
import { ObjectHead, useTab } from '../../parts/object-head.js';
import { ObjectHistory } from '../../parts/object-history.js';
import { FactList, Panel } from '../../parts/panel.js';
import { SellerName } from '../../parts/seller-name.js';
import { Time } from '../../parts/time.js';
import { useMay } from '../../parts/use-rows.js';
import { PageHead } from '../../parts/page-head.js';
import { placeOf } from '../../parts/places.js';
import { Go } from '../../parts/go.js';
import { Assets } from './creative-assets.js';
import { AtSeller, formatOf } from './creatives.js';

/** One creative: what it is, where it runs, and what each seller decided about it. */
export function CreativePage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string };
  const query = useQuery({
    queryKey: ['creatives', 'one', id],
    queryFn: async () => {
      const answer = await task('list_creatives', {
        adcp_version: '3.1',
        filters: { creative_ids: [id] },
        include_assignments: true,
      });
      return objectsIn(answer['creatives'])[0] ?? null;
    },
  });
  return (
    <Loaded title="Creative" query={query}>
      {(creative) =>
        creative === null ? (
          <>
            <PageHead title="Creative" />
            <EmptyState title="There is no creative with this id">
              <Go to="/creatives">All creatives</Go>
            </EmptyState>
          </>
        ) : (
          <Shown creative={creative} id={id} />
        )
      }
    </Loaded>
  );
}

function Shown({ creative, id }: { readonly creative: JsonObject; readonly id: string }) {
  const tab = useTab();
  const may = useMay();
  const sellers = atSellers(creative);
  const refusing = sellers.filter(({ status }) => status === 'rejected');
  const lines = [...new Set(sellers.flatMap((at) => linesAt(at)))];
  return (
    <>
      <ObjectHead
        name={textAt(creative['name']) || id}
        pill={
          <Explained
            kind="creative"
            of={textAt(creative['status'])}
            since={textAt(creative['updated_date'])}
            cli={`npx switchyard search ${id}`}
          />
        }
        parents={[{ title: 'Creatives', to: '/creatives' }]}
        facts={[
          formatOf(creative),
          `${sellers.length} ${sellers.length === 1 ? 'seller' : 'sellers'}`,
          <Time key="at" at={textAt(creative['updated_date'])} />,
        ]}
        tabs={[
          { title: 'Preview' },
          { title: 'Where it runs', count: lines.length },
          { title: 'Checks by seller', count: sellers.length },
          ...(may('principals.read') ? [{ title: 'History' }] : []),
        ]}
      />
      <div className="columns" style={{ '--right': '320px' } as never}>
        <div className="column">
          {tab === 'Overview' && <Assets of={creative['assets']} />}
          {tab === 'Where it runs' && <WhereItRuns sellers={sellers} />}
          {tab === 'Checks by seller' && (
            <Panel title="Checks by seller" about="what each seller decided">
              {sellers.length === 0 && <p className="panel-small">No seller has it yet.</p>}
              {sellers.map((at) => (
                <AtSeller key={textAt(at['seller'])} at={at} />
              ))}
            </Panel>
          )}
          {tab === 'History' && <ObjectHistory id={id} />}
        </div>
        <div className="column">
          <Panel title="The creative">
            <FactList
              of={{
                Id: <Name of={id} most={100} />,
                Format: formatOf(creative),
                Made: <Time at={textAt(creative['created_date'])} />,
              }}
            />
          </Panel>
          {refusing.length > 0 && (
            <Panel title="Refused by" about="and why">
              <ul className="plain-list">
                {refusing.map((at) => (
                  <li key={textAt(at['seller'])}>
                    <SellerName of={textAt(at['seller'])} size={18} />
                    <small className="quiet" style={{ display: 'block' }}>
                      <Name of={textAt(at['reason']) || 'The seller gives no reason.'} most={300} />
                    </small>
                  </li>
                ))}
              </ul>
            </Panel>
          )}
        </div>
      </div>
    </>
  );
}

const linesAt = (at: JsonObject): readonly string[] =>
  objectsIn(at['packages']).map((part) => textAt(part['package_id']));

function WhereItRuns({ sellers }: { readonly sellers: readonly JsonObject[] }) {
  const rows = sellers.flatMap((at) =>
    objectsIn(at['packages']).map((part) => ({ seller: textAt(at['seller']), part })),
  );
  return (
    <Panel title="Where it runs" about="the lines that it is assigned to">
      {rows.length === 0 && (
        <p className="panel-small">No line has it. A line gets it on the page of its buy.</p>
      )}
      <ul className="plain-list">
        {rows.map(({ seller, part }) => {
          const buy = textAt(part['media_buy_id']);
          return (
            <li key={`${seller} ${textAt(part['package_id'])}`}>
              <SellerName of={seller} size={18} />{' '}
              {buy === '' ? (
                <Name of={textAt(part['package_id'])} most={80} />
              ) : (
                <Go to={placeOf('media_buy', buy, buy).to}>
                  <Name of={textAt(part['package_id'])} most={80} />
                </Go>
              )}
              {isObject(part) && textAt(part['approval_status']) !== '' && (
                <small className="quiet"> {textAt(part['approval_status']).replaceAll('_', ' ')}</small>
              )}
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
