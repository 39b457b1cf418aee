import { useState } from 'react';
import type { Answer } from '../../api/client.js';
import { useMe } from '../../api/session.js';
import { Checks } from '../../parts/checks.js';
import { Go } from '../../parts/go.js';
import { Panel } from '../../parts/panel.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';

type Deed = Answer<'GET /v1/practice/deeds'>['deeds'][number]['deed'];

const words: Readonly<Record<Deed, readonly [title: string, text: string, to: string]>> = {
  ask_market: ['Ask the market', 'Write a brief, and see what each seller offers.', '/ask'],
  plan_over_budget: [
    'Plan three offers over the budget',
    'Put them in a plan of a campaign, with more than the campaign has.',
    '/plans',
  ],
  repair_plan: ['Repair the plan', 'Lower its lines, or raise the budget of the campaign.', '/plans'],
  buy_with_refusal: [
    'Buy, and see one seller refuse',
    'The others run; the buy says what does not.',
    '/buys',
  ],
  place_elsewhere: [
    'Place elsewhere what was refused',
    'The buy offers it, with the money that is left.',
    '/buys',
  ],
  resolve_difference: [
    'Resolve one difference',
    'Between what was delivered and what was invoiced.',
    '/reconcile',
  ],
  make_report: [
    'Make a report for a client',
    'A signed statement that the client can verify.',
    '/reports/statements',
  ],
};

/** Whether this person hid the first steps; the browser keeps it. */
export function useHiddenSteps(): readonly [boolean, (isHidden: boolean) => void] {
  const place = `switchyard.first-steps.hidden.${useMe().data?.principal_id ?? ''}`;
  const [isHidden, set] = useState(() => {
    try {
      return localStorage.getItem(place) !== null;
    } catch {
      return false;
    }
  });
  return [
    isHidden,
    (next) => {
      set(next);
      try {
        if (next) localStorage.setItem(place, 'yes');
        else localStorage.removeItem(place);
      } catch {
        // Without storage it holds as long as the page.
      }
    },
  ];
}

/** Seven deeds to begin with; the server sees which are done. */
export function FirstSteps({ hide }: { readonly hide: () => void }) {
  const { data } = useAnswer('GET /v1/practice/deeds', {}, useMay()('media_buys.read'));
  if (data === undefined) return undefined;
  const { deeds } = data;
  const next = deeds.find(({ done }) => !done)?.deed;
  return (
    <Panel
      title="First steps"
      about={`${deeds.filter(({ done }) => done).length} of ${deeds.length} done`}
      acts={
        <button type="button" className="text-button" onClick={hide}>
          Hide
        </button>
      }
    >
      <Checks
        of={deeds.map(({ deed, done }) => {
          const [title, text, to] = words[deed];
          return {
            title: done ? title : <Go to={to}>{title}</Go>,
            state: done ? 'ok' : 'to do',
            detail: deed === next && text,
          };
        })}
      />
    </Panel>
  );
}
