import { Button, Card, Center, Code, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState, type SubmitEvent } from 'react';
import { api } from '../api/client.js';
import { passkeyTrouble, showPasskey } from '../api/passkey.js';
import { signIn, takeLink, takeReturn, useProvider, type Proof, type SecondStep } from '../api/session.js';
import { ErrorPanel } from '../parts/error-panel.js';
import { PasswordField } from '../parts/forms/password-field.js';
import { bindText } from '../parts/forms/bind-text.js';

/** Read before the page is drawn, so that no other code sees the secret in the address. */
const arrived = {
  link: takeLink('link'),
  invitation: takeLink('invitation'),
  reset: takeLink('reset'),
  back: takeReturn(),
};

const byPasskey = async (step: string | undefined): Promise<Proof> => ({
  ...(await showPasskey(step)),
  ...(step !== undefined && { second_step: step }),
});

/** Signs in by the installation's provider, a passkey, an e-mail address and password, a one-time link, or a token. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const [email, setEmail] = useState('');
  const [secret, setSecret] = useState('');
  const { invitation, reset, back } = arrived;
  /** A new password is chosen, by a link that was sent. */
  const isNew = invitation !== undefined || reset !== undefined;
  const [isAsked, setAsked] = useState(false);
  const [link, setLink] = useState(arrived.link);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [step, setStep] = useState<SecondStep>();
  const [code, setCode] = useState('');
  const provider = useProvider();
  const enter = async (by: Proof | Promise<Proof>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const next = await signIn(await by);
      if (next === undefined) {
        // A later sign-in, after the session has ended, must not use these again.
        Object.assign(arrived, { invitation: undefined, reset: undefined, back: undefined });
        return back === undefined ? onSignedIn() : location.assign(back);
      }
      // The link is used up; what follows is the second factor.
      arrived.reset = undefined;
      setStep(next);
      setBusy(false);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const askForMail = async (): Promise<void> => {
    setError(undefined);
    try {
      await api('POST /v1/session/reset', { body: { email: email.trim() } });
      setAsked(true);
    } catch (failure) {
      setError(failure);
    }
  };
  const enterByLink = (): void => {
    arrived.link = undefined;
    setLink(undefined);
    void enter({ link: link ?? '' });
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (invitation !== undefined) return void enter({ invitation, password: secret });
    if (reset !== undefined) return void enter({ reset, password: secret });
    if (step !== undefined) return void enter({ second_step: step.second_step, code });
    void enter(email.trim() === '' ? { token: secret.trim() } : { email: email.trim(), password: secret });
  };
  // Opening the address uses nothing up: programs that look at links in messages do no more than that.
  if (link !== undefined)
    return (
      <Center mih="100vh" p="md" component="main">
        <Card withBorder w="100%" maw={440} p="lg">
          <Stack>
            <Title order={1} size="h3">
              Sign in with this link?
            </Title>
            <Text size="sm">
              The link signs in the person that it was made for, once. If nobody has promised you one, do not
              use it.
            </Text>
            <Button onClick={enterByLink}>Sign in</Button>
            <Button variant="default" onClick={() => setLink(undefined)}>
              Sign in otherwise
            </Button>
          </Stack>
        </Card>
      </Center>
    );
  return (
    <Center mih="100vh" p="md" component="main">
      <Card withBorder w="100%" maw={440} p="lg">
        <form onSubmit={submit}>
          <Stack>
            <Title order={1} size="h3">
              {invitation !== undefined
                ? 'You are invited to Switchyard'
                : reset !== undefined
                  ? 'Choose a new password'
                  : 'Sign in to Switchyard'}
            </Title>
            {isNew ? (
              <PasswordField
                label="New password"
                description={`At least 12 characters. You sign in with it and the e-mail address that ${invitation === undefined ? 'the link was sent to' : 'was invited'}.`}
                isNew
                value={secret}
                onChange={setSecret}
              />
            ) : step === undefined ? (
              <>
                <Text size="sm">
                  Open the link that the terminal printed when Switchyard started. For a new one run{' '}
                  <Code>npx switchyard principals link NAME</Code>. Or sign in with your e-mail address and
                  password.
                </Text>
                <TextInput
                  label="E-mail address"
                  type="email"
                  autoComplete="username"
                  {...bindText(email, setEmail)}
                />
                <PasswordField
                  label="Password"
                  description="Or a token of your own, without an e-mail address."
                  value={secret}
                  onChange={setSecret}
                />
                {isAsked ? (
                  <Text size="sm" role="status">
                    If somebody here has proved this address, a mail with a link is on its way. The link is
                    good for 15 minutes.
                  </Text>
                ) : (
                  <Button
                    variant="subtle"
                    size="compact-sm"
                    disabled={!email.includes('@')}
                    onClick={() => void askForMail()}
                  >
                    Send me a link for a new password
                  </Button>
                )}
              </>
            ) : (
              <TextInput
                label="Code of your app"
                description="Or one of your recovery codes. There are five minutes for it."
                autoComplete="one-time-code"
                autoFocus
                {...bindText(code, setCode)}
              />
            )}
            {error !== undefined && <ErrorPanel error={error} />}
            <Button
              type="submit"
              loading={isBusy}
              disabled={isNew ? secret.length < 12 : (step === undefined ? secret : code).trim() === ''}
            >
              {invitation === undefined ? 'Sign in' : 'Join'}
            </Button>
            {!isNew &&
              (step === undefined || step.factors.includes('passkey')) &&
              passkeyTrouble() === undefined && (
                <Button variant="default" onClick={() => void enter(byPasskey(step?.second_step))}>
                  {step === undefined ? 'Sign in with a passkey' : 'Use a passkey'}
                </Button>
              )}
            {step === undefined && provider !== undefined && (
              <Button
                variant="default"
                component="a"
                href={`/sign-in/oidc?return_to=${encodeURIComponent(back ?? location.pathname + location.search)}`}
              >
                Sign in with {provider}
              </Button>
            )}
            {step === undefined && !isNew && email.includes('@') && (
              <Button
                variant="default"
                component="a"
                href={`/sign-in/oidc?${new URLSearchParams({ email: email.trim(), return_to: back ?? location.pathname + location.search }).toString()}`}
              >
                Sign in with your organization
              </Button>
            )}
            {step !== undefined && (
              <Button variant="default" onClick={() => location.reload()}>
                Begin again
              </Button>
            )}
          </Stack>
        </form>
      </Card>
    </Center>
  );
}
