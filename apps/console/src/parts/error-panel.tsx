import { Alert, Button, Code, Text } from '@mantine/core';
import { ApiFailure } from '../api/client.js';
import { Go } from './go.js';
import { clean } from './name.js';

/**
 * A refusal of the server, with its message, code and remedy. It is shown beside a form and never instead of one, so
 * that the input is kept.
 */
export function ErrorPanel({ error, again }: { readonly error: unknown; readonly again?: () => void }) {
  const failure = error instanceof ApiFailure ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <Alert
      color={failure?.status === 202 ? 'accent' : 'bad'}
      variant="light"
      role="alert"
      title={clean(message, 1_000)}
    >
      {failure?.status === 202 && (
        <Text size="sm">
          <Go to="/inbox/approvals">See what waits for approval</Go>
        </Text>
      )}
      {failure?.code === 'ACCOUNT_SUSPENDED' && (
        <Text size="sm">
          <Go to="/system/organization">See whether the organization is closed, and open it again</Go>
        </Text>
      )}
      {failure?.suggestion !== undefined && <Text size="sm">{clean(failure.suggestion, 1_000)}</Text>}
      {failure?.others.map((other) => (
        <Text key={other} size="sm" mt={4}>
          {clean(other, 1_000)}
        </Text>
      ))}
      {failure !== undefined && failure.status !== 202 && (
        <Text size="xs" mt={4}>
          <Code>{failure.code}</Code>
          {failure.field !== undefined && (
            <>
              {' '}
              at <Code>{clean(failure.field)}</Code>
            </>
          )}
          {failure.requestId !== undefined && (
            <>
              {' '}
              request <Code>{failure.requestId}</Code>
            </>
          )}
        </Text>
      )}
      {again !== undefined && failure?.status === 404 && (
        <Text size="sm" mt="xs">
          Nothing that you may see has this address. <Go to="/">Go to Home</Go>, or search for it with Ctrl K.
        </Text>
      )}
      {again !== undefined && failure?.status !== 404 && (
        <Button mt="xs" size="xs" variant="default" onClick={again}>
          Try again
        </Button>
      )}
    </Alert>
  );
}
