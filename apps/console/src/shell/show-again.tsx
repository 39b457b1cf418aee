import { Button, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useState, type SubmitEvent } from 'react';
import { api, askWhenNotRecent } from '../api/client.js';
import { passkeyTrouble, showPasskey } from '../api/passkey.js';
import { ErrorPanel } from '../parts/error-panel.js';
import { PasswordField } from '../parts/forms/password-field.js';
import { bindText } from '../parts/forms/bind-text.js';

type Shown = Parameters<typeof api<'POST /v1/me/show-again'>>[1] extends infer Sent
  ? NonNullable<NonNullable<Sent> extends { readonly body?: infer Body } ? Body : never>
  : never;

/** Asks for a password, a code or a passkey again, for acts that need a recent sign-in. */
export function ShowAgain() {
  const [answer, setAnswer] = useState<(isShown: boolean) => void>();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    askWhenNotRecent(() => new Promise((resolve) => setAnswer(() => resolve)));
    return () => askWhenNotRecent(undefined);
  }, []);
  const end = (isShown: boolean): void => {
    answer?.(isShown);
    setAnswer(undefined);
    setPassword('');
    setCode('');
    setError(undefined);
  };
  const show = async (shown: Shown | Promise<Shown>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await api('POST /v1/me/show-again', { body: await shown });
      end(true);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    void show(code.trim() === '' ? { password } : { code: code.trim() });
  };
  return (
    <Modal
      opened={answer !== undefined}
      onClose={() => end(false)}
      title="Show again that it is you"
      zIndex={900}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            Your sign-in is not recent enough for this act. Show one of these; then the act is repeated.
            Without any of them sign out and in again.
          </Text>
          <PasswordField label="Password" value={password} onChange={setPassword} />
          <TextInput
            label="Or a code of your app, or a recovery code"
            autoComplete="one-time-code"
            {...bindText(code, setCode)}
          />
          {error !== undefined && <ErrorPanel error={error} />}
          <Button type="submit" loading={isBusy} disabled={password === '' && code.trim() === ''}>
            Continue
          </Button>
          {passkeyTrouble() === undefined && (
            <Button variant="default" onClick={() => void show(showPasskey())}>
              Use a passkey
            </Button>
          )}
        </Stack>
      </form>
    </Modal>
  );
}
