import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api, type Answer } from '../../api/client.js';
import { Facts } from '../../parts/facts.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { Loaded } from '../../parts/loaded.js';
import { clean, Name } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { Time } from '../../parts/time.js';

type Act = Answer<'GET /v1/me/acts/{id}'>;

const states: Readonly<Record<Act['state'], string>> = {
  open: 'Waits for you',
  confirmed: 'You let it be done. The assistant does it with its next call',
  declined: 'Declined: it is not done',
  done: 'Done',
  over: 'Its time is over: it is not done',
};

/** One act that an assistant asks for. Nothing is done before it is confirmed here. */
export function AssistantActPage() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const query = useQuery({
    queryKey: ['acts', id],
    queryFn: ({ signal }) => api('GET /v1/me/acts/{id}', { params: { id }, signal }),
  });
  return (
    <Loaded title="An assistant asks you" query={query}>
      {(act) => <Shown of={act} />}
    </Loaded>
  );
}

function Shown({ of: act }: { readonly of: Act }) {
  const sent = { params: { id: act.act_id } };
  const asked = Object.entries(act.arguments).map(([name, value]) => [
    clean(name, 80),
    <Name key={name} of={typeof value === 'string' ? value : JSON.stringify(value)} most={2_000} />,
  ]);
  const mayDecide = act.state === 'open' || act.state === 'confirmed';
  return (
    <>
      <PageHead title="An assistant asks you">{act.summary}.</PageHead>
      <Facts
        label="What it asks"
        of={{
          Asked: <Name of={act.asked_by} />,
          Act: act.tool,
          State: states[act.state],
          Since: <Time at={act.created_at} />,
          Until: <Time at={act.ends_at} />,
        }}
      />
      <Facts label="With" of={Object.fromEntries(asked) as Readonly<Record<string, (typeof asked)[0][1]>>} />
      {mayDecide && (
        <Group>
          {act.state === 'open' && (
            <ConfirmButton
              label="Confirm"
              act={() => api('POST /v1/me/acts/{id}/confirm', sent)}
              done="Confirmed. Tell the assistant to go on."
            >
              <Text>
                It is done once, with exactly what stands on this page, when the assistant calls again.
              </Text>
            </ConfirmButton>
          )}
          <ConfirmButton
            label="Decline"
            color="bad"
            act={() => api('POST /v1/me/acts/{id}/decline', sent)}
            done="Declined. Nothing was done."
          >
            <Text>Nothing is done, and the assistant is told.</Text>
          </ConfirmButton>
        </Group>
      )}
    </>
  );
}
