import { Alert, List } from '@mantine/core';
import type { Answer } from '../../api/client.js';
import { Name, clean } from '../../parts/name.js';
import { titles } from './connect/gate-checks.js';

const words = { held: 'Held', failed: 'Failed', not_tried: 'Not tried' } as const;
const about = {
  address: 'its address may be called and answers',
  credential: 'its credential can be opened',
  transport: 'it speaks the protocol',
  authentication: 'it takes the credential',
  capabilities: 'what it says it can do',
  webhooks: 'how it reports',
} as const;

/** The steps of a connection test: which passed, which failed and why. */
export function Steps({ result }: { readonly result: Answer<'POST /v1/sellers/{slug}/test'> }) {
  return (
    <Alert
      color={result.ok ? 'good' : 'bad'}
      variant="outline"
      role={result.ok ? 'status' : 'alert'}
      title={result.ok ? 'Every step held' : 'A step failed'}
    >
      <List size="sm" type="ordered">
        {result.steps.map(({ step, result: outcome, code, reason }) => (
          <List.Item key={step}>
            {words[outcome]}: {step}, {about[step]}
            {code !== undefined && ` (${clean(code)})`}
            {reason !== undefined && (
              <>
                {' '}
                <Name of={reason} most={400} />
              </>
            )}
          </List.Item>
        ))}
        {result.checks
          .filter(({ state }) => state !== 'passed' && state !== 'skipped')
          .map(({ key, code, words: found }) => (
            <List.Item key={key}>
              {titles[key]}: {clean(code)} <Name of={found} most={400} />
            </List.Item>
          ))}
      </List>
    </Alert>
  );
}
