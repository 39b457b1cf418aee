import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Answer } from '../../api/client.js';
import { AdviceDialog, useAdvice, useAdviceTitle, whyOf } from '../../parts/advice.js';
import { Go } from '../../parts/go.js';
import { moneyText } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { useSellerNames } from '../../parts/seller-name.js';
import { useMay } from '../../parts/use-rows.js';
import { paceState, type PaceRow } from './pace.js';

type Campaign = Answer<'GET /v1/campaigns/{id}'>;

const deeds: Readonly<Record<string, readonly [title: string, text: string]>> = {
  over_budget: ['Lower or cancel buys', 'More was delivered than the budget allows.'],
  will_overspend: ['Lower budgets', 'The forecast is above the budget.'],
  no_report_for_days: ['Ask the seller for its reports', 'Without figures the forecast means nothing.'],
  not_started: ['Ask the seller why nothing runs', 'Its first day is over, and nothing was delivered.'],
  behind: ['Raise budgets where a seller can deliver', 'Money would stay unspent.'],
  ahead: ['Look whether the budget lasts', 'It is delivered faster than planned.'],
};

/** What a person does about the alerts, the one that costs most first. */
export function WhatToDo({
  row,
  campaign,
  today,
}: {
  readonly row: PaceRow;
  readonly campaign: Campaign;
  readonly today: string;
}) {
  const nameOf = useSellerNames();
  const { code: first } = paceState(row, today);
  const codes = row.alerts
    .map(({ code }) => code)
    .toSorted((a, b) => Number(b === first) - Number(a === first));
  const may = useMay();
  const advice = useAdvice(campaign.campaign_id, may('ledger.read')).data?.advice;
  const titleOf = useAdviceTitle();
  const [isOpen, dialog] = useDisclosure();
  if (codes.length === 0 && !advice) return undefined;
  return (
    <Panel
      title="What to do"
      about={advice ? `worth ${moneyText(advice.amount, advice.currency, 'whole')}` : undefined}
    >
      {advice && (
        <div className="deed">
          <b>{titleOf(advice)}</b>
          {advice.changes.slice(0, 3).map((change) => (
            <small key={`${change.media_buy_id} ${change.package_id}`}>
              <Name of={nameOf(change.seller)} most={60} />: {whyOf(change)}
            </small>
          ))}
          {may('media_buys.write') && (
            <Button size="compact-sm" variant="default" onClick={dialog.open}>
              Show the change
            </Button>
          )}
          {isOpen && (
            <AdviceDialog campaignId={campaign.campaign_id} name={campaign.name} onClose={dialog.close} />
          )}
        </div>
      )}
      {codes.map((code) => {
        const [title, text] = deeds[code] ?? [code.replaceAll('_', ' '), ''];
        return (
          <div key={code} className="deed">
            <b>{title}</b>
            <small>
              {text} {row.alerts.find((alert) => alert.code === code)?.message}
            </small>
            <Go to="." search={{ tab: 'Buys' }}>
              Its buys
            </Go>
          </div>
        );
      })}
      <div className="deed">
        <Go to="/reports" search={{ campaign: campaign.campaign_id, by: 'buy' }}>
          Figures by buy
        </Go>
      </div>
    </Panel>
  );
}
