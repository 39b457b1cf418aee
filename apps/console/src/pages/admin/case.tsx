import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api, type Sent } from '../../api/client.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { HistoryList } from '../../parts/history-list.js';
import { Loaded } from '../../parts/loaded.js';
import { clean, Name } from '../../parts/name.js';
import { ObjectHead } from '../../parts/object-head.js';
import { FactList, Panel } from '../../parts/panel.js';
import { SellerName, useSellerNames } from '../../parts/seller-name.js';
import { Time } from '../../parts/time.js';
import { useMay, useRefresh } from '../../parts/use-rows.js';
import { BuyLink } from '../agency/buy-link.js';
import { CaseState, caseTitle, type Case } from './cases.js';

/** How often a case is read while its creatives are withdrawn, in milliseconds. */
const actingEveryMs = 3_000;

/** One case: what was taken back, by whom, what it stops, and what was done. */
export function CasePage() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const query = useQuery({
    queryKey: ['cases', 'GET /v1/cases/{id}', id],
    queryFn: ({ signal }) => api('GET /v1/cases/{id}', { params: { id }, signal }),
    // The sellers are asked in the background, and nothing tells when they have answered.
    refetchInterval: ({ state: { data } }) => (data?.state === 'acting' ? actingEveryMs : false),
  });
  return (
    <Loaded title="Case" query={query}>
      {(shown) => <Shown of={shown} />}
    </Loaded>
  );
}

function Shown({ of: shown }: { readonly of: Case }) {
  const { owner, reason, deadline, created_at: at, buys, actions } = shown;
  const nameOf = useSellerNames();
  return (
    <>
      <ObjectHead
        name={caseTitle(shown)}
        pill={<CaseState of={shown} />}
        parents={[{ title: 'Cases', to: '/cases' }]}
        facts={[
          <Name key="owner" of={nameOf(owner)} />,
          <span key="at">
            said <Time at={at} />
          </span>,
        ]}
        acts={<Acts of={shown} />}
      />
      <div className="columns">
        <div className="column">
          <Panel title="What it stops" about={`${buys.length} ${buys.length === 1 ? 'line' : 'lines'}`}>
            {buys.length === 0 && <p className="panel-small">No running line uses it.</p>}
            <ul className="plain-list">
              {buys.map(({ media_buy_id: buy, package_id: line, seller, creative_ids: creatives }) => (
                <li key={`${buy} ${line}`}>
                  <SellerName of={seller} /> <BuyLink id={buy} />
                  <div className="quiet">
                    line <Name of={line} most={80} />, creatives <Name of={creatives.join(', ')} most={200} />
                  </div>
                </li>
              ))}
            </ul>
          </Panel>
          <Panel title="What was done">
            {actions.length === 0 && <p className="panel-small">Nothing yet.</p>}
            <HistoryList
              of={actions.map(({ at: when, act, media_buy_id: buy, outcome, detail }) => ({
                at: when,
                kind: act,
                tone: outcome === undefined || outcome === 'completed' ? 'good' : 'warn',
                title: (
                  <>
                    {clean(act, 80).replaceAll('_', ' ')}
                    {outcome !== undefined && `: ${clean(outcome, 80).replaceAll('_', ' ')}`}
                  </>
                ),
                text: (
                  <>
                    {buy !== undefined && <BuyLink id={buy} />} <Name of={detail ?? ''} most={300} />
                  </>
                ),
              }))}
            />
          </Panel>
        </div>
        <div className="column">
          <Panel title="The case">
            <FactList
              of={{
                Owner: <SellerName of={owner} isLink />,
                Right: <Name of={shown.subject} most={120} />,
                Reason: <Name of={reason} most={400} />,
                'Stops by': <Time at={deadline} />,
                Changed: <Time at={shown.updated_at} />,
              }}
            />
          </Panel>
        </div>
      </div>
    </>
  );
}

type Act = NonNullable<Sent<'POST /v1/cases/{id}/act'>['body']>['act'];

/** What a person may do, by the state of the case. */
function Acts({ of: { case_id: id, state } }: { readonly of: Case }) {
  const refresh = useRefresh();
  if (!useMay()('sellers.write')) return undefined;
  const send = (act: Act) => async (reason: string) => {
    await api('POST /v1/cases/{id}/act', { params: { id }, body: { act, reason } });
    await refresh();
  };
  return (
    <>
      {state !== 'done' && (
        <ConfirmButton
          label="Withdraw now"
          reason="required"
          done="The creatives are being withdrawn."
          act={send('withdraw')}
        >
          The creatives are withdrawn at every seller at once, and what is left empty is paused.
        </ConfirmButton>
      )}
      {state === 'asked' && (
        <ConfirmButton
          label="Close the case"
          variant="default"
          reason="required"
          done="The case is closed."
          act={send('close')}
          undo={() => send('reopen')('Undone.')}
        >
          You say that a person has seen to the rest. The reason is kept in the case.
        </ConfirmButton>
      )}
      {state === 'done' && (
        <ConfirmButton
          label="Open it again"
          variant="default"
          reason="required"
          done="The case is open again."
          act={send('reopen')}
        >
          Its creatives are withdrawn again wherever they still run.
        </ConfirmButton>
      )}
    </>
  );
}
