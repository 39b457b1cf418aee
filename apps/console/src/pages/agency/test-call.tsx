import { Button, Group, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { may, type Me } from '../../api/session.js';
import { objectsIn, task } from '../../api/task.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { FactList } from '../../parts/panel.js';

interface Result {
  readonly tookMs: number;
  readonly products: number;
  readonly sellers: number;
}

/**
 * Sends a read as the agent does, and shows what came back and how to send the same: a question for products, or for
 * what the sellers can do where it may not ask for products.
 */
export function TestCall({ me }: { readonly me: Me }) {
  const asksProducts = may(me, 'products.read');
  const name = asksProducts ? 'get_products' : 'get_adcp_capabilities';
  const [isOpen, dialog] = useDisclosure();
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [result, setResult] = useState<Result>();
  const { brand_domain: brand } = me;
  const body = asksProducts
    ? { brief: 'A test call', ...(brand !== undefined && { brand: { domain: brand } }) }
    : {};
  const send = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    setResult(undefined);
    const begun = performance.now();
    try {
      const answer = await task(name, body);
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
            {name} only reads: nothing is ordered. The same request from a terminal:
          </p>
          <pre className="dark-code" tabIndex={0} aria-label="The same request from a terminal">
            {`curl ${location.origin}/v1/tasks/${name} \\\n  -H 'Authorization: Bearer sy_…' -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body)}'`}
          </pre>
          {result !== undefined && (
            <div role="status">
              <FactList
                of={{
                  Answer: 'completed',
                  Took: `${result.tookMs} ms`,
                  'Sellers that answered': asksProducts && String(result.sellers),
                  Products: asksProducts && String(result.products),
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
