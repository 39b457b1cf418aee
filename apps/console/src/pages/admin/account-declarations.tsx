import { Checkbox, Group } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { clean, Name } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { Quiet } from '../../parts/quiet.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useMay } from '../../parts/use-rows.js';
import { ClientSelect } from './client-logins.js';
import { choice, needed, own, text, useForm } from '../../parts/forms/use-form.js';

type Declaration = Answer<'GET /v1/declarations'>['declarations'][number];
type Answered = Declaration['preview'];

const asked = {
  brand_domain: needed(text('Domain of the brand', undefined, { placeholder: 'nova.example' })),
  billing: choice('Who is billed', { operator: 'Us', agent: 'Our agent', advertiser: 'The client' }),
  payment_terms: choice('Terms of payment', {
    '': 'As the seller has them',
    net_15: 'net 15',
    net_30: 'net 30',
    net_45: 'net 45',
    net_60: 'net 60',
    net_90: 'net 90',
    prepay: 'prepay',
  }),
  client: own((value, set) => (
    <ClientSelect label="With the login of" none="The common one" value={value} onChange={set} />
  )),
};

/** Accounts that we declare at a seller: its answer to a trial first, then another person, then the seller. */
export function AccountDeclarations({ slug }: { readonly slug: string }) {
  const may = useMay();
  const waiting = usePages('GET /v1/declarations', 'declarations', { state: 'waiting' });
  const declarations = { ...waiting, rows: waiting.rows.filter(({ seller }) => seller === slug) };
  return (
    <>
      {declarations.rows.length > 0 && (
        <Panel title="Accounts to declare" about="each is sent once another person agrees" isFlush>
          <DataTable
            label="Declarations that wait"
            pages={declarations}
            columns={columns}
            empty={undefined}
          />
        </Panel>
      )}
      {may('sellers.write') && <Declare slug={slug} />}
    </>
  );
}

/** What a seller answers, or would answer, in one line. */
function answerText({ effect, status, errors, warnings, is_trial: isTrial }: Answered): string {
  return [
    effect,
    status.replaceAll('_', ' '),
    ...[...errors.map(({ says }) => says), ...warnings].map((said) => clean(said, 200)),
    isTrial ? undefined : 'not as a trial',
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

const columns: readonly Column<Declaration>[] = [
  {
    title: 'For',
    cell: ({ account }) => (
      <>
        <Name of={account.brand_domain} most={80} />
        <Quiet>billed to {account.billing}</Quiet>
      </>
    ),
  },
  {
    title: 'The seller says',
    cell: ({ preview }) => `It would answer: ${answerText(preview)}`,
  },
  {
    title: 'Made',
    cell: ({ made_by: by, created_at: at }) => (
      <>
        <Time at={at} ago /> <Quiet>by {clean(by ?? 'somebody', 60)}</Quiet>
      </>
    ),
  },
  { title: 'Act', cell: (row) => <Decide declaration={row} /> },
];

function Decide({ declaration: { declaration_id: id, account } }: { readonly declaration: Declaration }) {
  const may = useMay();
  const about = clean(account.brand_domain, 80);
  const send = (act: 'approve' | 'withdraw') => () =>
    api(`POST /v1/declarations/{id}/${act}`, { params: { id } });
  return (
    <Group gap="xs" wrap="nowrap">
      {may('sellers.approve') && (
        <ConfirmButton
          label="Declare it"
          about={about}
          size="compact-xs"
          done="The seller has answered."
          act={send('approve')}
        >
          The seller gets the account for {about} as it stands here. Only another person than who made it can
          do this.
        </ConfirmButton>
      )}
      {may('sellers.write') && (
        <ConfirmButton
          label="Withdraw"
          about={about}
          size="compact-xs"
          variant="subtle"
          done="It is withdrawn."
          act={send('withdraw')}
        >
          The seller is not asked. It can be prepared again.
        </ConfirmButton>
      )}
    </Group>
  );
}

function Declare({ slug }: { readonly slug: string }) {
  const form = useForm(asked);
  const [isPractice, setPractice] = useState(false);
  const declare = async (): Promise<void> => {
    await api('POST /v1/sellers/{slug}/accounts/declare', {
      params: { slug },
      body: { ...form.filled(), ...(isPractice && { sandbox: true }) },
    });
    form.clear();
  };
  return (
    <ActForm
      title="Declare an account"
      label="Ask what the seller would do"
      done="The seller has answered. Another person sends it."
      act={declare}
      isReady={form.isReady()}
    >
      <Group grow preventGrowOverflow={false} align="flex-end">
        {form.inputs()}
      </Group>
      <Checkbox
        label="An account for practice"
        checked={isPractice}
        onChange={({ currentTarget }) => setPractice(currentTarget.checked)}
      />
    </ActForm>
  );
}
