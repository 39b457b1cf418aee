import { Group, Table, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Money } from '../../parts/money.js';
import { Name } from '../../parts/name.js';
import { FactList, Panel } from '../../parts/panel.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { useAnswer, useMay, useRefresh } from '../../parts/use-rows.js';
import type { PaceRow } from './pace.js';

type Campaign = Answer<'GET /v1/campaigns/{id}'>;

/** The plan of a campaign by month, what is used of its budget, and its rules. */
export function MoneyTab({
  campaign,
  row,
}: {
  readonly campaign: Campaign;
  readonly row: PaceRow | undefined;
}) {
  const months = Object.entries(campaign.plan);
  return (
    <div className="columns">
      <div className="column">
        <Panel title="Plan by month" isFlush>
          {months.length === 0 ? (
            <p className="panel-note">It has no plan by month: its budget is spread evenly over its days.</p>
          ) : (
            <ScrollTable label="Plan by month">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Month</Table.Th>
                  <Table.Th className="number">Part of the budget</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {months.map(([month, part]) => (
                  <Table.Tr key={month}>
                    <Table.Td>{month}</Table.Td>
                    <Table.Td className="number">{part}%</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </ScrollTable>
          )}
        </Panel>
      </div>
      <div className="column">
        <Rules campaign={campaign} />
        <Panel title="Budget">
          <FactList
            of={{
              Budget: campaign.budget !== null && (
                <Money amount={campaign.budget} currency={campaign.currency} show="cents" />
              ),
              Booked: row && <Money amount={row.committed} currency={row.currency} show="cents" />,
              Delivered: row && <Money amount={row.delivered} currency={row.currency} show="cents" />,
              Forecast: row && <Money amount={row.forecast} currency={row.currency} show="cents" />,
            }}
          />
        </Panel>
      </div>
    </div>
  );
}

/** Which buys go under the campaign by themselves: those of a brand, or whose reference begins so. */
function Rules({ campaign }: { readonly campaign: Campaign }) {
  const id = campaign.campaign_id;
  const { data } = useAnswer('GET /v1/campaigns/{id}/rules', { params: { id } });
  const mayWrite = useMay()('clients.write');
  const refresh = useRefresh();
  const [start, setStart] = useState('');
  const rules = data?.rules ?? [];
  const add = async (): Promise<void> => {
    const reference = start.trim();
    await api('POST /v1/campaigns/{id}/rules', {
      params: { id },
      body: reference === '' ? { brand: campaign.brand } : { reference_start: reference },
    });
    setStart('');
    await refresh();
  };
  return (
    <Panel title="Rules" about="which buys come here by themselves">
      <ul className="plain-list" aria-label="Rules of the campaign">
        {rules.map((rule) => (
          <li key={rule.rule_id}>
            <Group gap="xs" justify="space-between" wrap="nowrap">
              <span>
                {rule.brand !== null && (
                  <>
                    Buys of <Name of={rule.brand} most={60} />
                  </>
                )}
                {rule.reference_start !== null && (
                  <>
                    References that begin with <Name of={rule.reference_start} most={60} />
                  </>
                )}
              </span>
              {mayWrite && (
                <ConfirmButton
                  label="Remove the rule"
                  size="compact-xs"
                  variant="default"
                  done="The rule is removed."
                  act={() =>
                    api('DELETE /v1/campaigns/{id}/rules/{rule}', {
                      params: { id, rule: rule.rule_id },
                    })
                  }
                >
                  New buys are not put here by it any more. What stands here stays.
                </ConfirmButton>
              )}
            </Group>
          </li>
        ))}
        {data !== undefined && rules.length === 0 && <li>None: buys are put here by a person.</li>}
      </ul>
      {mayWrite && (
        <ActForm title="Add a rule" label="Add the rule" act={add} done="The rule holds for new buys.">
          <TextInput
            label="Reference begins with"
            description="Empty: every new buy of the brand"
            value={start}
            maxLength={100}
            onChange={({ currentTarget }) => setStart(currentTarget.value)}
          />
        </ActForm>
      )}
    </Panel>
  );
}
