import { Button, Group, Modal, Stack, Text, TextInput, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useState, type SubmitEvent, type ReactNode } from 'react';
import { ApiFailure } from '../../api/client.js';
import { ErrorPanel } from '../error-panel.js';
import { useRefresh } from '../use-rows.js';

interface Props extends ButtonProps {
  /** The label of the button and of the confirmation: a verb and its object. */
  readonly label: string;
  /** What will happen, and to what. */
  readonly children: ReactNode;
  /** What the button is about, for screen readers, where several have the same label. */
  readonly about?: string;
  /** Requests a reason, which is recorded: required, or optional. */
  readonly reason?: 'required' | 'optional';
  /** Runs the action; what is shown is read again then. An error that it throws is shown, and the reason is kept. A text that it answers is shown instead of `done`. */
  readonly act: (reason: string) => Promise<unknown>;
  /** Why it cannot be confirmed now; shown beside the button. */
  readonly blocked?: string | undefined;
  /** Shown once it is done. */
  readonly done: string;
  /** The opposite deed: offered for ten seconds once it is done. */
  readonly undo?: () => Promise<unknown>;
  /** True where an address asks for it: the dialog is open at first. */
  readonly startsOpen?: boolean;
  /** The label of the button that closes the dialog. */
  readonly dismiss?: string;
}

/** Says that something is done, and offers to undo it. */
function tellDone(message: string, undo: (() => Promise<unknown>) | undefined): void {
  if (undo === undefined) return void notifications.show({ message, color: 'good' });
  const back = async (id: string): Promise<void> => {
    notifications.hide(id);
    try {
      await undo();
      notifications.show({ message: 'It is undone.', color: 'good' });
    } catch (failure) {
      notifications.show({
        message: failure instanceof Error ? failure.message : String(failure),
        color: 'bad',
      });
    }
  };
  const id = notifications.show({
    color: 'good',
    autoClose: 10_000,
    message: (
      <>
        {message}{' '}
        <button type="button" className="text-button" onClick={() => void back(id)}>
          Undo
        </button>
      </>
    ),
  });
}

/** A button whose action is confirmed once. */
export function ConfirmButton({
  label,
  about,
  children,
  reason,
  act,
  blocked,
  done,
  undo,
  startsOpen = false,
  dismiss = 'Cancel',
  ...button
}: Props) {
  const [isOpen, dialog] = useDisclosure(startsOpen);
  // Once it is done, the button may be that of the opposite act, while the dialog is still closing.
  const [asked, setAsked] = useState(label);
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const refresh = useRefresh();
  const confirm = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    // The dialog may stand in a form, which would be sent with it.
    event.stopPropagation();
    setBusy(true);
    setError(undefined);
    try {
      const message = await act(text.trim());
      // It is done, whatever comes of reading the page again.
      dialog.close();
      setText('');
      tellDone(typeof message === 'string' ? message : done, undo && (() => undo().then(refresh)));
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
    <>
      <Button
        size="xs"
        {...button}
        onClick={() => {
          setError(undefined);
          setAsked(label);
          dialog.open();
        }}
      >
        {label}
        {about !== undefined && <span className="unseen">: {about}</span>}
      </Button>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title={asked}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <form onSubmit={(event) => void confirm(event)}>
          <Stack>
            <div>{children}</div>
            {reason !== undefined && (
              <TextInput
                label="Reason"
                description="It is kept in the audit record."
                data-autofocus
                required={reason === 'required'}
                value={text}
                maxLength={500}
                onChange={({ currentTarget }) => setText(currentTarget.value)}
              />
            )}
            {error !== undefined && <ErrorPanel error={error} />}
            <Group justify="flex-end">
              {blocked !== undefined && (
                <Text size="sm" id="why-blocked" flex={1}>
                  {blocked}
                </Text>
              )}
              <Button variant="default" onClick={dialog.close}>
                {dismiss}
              </Button>
              <Button
                type="submit"
                loading={isBusy}
                disabled={blocked !== undefined || (reason === 'required' && text.trim() === '')}
                {...(blocked !== undefined && { 'aria-describedby': 'why-blocked' })}
                {...(button.color !== undefined && { color: button.color })}
              >
                {asked}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
