import { Group, NativeSelect, Table, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { useAnswer } from '../../parts/use-rows.js';

type Settings = Answer<'GET /v1/notices/settings'>;
type Kind = Settings['kinds'][number];

/** What reaches the person, by which channel, and when. */
export function NoticeSettings() {
  const { data } = useAnswer('GET /v1/notices/settings');
  return data === undefined ? null : <Form known={data} />;
}

function Form({ known }: { readonly known: Settings }) {
  const [kinds, setKinds] = useState(known.kinds);
  const [hour, setHour] = useState(String(known.digest_hour));
  const [zone, setZone] = useState(known.time_zone);
  const [from, setFrom] = useState(known.quiet?.from ?? '');
  const [to, setTo] = useState(known.quiet?.to ?? '');
  const change = (kind: string, to: Partial<Pick<Kind, 'console' | 'mail'>>): void =>
    setKinds((all) => all.map((each) => (each.kind === kind ? { ...each, ...to } : each)));
  const set = (): Promise<unknown> =>
    api('POST /v1/notices/settings', {
      body: {
        digest_hour: Number(hour),
        quiet: from === '' || to === '' ? null : { from, to },
        ...(zone !== known.time_zone && { time_zone: zone === '' ? null : zone }),
        ...changedRules(known.kinds, kinds),
      },
    });
  return (
    <ActForm title="What reaches you and how" label="Save" act={set} done="It is saved.">
      <Text size="sm">{mailText(known)}</Text>
      <Table className="stacks">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th>At the bell</Table.Th>
            <Table.Th>By mail</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {kinds.map(({ kind, describe, console: atBell, mail }) => (
            <Table.Tr key={kind}>
              <Table.Td>{describe}</Table.Td>
              <Table.Td data-title="At the bell">
                <NativeSelect
                  aria-label={`${describe}: at the bell`}
                  display="inline-block"
                  w={88}
                  size="xs"
                  value={atBell}
                  data={['now', 'off']}
                  onChange={({ currentTarget }) =>
                    change(kind, { console: currentTarget.value === 'off' ? 'off' : 'now' })
                  }
                />
              </Table.Td>
              <Table.Td data-title="By mail">
                <NativeSelect
                  aria-label={`${describe}: by mail`}
                  display="inline-block"
                  w={88}
                  size="xs"
                  value={mail}
                  data={['now', 'daily', 'off']}
                  onChange={({ currentTarget: { value } }) =>
                    change(kind, { mail: value === 'now' || value === 'daily' ? value : 'off' })
                  }
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group align="end">
        <TextInput
          label="Hour of the daily mail"
          type="number"
          min={0}
          max={23}
          w={160}
          value={hour}
          onChange={(event) => setHour(event.currentTarget.value)}
        />
        <TextInput
          label="Time zone"
          w={200}
          value={zone}
          onChange={(event) => setZone(event.currentTarget.value)}
        />
        <TextInput
          label="No mail from"
          type="time"
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput label="to" type="time" value={to} onChange={(event) => setTo(event.currentTarget.value)} />
      </Group>
    </ActForm>
  );
}

function mailText({ email, mail_server: hasServer }: Settings): string {
  if (!hasServer) return 'This installation sends no mail: notices are shown at the bell alone.';
  if (email === undefined) return 'You have proved no e-mail address, so you get no mail.';
  return `Mail goes to ${email}.`;
}

/** Only what was changed: what is left out stays as it is. */
function changedRules(before: readonly Kind[], after: readonly Kind[]) {
  const was = new Map(before.map((each) => [each.kind, each]));
  const mail = after.filter((each) => was.get(each.kind)?.mail !== each.mail);
  const atBell = after.filter((each) => was.get(each.kind)?.console !== each.console);
  return {
    ...(mail.length > 0 && { mail: Object.fromEntries(mail.map((each) => [each.kind, each.mail])) }),
    ...(atBell.length > 0 && {
      console: Object.fromEntries(atBell.map((each) => [each.kind, each.console])),
    }),
  };
}
