import { Button, Group, Paper, Stack, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { ApiFailure } from '../../api/client.js';
import { ErrorPanel } from '../error-panel.js';
import { useRefresh } from '../use-rows.js';

/** A form with one action. A refusal is shown above its button, and the input is kept. */
export function ActForm({
  title,
  label,
  act,
  done,
  isReady = true,
  also,
  children,
}: {
  /** The purpose of the form; absent if the page says it. */
  readonly title?: string;
  /** The label of its button. */
  readonly label: string;
  readonly act: () => Promise<unknown>;
  /** Shown once it is done; absent if its answer is shown instead. */
  readonly done?: string;
  readonly isReady?: boolean;
  /** Other buttons beside the main one. */
  readonly also?: ReactNode;
  readonly children: ReactNode;
}) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const refresh = useRefresh();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await act();
      if (done !== undefined) notifications.show({ message: done, color: 'good' });
      await refresh();
    } catch (failure) {
      setError(failure);
      // It waits for another person: what waits is shown on some pages.
      if (failure instanceof ApiFailure && failure.status === 202) await refresh();
    } finally {
      setBusy(false);
    }
  };
  return (
    <Paper withBorder p="md" className="on-screen">
      <form onSubmit={(event) => void submit(event)} aria-label={title ?? label}>
        <Stack gap="sm">
          {title !== undefined && (
            <Title order={2} size="h4">
              {title}
            </Title>
          )}
          {children}
          {error !== undefined && <ErrorPanel error={error} />}
          <Group>
            <Button type="submit" loading={isBusy} disabled={!isReady}>
              {label}
            </Button>
            {also}
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
