import { Button, Code, CopyButton, Group, Table, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../../api/client.js';
import { ActForm } from '../../../parts/forms/act-form.js';
import { ConfirmButton } from '../../../parts/forms/confirm-button.js';
import { Name } from '../../../parts/name.js';
import { Panel } from '../../../parts/panel.js';
import { ScrollTable } from '../../../parts/scroll-table.js';
import { StatusBadge } from '../../../parts/status.js';
import { Time } from '../../../parts/time.js';
import { useAnswer, useMay } from '../../../parts/use-rows.js';

type Made = Answer<'POST /v1/shares'>;
type Shared =
  | { readonly client_invoice_id: string }
  | { readonly statement: { readonly period: string; readonly scope: string; readonly note?: string } };

const tones = { active: 'good', expired: 'gray', revoked: 'bad' } as const;

/** Links to one document for people who do not sign in: make one, see who opened it, end it. */
export function ShareLinks({
  of: shared,
  digest,
}: {
  readonly of: Shared;
  readonly digest?: string | undefined;
}) {
  const may = useMay();
  const [days, setDays] = useState('30');
  const [made, setMade] = useState<Made>();
  const { data } = useAnswer('GET /v1/shares');
  const links = (data?.shares ?? []).filter((one) => one.digest === (digest ?? made?.digest));
  const make = async (): Promise<void> => {
    setMade(undefined);
    setMade(await api('POST /v1/shares', { body: { ...shared, days: Number(days) } }));
  };
  return (
    <>
      {may('ledger.write') && (
        <ActForm
          title="Share a link"
          label="Make a link"
          act={make}
          isReady={/^\d+$/.test(days) && Number(days) >= 1 && Number(days) <= 365}
        >
          <TextInput
            label="Days until it ends"
            description="1 to 365. Whoever has the link may open the document."
            inputMode="numeric"
            value={days}
            onChange={({ currentTarget }) => setDays(currentTarget.value.trim())}
          />
          {made !== undefined && (
            <div role="status">
              <p className="panel-small">Copy it now: it is shown once.</p>
              <Code block aria-label="The link">
                {made.url}
              </Code>
              <CopyButton value={made.url}>
                {({ copied, copy }) => (
                  <Button size="xs" mt={6} variant="default" onClick={copy}>
                    {copied ? 'Copied' : 'Copy the link'}
                  </Button>
                )}
              </CopyButton>
            </div>
          )}
        </ActForm>
      )}
      {links.length > 0 && (
        <Panel title="Links to it" isFlush>
          <ScrollTable label="Links to the document">
            <Table.Tbody>
              {links.map((link) => (
                <Table.Tr key={link.share_id}>
                  <Table.Td>
                    <StatusBadge of={link.state} tone={tones[link.state]} />
                    <div className="quiet">
                      until <Time at={link.expires_at} dateOnly />
                    </div>
                  </Table.Td>
                  <Table.Td>
                    opened {link.opens} {link.opens === 1 ? 'time' : 'times'}
                    <div className="quiet">
                      by <Name of={link.made_by} most={60} />
                    </div>
                  </Table.Td>
                  <Table.Td>
                    {link.state === 'active' && may('ledger.write') && <Revoke id={link.share_id} />}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </ScrollTable>
        </Panel>
      )}
    </>
  );
}

function Revoke({ id }: { readonly id: string }) {
  return (
    <Group>
      <ConfirmButton
        label="End the link"
        size="compact-xs"
        variant="default"
        done="The link opens nothing any more."
        act={() => api('POST /v1/shares/{id}/revoke', { params: { id } })}
      >
        Whoever has it sees nothing from now on. Another link can be made.
      </ConfirmButton>
    </Group>
  );
}
