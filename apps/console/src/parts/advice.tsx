import { Button, Group, Loader, Modal, Stack, Table } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Answer } from '../api/client.js';
import { ErrorPanel } from './error-panel.js';
import { Go } from './go.js';
import { Money, moneyText } from './money.js';
import { Name } from './name.js';
import { ScrollTable } from './scroll-table.js';
import { SellerName, useSellerNames } from './seller-name.js';
import { useAnswer } from './use-rows.js';

type Advice = NonNullable<Answer<'GET /v1/campaigns/{id}/advice'>['advice']>;
type Change = Advice['changes'][number];
type Outcome = Answer<'POST /v1/campaigns/{id}/advice'>['outcomes'][number];

const whole = (amount: string): string => moneyText(amount, null, 'whole');

/** What the rule says of a campaign; undefined where it says nothing, or the figures may not be seen. */
export function useAdvice(campaignId: string, isEnabled = true) {
  return useAnswer('GET /v1/campaigns/{id}/advice', { params: { id: campaignId } }, isEnabled);
}

function namesIn(changes: readonly Change[], nameOf: (slug: string) => string): string {
  const names = [...new Set(changes.map(({ seller }) => nameOf(seller)))];
  return names.length > 2 ? `${names.length} sellers` : names.join(' and ');
}

const isSmaller = ({ budget, new_budget: next }: Change): boolean => Number(next) < Number(budget);

/** The advice in one line: Move 4,000 from Harbor Media to Meridian Video. */
export function useAdviceTitle(): (advice: Advice) => string {
  const nameOf = useSellerNames();
  return ({ kind, amount, changes }) => {
    if (kind === 'lower') return `Lower budgets by ${whole(amount)}`;
    const to = namesIn(
      changes.filter((one) => !isSmaller(one)),
      nameOf,
    );
    const from = namesIn(changes.filter(isSmaller), nameOf);
    return kind === 'raise'
      ? `Raise ${to} by ${whole(amount)}`
      : `Move ${whole(amount)} from ${from} to ${to}`;
  };
}

/** Why a budget changes, as a sentence. */
export function whyOf({ why, fact, budget }: Change): string {
  if (why === 'unspent')
    return `At its pace ${whole(fact ?? '0')} of its ${whole(budget)} would stay unspent.`;
  if (why === 'room') return `At its pace it has room for ${whole(fact ?? '0')} more.`;
  return fact === undefined
    ? 'Its price is not known.'
    : `Its thousand impressions cost most: ${moneyText(fact, null, 'cents')}.`;
}

/** The deed of advice as one change over all its sellers: it is read when it opens, and done when a person confirms it. */
export function AdviceDialog({
  campaignId,
  name,
  onClose,
}: {
  readonly campaignId: string;
  readonly name: string;
  readonly onClose: () => void;
}) {
  const query = useAdvice(campaignId);
  const titleOf = useAdviceTitle();
  const advice = query.data?.advice;
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={advice ? titleOf(advice) : 'Budgets'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {query.isPending && <Loader role="status" size="sm" aria-label="Reading the advice" />}
      {query.isError && <ErrorPanel error={query.error} again={() => void query.refetch()} />}
      {advice === null && (
        <Stack>
          <p className="panel-note">
            The rule has nothing to say of the budgets of <Name of={name} most={80} />: no line can be lowered
            or raised by what its sellers have reported.
          </p>
          <Go to={`/campaigns/${campaignId}`}>Open the campaign</Go>
        </Stack>
      )}
      {advice && <Confirm key={advice.advice_id} campaignId={campaignId} advice={advice} onClose={onClose} />}
    </Modal>
  );
}

function Confirm({
  campaignId,
  advice,
  onClose,
}: {
  readonly campaignId: string;
  readonly advice: Advice;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const nameOf = useSellerNames();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [open, setOpen] = useState<readonly Outcome[]>();
  const label = advice.kind === 'lower' ? 'Lower budgets' : advice.kind === 'move' ? 'Move it' : 'Raise it';
  const follow = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { outcomes } = await api('POST /v1/campaigns/{id}/advice', {
        params: { id: campaignId },
        body: { advice_id: advice.advice_id },
      });
      const others = outcomes.filter(({ status }) => status !== 'completed');
      if (others.length > 0) setOpen(others);
      else {
        notifications.show({ message: 'The sellers have taken the new budgets.', color: 'good' });
        onClose();
      }
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
      await client.invalidateQueries();
    }
  };
  if (open !== undefined)
    return (
      <Stack role="status">
        <p className="panel-note">Not every seller has taken its new budget yet. The others have.</p>
        <ul className="plain-list">
          {open.map(({ media_buy_id: id, sellers, status, message }) => (
            <li key={`${id} ${status}`}>
              <Go to={`/buys/${encodeURIComponent(id)}`}>{sellers.map(nameOf).join(', ')}</Go>:{' '}
              <Name of={message ?? status.replaceAll('_', ' ')} most={300} />
            </li>
          ))}
        </ul>
        <Group justify="flex-end">
          <Button onClick={onClose}>Close</Button>
        </Group>
      </Stack>
    );
  return (
    <Stack>
      <ScrollTable label="New budgets" className="stacks">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Line</Table.Th>
            <Table.Th className="number">Budget</Table.Th>
            <Table.Th className="number">New, {advice.currency}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {advice.changes.map((change) => (
            <Table.Tr key={`${change.media_buy_id} ${change.package_id}`}>
              <Table.Td>
                <SellerName of={change.seller} size={22} />
                <small className="quiet" style={{ display: 'block' }}>
                  {whyOf(change)}
                </small>
              </Table.Td>
              <Table.Td className="number" data-title="Budget">
                <Money amount={change.budget} show="whole" />
              </Table.Td>
              <Table.Td className="number" data-title="New">
                <b>
                  <Money amount={change.new_budget} show="whole" />
                </b>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
      {advice.left !== '0' && (
        <p className="panel-note">
          <Money amount={advice.left} currency={advice.currency} show="whole" /> would still be over the
          budget: no line can be lowered further.
        </p>
      )}
      {error !== undefined && <ErrorPanel error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={isBusy} data-autofocus onClick={() => void follow()}>
          {label}
        </Button>
      </Group>
    </Stack>
  );
}
