import { Anchor, Loader, Text } from '@mantine/core';
import { api, type Answer } from '../../api/client.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { PageHead } from '../../parts/page-head.js';
import { FactList, Panel } from '../../parts/panel.js';
import { PrincipalName } from '../../parts/principal-name.js';
import { Time } from '../../parts/time.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';

type Deletion = Answer<'GET /v1/organizations/{id}/deletion'>;
const own = { params: { id: 'own' } } as const;

/** Closing the organization, and opening it again until its removal begins. */
export function CloseOrganizationPage() {
  const found = useAnswer('GET /v1/organizations/{id}/deletion', own);
  return (
    <>
      <PageHead title="Close the organization">
        Nobody works in a closed organization. Thirty days later everything of it is removed for good.
      </PageHead>
      {found.isPending && <Loader role="status" aria-label="Loading the state of the organization" />}
      {found.isError && <ErrorPanel error={found.error} again={() => void found.refetch()} />}
      {found.isSuccess && <State deletion={found.data} />}
    </>
  );
}

function State({ deletion }: { readonly deletion: Deletion }) {
  const { state, requested_by: by, closed_at: closed, due_at: due } = deletion;
  const may = useMay()('principals.delete');
  const words = { open: 'open', closed: 'closed', removing: 'being removed', removed: 'removed' } as const;
  return (
    <Panel title={`The organization is ${words[state]}`}>
      {state !== 'open' && (
        <FactList
          of={{
            'Requested by': by === undefined ? undefined : <PrincipalName id={by} />,
            Closed: <Time at={closed} />,
            'Removal begins': <Time at={due} />,
          }}
        />
      )}
      {state === 'open' && (
        <Text size="sm" mb="sm">
          Export it first: the file has every row of it.{' '}
          <Anchor underline="always" href="/v1/organization-export" download="organization.jsonl">
            Export of the organization
          </Anchor>
        </Text>
      )}
      {may && state === 'open' && <Close />}
      {may && state === 'closed' && <Keep />}
      {!may && (
        <Text size="sm">
          It takes <code>principals.delete</code> in the whole organization.
        </Text>
      )}
    </Panel>
  );
}

function Close() {
  return (
    <ConfirmButton
      label="Close the organization"
      color="bad"
      done="The organization is closed."
      act={() => api('POST /v1/organizations/{id}/deletion', own)}
    >
      Another person must approve it. From then on its people, agents, programs and keys are refused, and
      every admin is told. For thirty days each of them can open it again; then its buys, ledger, custody,
      files and secrets are removed and cannot be brought back.
    </ConfirmButton>
  );
}

function Keep() {
  return (
    <ConfirmButton
      label="Open it again"
      done="The organization is open again."
      act={() => api('POST /v1/organizations/{id}/deletion/keep', own)}
    >
      Its people, agents and keys work again at once, and nothing of it is removed.
    </ConfirmButton>
  );
}
