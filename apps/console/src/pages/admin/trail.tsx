import { Button, Code, List, Stack, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { Answer, JsonObject, JsonValue } from '../../api/client.js';
import { Facts } from '../../parts/facts.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Loaded } from '../../parts/loaded.js';
import { clean } from '../../parts/name.js';
import { PageHead } from '../../parts/page-head.js';
import { saveFile } from '../../parts/save-file.js';
import { Time } from '../../parts/time.js';
import { useAnswer } from '../../parts/use-rows.js';

const stages = [
  ['arrived', 'What arrived, and how it was judged'],
  ['forwarded', 'What was passed on'],
  ['answer', 'What the seller answered'],
] as const;

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `bodyHash` as `Body hash`. */
const words = (name: string): string => {
  const plain = name.replaceAll(/([A-Z])/g, ' $1').toLowerCase();
  return plain.charAt(0).toUpperCase() + plain.slice(1);
};

function shown(name: string, value: JsonValue) {
  if (name === 'way' && value === 'resigned') return 'Signed by us';
  if (typeof value === 'string')
    return /(?:^|[a-z])at$|At$/.test(name) && !Number.isNaN(Date.parse(value)) ? (
      <Time at={value} />
    ) : /hash|id$/i.test(name) ? (
      <Id of={value} />
    ) : (
      clean(value, 2_000)
    );
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value.length === 0 ? (
      'None'
    ) : (
      <List size="sm">
        {value.map((text) => (
          <List.Item key={text}>{clean(text, 400)}</List.Item>
        ))}
      </List>
    );
  if (Array.isArray(value) && value.length === 0) return 'None';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'object' ? <Code>{clean(JSON.stringify(value), 4_000)}</Code> : String(value);
}

const factsOf = (of: JsonObject) =>
  Object.fromEntries(
    Object.entries(of)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [words(name), shown(name, value)]),
  );

/** The record of one request: what arrived, its verdict, what was forwarded and added, and the answer. */
export function TrailPage() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const query = useAnswer('GET /v1/custody/{id}', { params: { id } });
  return (
    <Loaded title="Trail of one request" query={query}>
      {(answer) => <Shown id={id} answer={answer} />}
    </Loaded>
  );
}

function Shown({ id, answer }: { readonly id: string; readonly answer: Answer<'GET /v1/custody/{id}'> }) {
  const record: JsonObject = answer.record;
  const rest = Object.fromEntries(
    Object.entries(record).filter(([name]) => !stages.some(([stage]) => stage === name)),
  );
  return (
    <>
      <PageHead
        title="Trail of one request"
        actions={
          <Button
            size="xs"
            variant="default"
            onClick={() =>
              saveFile(`custody-${id}.json`, 'application/json', JSON.stringify(answer, null, 2))
            }
          >
            Download the record
          </Button>
        }
      >
        <Id of={id} /> <Go to="/agents/calls">All of them</Go>
      </PageHead>
      <Facts label="The request" of={factsOf(rest)} />
      <Stack gap="xs">
        {stages.map(([stage, title]) => {
          const part = record[stage];
          return (
            <section key={stage} aria-label={title}>
              <Title order={2} size="h4" mb="xs">
                {title}
              </Title>
              {isObject(part) ? <Facts label={title} of={factsOf(part)} /> : <p>Nothing.</p>}
            </section>
          );
        })}
      </Stack>
      <Facts
        label="Its place in the chain"
        of={{
          Hash: typeof answer['hash'] === 'string' && <Id of={answer['hash']} />,
          Block: typeof answer['block'] === 'string' && answer['block'],
        }}
      />
    </>
  );
}
