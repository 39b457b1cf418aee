import { Checkbox, SimpleGrid } from '@mantine/core';
import { DateInput } from '../../../parts/forms/date-input.js';
import { Panel } from '../../../parts/panel.js';
import { changeBasket, type Basket } from './basket.js';
import { BrandPicker, CampaignPicker } from './brand-campaign.js';
import { monthsOf, mostMonths, splitLine } from './plan-months.js';

/** Whose plan it is, and its days. */
export function ForWhom({ basket, today }: { readonly basket: Basket; readonly today: string }) {
  const brand = basket.brand.trim().toLowerCase();
  return (
    <Panel title="For whom and when">
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
        <BrandPicker isRequired value={basket.brand} onChange={(domain) => changeBasket({ brand: domain })} />
        <CampaignPicker brand={brand} value={basket.campaignId} />
        <DateInput
          label="First day (UTC)"
          description="Empty: at once"
          value={basket.start}
          onChange={(start) => changeBasket({ start })}
        />
        <DateInput
          label="Last day (UTC)"
          required
          description="Last day, included"
          value={basket.end}
          onChange={(end) => changeBasket({ end })}
        />
      </SimpleGrid>
      <ByMonth basket={basket} today={today} />
    </Panel>
  );
}

/** Splits the plan by month: each month becomes a package of each product, with a budget and days of its own. */
function ByMonth({ basket, today }: { readonly basket: Basket; readonly today: string }) {
  const months = monthsOf(basket.start === '' ? today : basket.start, basket.end);
  const isPossible = months.length > 1 && months.length <= mostMonths;
  const change = (byMonth: boolean): void =>
    changeBasket({
      byMonth,
      lines: byMonth ? basket.lines.map((line) => splitLine(line, months)) : basket.lines,
    });
  return (
    <Checkbox
      mt="sm"
      label="A line for each month"
      description={`Each has its own days and budget. For days over 2 to ${mostMonths} months.`}
      checked={basket.byMonth && isPossible}
      disabled={!isPossible}
      onChange={({ currentTarget }) => change(currentTarget.checked)}
    />
  );
}
