import { List, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { api } from '../../api/client.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { deviceText } from '../../parts/device-text.js';
import { Name, clean } from '../../parts/name.js';
import { Time } from '../../parts/time.js';
import { useAnswer } from '../../parts/use-rows.js';

/** The person's sessions, and the programs that the person has authorized. */
export function Sessions() {
  const open = useAnswer('GET /v1/me/sessions');
  const letIn = useAnswer('GET /v1/me/programs');
  const sessions = open.data?.sessions ?? [];
  const programs = letIn.data?.programs ?? [];
  return (
    <>
      <Paper withBorder p="md" component="section" aria-label="Where you are signed in">
        <Title order={2} size="h4" mb="xs">
          Where you are signed in
        </Title>
        {open.isPending && <Loader role="status" aria-label="Loading sessions" />}
        {open.isError && <ErrorPanel error={open.error} again={() => void open.refetch()} />}
        <List size="sm" mb="sm">
          {sessions.map((session) => (
            <List.Item key={session.session_id}>
              <span title={clean(session.device ?? '')}>
                <Name of={deviceText(session.device ?? 'a browser')} most={120} />
              </span>
              {session.address !== undefined && (
                <>
                  {' '}
                  at <Name of={session.address} />
                </>
              )}
              , since <Time at={session.created_at} />
              {session.last_used_at !== undefined && (
                <>
                  , last used <Time at={session.last_used_at} />
                </>
              )}{' '}
              {session.current ? (
                <b>This one</b>
              ) : (
                <ConfirmButton
                  label="Sign out there"
                  size="compact-sm"
                  variant="default"
                  done="That session has ended."
                  act={() => api('DELETE /v1/me/sessions/{id}', { params: { id: session.session_id } })}
                >
                  Whoever uses that browser signs in again.
                </ConfirmButton>
              )}
            </List.Item>
          ))}
        </List>
        {sessions.length > 1 && (
          <ConfirmButton
            label="Sign out everywhere else"
            variant="default"
            done="Every other session has ended."
            act={() => api('POST /v1/me/sessions/end-others')}
          >
            All of your sessions end, except this one.
          </ConfirmButton>
        )}
      </Paper>
      <Paper withBorder p="md" component="section" aria-label="Programs that act for you">
        <Title order={2} size="h4" mb="xs">
          Programs that act for you
        </Title>
        {letIn.isPending && <Loader role="status" aria-label="Loading programs" />}
        {letIn.isError && <ErrorPanel error={letIn.error} again={() => void letIn.refetch()} />}
        {letIn.isSuccess && programs.length === 0 && <Text size="sm">You have let no program in.</Text>}
        <Stack gap="xs">
          {programs.map((program) => (
            <Text size="sm" component="div" key={program.program_id}>
              <Name of={program.name ?? program.client_id} most={80} />, since{' '}
              <Time at={program.created_at} />:{' '}
              {program.access.map(({ resource, scopes }) => (
                <div key={resource}>
                  <Name of={`${resource}: ${scopes.join(', ')}`} most={160} />
                </div>
              ))}
              <ConfirmButton
                label="End its access"
                size="compact-sm"
                variant="default"
                done="It acts for you no more."
                act={() => api('DELETE /v1/me/programs/{id}', { params: { id: program.program_id } })}
              >
                Its tokens end at once. It can ask you again.
              </ConfirmButton>
            </Text>
          ))}
        </Stack>
      </Paper>
    </>
  );
}
