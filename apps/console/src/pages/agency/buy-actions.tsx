import { List, Text, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { Answer } from '../../api/client.js';
import { may, useMe } from '../../api/session.js';
import { objectsIn, task, textAt } from '../../api/task.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Name, clean } from '../../parts/name.js';
import { SellerName, useSellerNames } from '../../parts/seller-name.js';
import { useState } from 'react';
import { micros } from '../../parts/money.js';
import { ownDaysOf } from './buy-status.js';

export type Buy = Answer<'GET /v1/buys/{id}'>;

const over = new Set(['completed', 'canceled', 'rejected', 'failed']);

/** The actions on a buy: at all its sellers at once, each with one confirmation. */
export function BuyActions({ buy }: { readonly buy: Buy }) {
  const client = useQueryClient();
  const me = useMe().data;
  const nameOf = useSellerNames();
  if (!me || !may(me, 'media_buys.write') || over.has(buy.status)) return undefined;
  // Nothing can be changed at a seller that has not taken it: its approval is denied instead.
  if (!buy.sellers.some((seller) => seller.has_taken_it)) return undefined;
  const change = async (updates: object): Promise<void> => {
    const answer = await task('update_media_buy', { media_buy_id: buy.media_buy_id, updates });
    await client.invalidateQueries({ queryKey: ['buys'] });
    const refused = objectsIn(answer['sellers']).filter(
      ({ status }) => status === 'refused' || status === 'failed',
    );
    if (refused.length > 0)
      throw new Error(refused.map((row) => `${textAt(row['seller'])}: ${textAt(row['reason'])}`).join('\n'));
  };
  const isPaused = buy.status === 'paused';
  return (
    <>
      <ConfirmButton
        label={isPaused ? 'Resume' : 'Pause'}
        variant="default"
        act={() => change({ paused: !isPaused })}
        undo={() => change({ paused: isPaused })}
        done={isPaused ? 'The sellers were asked to resume it.' : 'The sellers were asked to pause it.'}
      >
        <Text>
          {isPaused ? 'It runs again' : 'It stops delivering'} at{' '}
          {buy.sellers.map(({ seller }) => nameOf(seller)).join(', ')}.
        </Text>
      </ConfirmButton>
      <BudgetButton buy={buy} change={change} />
      <ConfirmButton
        label="Cancel the buy"
        dismiss="Keep the buy"
        color="bad"
        variant="subtle"
        reason="optional"
        act={(reason) => change({ canceled: true, ...(reason !== '' && { cancellation_reason: reason }) })}
        done="The sellers were asked to cancel it."
      >
        <Text mb="xs">This cannot be undone. What the sellers quoted for it:</Text>
        <List size="sm">
          {buy.packages
            .filter(({ canceled }) => canceled !== true)
            .map(({ package_id: id, seller, cancellation_cost: cost }) => (
              <List.Item key={id}>
                <SellerName of={seller} size={18} />:{' '}
                <Name of={cost ?? 'no terms of cancellation were quoted'} most={400} />
              </List.Item>
            ))}
        </List>
      </ConfirmButton>
    </>
  );
}

/** Changes the budgets of packages. Only edited ones are sent. */
function BudgetButton({
  buy,
  change,
}: {
  readonly buy: Buy;
  readonly change: (updates: object) => Promise<void>;
}) {
  const [budgets, setBudgets] = useState<Readonly<Record<string, string>>>({});
  const act = async (): Promise<void> => {
    const typed = Object.entries(budgets).filter(([, text]) => text.trim() !== '');
    if (typed.length === 0) throw new Error('Type a new budget for at least one package.');
    const wrong = typed.find(([, text]) => (micros(text) ?? 0n) <= 0n || text.replace('.', '').length > 15);
    if (wrong) throw new Error(`${wrong[1]} is no amount. Write it as 2500.50.`);
    await change({
      packages: typed.map(([package_id, text]) => ({ package_id, budget: Number(text) })),
    });
    setBudgets({});
  };
  return (
    <ConfirmButton
      label="Change budgets"
      variant="default"
      act={act}
      done="The sellers were asked for the new budgets."
    >
      <Stack gap="xs">
        <Text size="sm">
          New budgets in {buy.currency}. A larger one may need the approval of another person.
        </Text>
        {buy.packages
          .filter(({ canceled }) => canceled !== true)
          .map((part) => (
            <TextInput
              key={part.package_id}
              label={[`${clean(part.seller)}: ${clean(part.product_id)}`, clean(ownDaysOf(part, buy), 40)]
                .filter(Boolean)
                .join(', ')}
              placeholder={part.current_budget}
              inputMode="decimal"
              value={budgets[part.package_id] ?? ''}
              onChange={({ currentTarget: { value } }) =>
                setBudgets((old) => ({ ...old, [part.package_id]: value }))
              }
            />
          ))}
      </Stack>
    </ConfirmButton>
  );
}
