import { Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { micros } from '../../parts/money.js';
import { clean } from '../../parts/name.js';
import type { Buy } from './buy-actions.js';
import { ownDaysOf } from './buy-status.js';

/** Changes the budgets of packages. Only edited ones are sent. */
export function BudgetButton({
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
