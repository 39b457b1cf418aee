import { Group, List, Paper, Stack, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ActForm } from '../../parts/forms/act-form.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Go } from '../../parts/go.js';
import { Name, clean } from '../../parts/name.js';
import { useMay, useRows } from '../../parts/use-rows.js';
import { AddGrant, Grants } from './person.js';
import { bindText } from '../../parts/forms/bind-text.js';

type Team = Answer<'GET /v1/teams'>['teams'][number];

/** Teams: principals that hold roles together. A member has the roles of the team. */
export function Teams({
  wanted,
}: {
  /** Name or id of the one that is shown; absent: all. */ readonly wanted: string | undefined;
}) {
  const canAdd = useMay()('principals.write');
  const teams = useRows('GET /v1/teams', ({ teams: all }) => all);
  const [name, setName] = useState('');
  return (
    <>
      {teams.rows
        .filter((team) => wanted === undefined || [team.team_id, team.name].includes(wanted))
        .map((team) => (
          <TeamCard key={team.team_id} team={team} />
        ))}
      {wanted !== undefined && <Go to="/people">Show all teams</Go>}
      {canAdd && (
        <ActForm
          title="Add a team"
          label="Add the team"
          done="The team is there. Give it a role, and add members."
          isReady={name.trim() !== ''}
          act={async () => {
            await api('POST /v1/teams', { body: { name: name.trim() } });
            setName('');
          }}
        >
          <TextInput
            label="Name of the team"
            description="Members get the roles of the team"
            required
            maxLength={100}
            {...bindText(name, setName)}
          />
        </ActForm>
      )}
    </>
  );
}

function TeamCard({ team }: { readonly team: Team }) {
  const may = useMay();
  const [principal, setPrincipal] = useState('');
  const [name, setName] = useState(team.name);
  const canDelete = may('principals.delete');
  return (
    <Paper withBorder p="md" component="section" aria-label={`Team ${clean(team.name)}`}>
      <Title order={2} size="h4" mb="xs">
        Team <Name of={team.name} />
      </Title>
      <Grants holder={{ team: team.team_id }} canDelete={canDelete} />
      {team.members.length > 0 && (
        <List size="sm" mb="sm" aria-label="Members">
          {team.members.map((member) => (
            <List.Item key={member.principal_id}>
              <Group gap="xs">
                <Name of={member.name} />
                {canDelete && (
                  <ConfirmButton
                    label="Remove"
                    size="compact-sm"
                    variant="default"
                    done={`${clean(member.name)} is removed from the team.`}
                    act={async () => {
                      const params = { name: team.team_id, principal: member.principal_id };
                      await api('DELETE /v1/teams/{name}/members/{principal}', { params });
                    }}
                  >
                    {clean(member.name)} loses the roles of the team with the next request.
                  </ConfirmButton>
                )}
              </Group>
            </List.Item>
          ))}
        </List>
      )}
      {may('principals.write') && (
        <Stack gap="sm">
          <ActForm
            label="Add the member"
            done="The member holds the roles of the team."
            isReady={principal.trim() !== ''}
            act={async () => {
              const params = { name: team.team_id };
              await api('POST /v1/teams/{name}/members', { params, body: { principal: principal.trim() } });
              setPrincipal('');
            }}
          >
            <TextInput
              label="Principal"
              description="Its name or id"
              required
              {...bindText(principal, setPrincipal)}
            />
          </ActForm>
          <AddGrant holder={{ team: team.team_id }} />
          <ActForm
            label="Rename the team"
            done="The team is renamed."
            isReady={name.trim() !== '' && name.trim() !== team.name}
            act={() =>
              api('POST /v1/teams/{name}', { params: { name: team.team_id }, body: { name: name.trim() } })
            }
          >
            <TextInput label="New name" required maxLength={100} {...bindText(name, setName)} />
          </ActForm>
        </Stack>
      )}
      {canDelete && (
        <ConfirmButton
          label="Remove the team"
          mt="sm"
          variant="default"
          done={`The team ${clean(team.name)} is removed.`}
          act={() => api('DELETE /v1/teams/{name}', { params: { name: team.team_id } })}
        >
          Its roles end, and who is in it loses them with the next request.
        </ConfirmButton>
      )}
    </Paper>
  );
}
