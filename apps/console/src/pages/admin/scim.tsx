import { Code, Loader, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { FactList, Panel } from '../../parts/panel.js';
import { PageHead } from '../../parts/page-head.js';
import { useAnswer, useMay } from '../../parts/use-rows.js';

/** Provisioning of people and teams by SCIM. */
export function ScimPage() {
  const found = useAnswer('GET /v1/scim');
  const may = useMay();
  const isAllowed = found.data?.allowed === true;
  return (
    <>
      <PageHead title="Provisioning">
        A directory such as Okta or Microsoft Entra makes people and teams here, and switches people off.
      </PageHead>
      {found.isPending && <Loader role="status" aria-label="Loading" />}
      {found.isError && <ErrorPanel error={found.error} again={() => void found.refetch()} />}
      {found.isSuccess && (
        <div className="columns">
          <div className="column">
            {may('principals.write') ? isAllowed ? <NewToken /> : <Allow /> : undefined}
            {isAllowed && may('principals.delete') ? <End /> : undefined}
          </div>
          <div className="column">
            <Panel title="Now">
              <FactList
                of={{
                  Allowed: isAllowed ? 'yes' : 'no',
                  Address: found.data.base_url,
                  People: found.data.users === undefined ? '' : String(found.data.users),
                  Teams: found.data.groups === undefined ? '' : String(found.data.groups),
                }}
              />
            </Panel>
          </div>
        </div>
      )}
    </>
  );
}

function Allow() {
  return (
    <ActForm
      title="Allow provisioning"
      label="Ask for it"
      done="Provisioning is allowed."
      act={() => api('POST /v1/scim', {})}
    >
      <small>Another person approves it. Teams of the directory get the roles that people give them.</small>
    </ActForm>
  );
}

function NewToken() {
  const [token, setToken] = useState<string>();
  return (
    <ActForm
      title="New token"
      label="Make a token"
      act={async () => {
        const made = await api('POST /v1/scim/tokens', { body: {} });
        setToken(made.token);
      }}
    >
      {token === undefined ? (
        <small>It is valid for a year and opens provisioning alone. End old ones on the page People.</small>
      ) : (
        <Text size="sm" role="status">
          Shown this once: <Code>{token}</Code>
        </Text>
      )}
    </ActForm>
  );
}

function End() {
  return (
    <ActForm
      title="End provisioning"
      label="End it with every token"
      done="Provisioning has ended."
      act={() => api('DELETE /v1/scim', {})}
    >
      <small>People and teams stay as they are.</small>
    </ActForm>
  );
}
