import { Button, Group, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { objectsIn, task } from '../../api/task.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { FactList } from '../../parts/panel.js';

interface Result {
  readonly tookMs: number;
  readonly products: number;
  readonly sellers: number;
}

/** Asks for products once, as the agent does, and shows what came back and how to send the same. */
export function TestCall({ brand }: { readonly brand: string | undefined }) {
  const [isOpen, dialog] = useDisclosure();
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [result, setResult] = useState<Result>();
  const body = { brief: 'A test call', ...(brand !== undefined && { brand: { domain: brand } }) };
  const send = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    setResult(undefined);
    const begun = performance.now();
    try {
      const answer = await task('get_products', body);
      setResult({
        tookMs: Math.round(performance.now() - begun),
        products: objectsIn(answer['products']).length,
        sellers: objectsIn(answer['sellers']).filter(({ status }) => status === 'answered').length,
      });
      await client.invalidateQueries({ queryKey: ['custody'] });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button size="sm" onClick={dialog.open}>
        Send a test call
      </Button>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        size="lg"
        title="Send a test call"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <p className="panel-note">
            get_products asks the sellers once. Nothing is ordered. The same request from a terminal:
          </p>
          <pre className="dark-code" tabIndex={0} aria-label="The same request from a terminal">
            {`curl ${location.origin}/v1/tasks/get_products \\\n  -H 'Authorization: Bearer sy_…' -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body)}'`}
          </pre>
          {result !== undefined && (
            <div role="status">
              <FactList
                of={{
                  Answer: 'completed',
                  Took: `${result.tookMs} ms`,
                  'Sellers that answered': String(result.sellers),
                  Products: String(result.products),
                }}
              />
            </div>
          )}
          {error !== undefined && <ErrorPanel error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={dialog.close}>
              Close
            </Button>
            <Button loading={isBusy} data-autofocus onClick={() => void send()}>
              {result === undefined ? 'Send it' : 'Send it again'}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
