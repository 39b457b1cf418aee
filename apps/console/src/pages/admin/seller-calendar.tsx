import { Checkbox, Group, SimpleGrid, Table, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Loaded } from '../../parts/loaded.js';
import { Money } from '../../parts/money.js';
import { clean, Name } from '../../parts/name.js';
import { FactList, Panel } from '../../parts/panel.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { monthName, Time } from '../../parts/time.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';
import { choice, text, useForm } from '../../parts/forms/use-form.js';

type Calendar = Answer<'GET /v1/sellers/{slug}/calendar'>;
type Moves = NonNullable<Calendar['moves']>;

const said: Readonly<Record<Calendar['zones'][number]['by'], string>> = {
  person: 'said by one of us',
  account: 'said by its account',
  product: 'said by its products',
};
const billing = {
  month: 'the month',
  broadcast: 'the broadcast month',
  issue_day: 'the day of issue',
} as const;

/** Where the days of a seller begin, and what becomes of figures that were placed otherwise. */
export function SellerCalendar({ slug }: { readonly slug: string }) {
  const query = useAnswer('GET /v1/sellers/{slug}/calendar', { params: { slug } });
  return (
    <Loaded title="Calendar" query={query}>
      {(calendar) => <Shown key={JSON.stringify(calendar.zones)} slug={slug} calendar={calendar} />}
    </Loaded>
  );
}

function Shown({ slug, calendar }: { readonly slug: string; readonly calendar: Calendar }) {
  const may = useMay();
  const { zones, overrides, proposal, moves, long_periods: long } = calendar;
  return (
    <div className="columns">
      <div className="column">
        <Panel title="Days of the seller" about="in which zone its days begin">
          <FactList
            of={{
              Zone:
                zones.length === 0
                  ? 'Not known: its days are read in UTC'
                  : zones.map(({ time_zone: zone, by }) => (
                      <div key={`${zone} ${by}`}>
                        {clean(zone, 60)} <span className="quiet">({said[by]})</span>
                      </div>
                    )),
              'Holds against what it says': overrides && 'Yes',
              'Periods over two months': long && (long === 'split' ? 'Split by days' : 'Held for a person'),
              'Its invoices cover': calendar.billing_calendar && billing[calendar.billing_calendar],
              'Day of issue': calendar.issue_day,
              Reason: calendar.reason && <Name of={calendar.reason} most={300} />,
              Set: calendar.set_at && (
                <>
                  <Time at={calendar.set_at} />
                  {calendar.set_by !== undefined && (
                    <>
                      {' '}
                      by <Name of={calendar.set_by} most={60} />
                    </>
                  )}
                </>
              ),
              'Read at the seller': calendar.declared_at && <Time at={calendar.declared_at} />,
            }}
          />
        </Panel>
        {moves !== undefined && moves.figures > 0 && <Restate slug={slug} moves={moves} />}
      </div>
      <div className="column">
        {proposal !== undefined && (
          <Panel title="Its figures fit a zone">
            <Text size="sm">
              {proposal.bounds} of its days begin as those of <b>{clean(proposal.time_zone, 60)}</b> do
              {proposal.others.length > 0 &&
                `; also of ${clean(proposal.others.slice(0, 4).join(', '), 200)}`}
              . Ask the seller, then set it.
            </Text>
          </Panel>
        )}
        {may('ledger.write') && <SetCalendar slug={slug} calendar={calendar} />}
      </div>
    </div>
  );
}

/** What stands otherwise under the zone that holds now: shown first, then booked as one entry with a reason. */
function Restate({ slug, moves }: { readonly slug: string; readonly moves: Moves }) {
  const mayWrite = useMay()('ledger.write');
  const restate = async (reason: string): Promise<string> => {
    const { figures, months, next } = await api('POST /v1/sellers/{slug}/calendar/restate', {
      params: { slug },
      body: { reason },
    });
    const done = `${figures} figures were moved in ${months.length} months.`;
    return next === undefined ? done : `${done} More are left: restate again.`;
  };
  return (
    <Panel
      title="Figures that would move"
      about={`${moves.figures} figures of ${moves.buys} buys`}
      isFlush
      acts={
        mayWrite && (
          <ConfirmButton label="Restate" reason="required" done="The figures were moved." act={restate}>
            {moves.figures} figures of {moves.buys} buys are placed by the zone that holds now. Each month
            gets one entry with your reason. What was booked before stays as it is.
          </ConfirmButton>
        )
      }
    >
      <ScrollTable label="What would move, by month">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Month</Table.Th>
            <Table.Th className="number">Change</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {moves.months.map(({ month, currency, amount }) => (
            <Table.Tr key={`${month} ${currency}`}>
              <Table.Th scope="row">{monthName(month)}</Table.Th>
              <Table.Td className="number">
                <Money amount={amount} currency={currency} isDifference />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
    </Panel>
  );
}

const asked = {
  time_zone: text('Time zone', 'Name of the zone, as in the IANA list', { placeholder: 'Europe/Berlin' }),
  long_periods: choice('Periods over two months', {
    '': 'As usual',
    split: 'Split by days',
    hold: 'Hold for a person',
  }),
  reason: text('Reason', 'It is kept with the calendar.', { maxLength: 500 }),
};

function SetCalendar({ slug, calendar }: { readonly slug: string; readonly calendar: Calendar }) {
  const own = calendar.zones.find(({ by }) => by === 'person')?.time_zone;
  const { issue_day: issueDay } = calendar;
  const form = useForm(
    {
      ...asked,
      billing_calendar: choice<'' | NonNullable<Calendar['billing_calendar']>>('Its invoices cover', {
        '': 'As usual',
        month: 'The month',
        broadcast: 'The broadcast month',
        // The command line sets the day; the form keeps it.
        ...((issueDay === undefined ? {} : { issue_day: `Months from day ${issueDay} on` }) as {
          readonly issue_day: string;
        }),
      }),
    },
    {
      time_zone: own ?? calendar.proposal?.time_zone ?? '',
      long_periods: calendar.long_periods ?? '',
      billing_calendar: calendar.billing_calendar ?? '',
    },
  );
  const [overrides, setOverrides] = useState(calendar.overrides);
  const save = (): Promise<unknown> => {
    const set = form.filled();
    const hasDay = set.billing_calendar === 'issue_day' && issueDay !== undefined;
    return api('POST /v1/sellers/{slug}/calendar', {
      params: { slug },
      body: { ...set, overrides, ...(hasDay && { issue_day: issueDay }) },
    });
  };
  const clear = async (): Promise<void> => {
    await api('DELETE /v1/sellers/{slug}/calendar', { params: { slug } });
    notifications.show({ message: 'What the seller says holds again.', color: 'good' });
  };
  return (
    <ActForm
      title="Set the calendar"
      label="Set"
      done="The calendar is set. Nothing that is booked moves by itself."
      act={save}
      also={
        calendar.set_at !== undefined && (
          <ConfirmButton label="Clear" variant="default" size="sm" done="It is cleared." act={clear}>
            What one of us set is deleted, and what the seller says holds again.
          </ConfirmButton>
        )
      }
    >
      {form.inputs(['time_zone'])}
      <Checkbox
        label="It holds against what the seller says"
        checked={overrides}
        onChange={({ currentTarget }) => setOverrides(currentTarget.checked)}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>{form.inputs(['long_periods', 'billing_calendar'])}</SimpleGrid>
      <Group grow>{form.inputs(['reason'])}</Group>
    </ActForm>
  );
}
