import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Facts } from '../../parts/facts.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { Loaded } from '../../parts/loaded.js';
import { clean } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { StatusBadge } from '../../parts/status.js';
import { Time } from '../../parts/time.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';

type Seller = Answer<'GET /v1/sellers/{slug}'>;
type Measure = Answer<'GET /v1/sellers/{slug}/scorecard'>['measures'][number];

const seconds = (ms: number): string =>
  `${(ms / 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} s`;
const hours = (minutes: number): string =>
  `${(minutes / 60).toLocaleString('en', { maximumFractionDigits: 1 })} h`;
const percent = (share: number): string =>
  `${(share * 100).toLocaleString('en', { maximumFractionDigits: 2 })}%`;

const words: Readonly<Record<Measure['measure'], readonly [title: string, show: (value: number) => string]>> =
  {
    answer_p50_ms: ['Half of its answers within', seconds],
    answer_p95_ms: ['95 of 100 answers within', seconds],
    failed_share: ['Changes that failed', percent],
    webhooks_refused_share: ['Webhooks that were not believed', percent],
    report_median_minutes: ["Reports after a day's end, half within", hours],
    report_worst_minutes: ["Reports after a day's end, the latest", hours],
    restated_days: ['Days whose spend was changed later', String],
    breaking_changes: ['Changes that broke something', String],
  };

/** How a seller did beside its thresholds, and how what it can do has changed. */
export function SellerScorecard({ seller }: { readonly seller: Seller }) {
  const query = useAnswer('GET /v1/sellers/{slug}/scorecard', { params: { slug: seller.slug } });
  return (
    <Loaded title="Scorecard" query={query}>
      {({ measures }) => (
        <div className="columns">
          <div className="column">
            <Panel title="Scorecard" about="the last 30 days">
              <Facts
                label="Scorecard of the seller"
                of={Object.fromEntries(
                  measures.map((one) => [words[one.measure][0], <Judged key={one.measure} of={one} />]),
                )}
              />
            </Panel>
          </div>
          <div className="column">
            <Changes seller={seller} />
            <Accept seller={seller} />
          </div>
        </div>
      )}
    </Loaded>
  );
}

function Judged({ of: { measure, value, threshold, state } }: { readonly of: Measure }) {
  const [, show] = words[measure];
  if (value === undefined) return <span>nothing was measured</span>;
  return (
    <span>
      {show(value)}{' '}
      <StatusBadge
        of={state === 'beyond' ? `more than ${show(threshold)}` : `at most ${show(threshold)}`}
        tone={state === 'beyond' ? 'bad' : 'good'}
      />
    </span>
  );
}

function Changes({ seller: { drift } }: { readonly seller: Seller }) {
  return (
    <Panel title="What changed in its capabilities" about="the newest first">
      {drift.versions.length === 0 && (
        <EmptyState title="Nothing has changed">They are read every fifteen minutes.</EmptyState>
      )}
      {drift.versions.map(({ version, read_at: at, changes }) => (
        <div key={version}>
          <p className="panel-small">
            Version {version}, <Time at={at} />
          </p>
          <ul>
            {changes.map(({ grade, path, words: said }) => (
              <li key={`${path ?? ''} ${said}`}>
                {grade === 'breaking' && <StatusBadge of="breaking" tone="bad" />}{' '}
                {path !== undefined && `${clean(path)} `}
                {clean(said)}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </Panel>
  );
}

/** Ends the question before each new buy, by a person who says why. */
function Accept({ seller: { slug, drift } }: { readonly seller: Seller }) {
  const [reason, setReason] = useState('');
  const may = useMay();
  if (!drift.asks) return undefined;
  const accept = (): Promise<unknown> =>
    api('POST /v1/sellers/{slug}/accept-changes', { params: { slug }, body: { reason } });
  return (
    <Panel title="New buys at this seller wait for approval" about="until the breaking changes are accepted">
      {may('sellers.approve') && (
        <ActForm
          label="Accept the changes"
          done="The changes are accepted."
          act={accept}
          isReady={reason !== ''}
        >
          <TextInput
            label="Why it is safe to buy there"
            value={reason}
            required
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </ActForm>
      )}
    </Panel>
  );
}
