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
import { useMay } from '../../parts/use-rows.js';
import { BuyLink } from '../agency/buy-link.js';
import { CaseState, caseTitle, isAboutRights, type Case } from './cases.js';

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
  const isRight = isAboutRights(shown);
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
          <Panel
            title={isRight ? 'What it stops' : 'What runs with it'}
            about={`${buys.length} ${buys.length === 1 ? 'line' : 'lines'}`}
          >
            {buys.length === 0 && <p className="panel-small">No running line uses it.</p>}
            <ul className="plain-list">
              {buys.map(({ media_buy_id: buy, package_id: line, seller, creative_ids: creatives }) => (
                <li key={`${buy} ${line}`}>
                  <SellerName of={seller} /> <BuyLink id={buy} />
                  <div className="quiet">
                    line <Name of={line} most={80} />
                    {creatives.length > 0 && (
                      <>
                        , creatives <Name of={creatives.join(', ')} most={200} />
                      </>
                    )}
                  </div>
                </li>
              ))}
            </ul>
          </Panel>
          <Changes of={shown.changes} />
          <Checked of={shown.changes} />
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
                About: <Name of={shown.subject} most={120} />,
                Reason: <Name of={reason} most={400} />,
                [isRight ? 'Stops by' : 'Answer by']: <Time at={deadline} />,
                Changed: <Time at={shown.updated_at} />,
              }}
            />
          </Panel>
        </div>
      </div>
    </>
  );
}

/** What changed in a list or in standards, as it was read from their owner. */
function Changes({ of: changes }: { readonly of: Case['changes'] }) {
  const read = changes?.read;
  if (changes === undefined || changes.batch !== undefined) return undefined;
  if (read === undefined && changes.problem === undefined) return undefined;
  const named = (entries: readonly string[] = [], count = 0) =>
    count === 0
      ? 'nothing'
      : `${entries.join(', ')}${count > entries.length ? `, and more: ${count} in all` : ''}`;
  return (
    <Panel title="What changed">
      {changes.problem !== undefined && (
        <p className="panel-small">
          It could not be read again from its owner, so the words of its owner count:{' '}
          <Name of={changes.problem} most={300} />.
        </p>
      )}
      {read !== undefined && (
        <FactList
          of={{
            Read: <Time at={read.at} />,
            Entries: read.total,
            ...(read.added !== undefined && {
              Added: <Name of={named(read.added_entries, read.added)} most={1_000} />,
              'Taken out': <Name of={named(read.removed_entries, read.removed)} most={1_000} />,
            }),
          }}
        />
      )}
    </Panel>
  );
}

/** What the agent of the standards said of content that a seller pushed. */
function Checked({ of: changes }: { readonly of: Case['changes'] }) {
  const { batch, checked } = changes ?? {};
  if (batch === undefined) return undefined;
  return (
    <Panel title="What was checked">
      {changes?.problem !== undefined && (
        <p className="panel-small">
          It could not be checked yet: <Name of={changes.problem} most={300} />.
        </p>
      )}
      <FactList
        of={{
          'Pushed by': <SellerName of={batch.seller} isLink />,
          'For the buy': <BuyLink id={batch.media_buy_id} />,
          Contents: batch.pushed,
          ...(checked !== undefined && {
            Checked: checked.sent,
            Failed: checked.failed,
            'Against a policy that binds': checked.binding,
          }),
        }}
      />
      <ul className="plain-list">
        {(checked?.failures ?? []).map(({ artifact_id: id, property, policies, explanation }) => (
          <li key={`${property} ${id}`}>
            <Name of={id} most={120} />
            <div className="quiet">
              <Name of={[property, ...policies, explanation ?? ''].filter(Boolean).join(', ')} most={400} />
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

type Act = NonNullable<Sent<'POST /v1/cases/{id}/act'>['body']>['act'];

/** What a person may do, by the kind and the state of the case. */
function Acts({ of: shown }: { readonly of: Case }) {
  const { case_id: id, state } = shown;
  if (!useMay()('sellers.write')) return undefined;
  const send = (act: Act) => (reason: string) =>
    api('POST /v1/cases/{id}/act', { params: { id }, body: { act, reason } });
  if (!isAboutRights(shown)) return <ActsOnLines state={state} send={send} />;
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

/** A list, standards or a publisher: what runs with it is paused, or goes on. */
function ActsOnLines({
  state,
  send,
}: {
  readonly state: Case['state'];
  readonly send: (act: Act) => (reason: string) => Promise<unknown>;
}) {
  return (
    <>
      {(state === 'asked' || state === 'done') && (
        <ConfirmButton
          label="Pause the lines"
          reason="required"
          done="The lines are being paused."
          act={send('pause')}
        >
          Every line that runs with it is paused at its seller, in the name of whoever bought it.
        </ConfirmButton>
      )}
      {(state === 'asked' || state === 'acting') && (
        <ConfirmButton
          label="Keep them running"
          variant="default"
          reason="required"
          done="The lines run on."
          act={send('keep')}
        >
          The lines run on as they are, until somebody pauses them. The reason is kept in the case.
        </ConfirmButton>
      )}
    </>
  );
}
