import { Button, Code, CopyButton, Drawer, Stack, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { clean } from './name.js';
import { useReturning } from './returning.js';
import { Time } from './time.js';

interface Explanation {
  /** The reason, as a sentence. */
  readonly why: ReactNode;
  readonly since?: string | undefined;
  /** The evidence: names and values, or links. */
  readonly evidence?: ReactNode;
  /** The next step, and who does it. */
  readonly next: ReactNode;
  /** The command that does or shows the same. */
  readonly cli?: string;
}

const tones: Readonly<Record<string, string>> = {
  active: 'good',
  approved: 'good',
  completed: 'good',
  closed: 'good',
  live: 'good',
  settled: 'good',
  matched: 'good',
  ok: 'good',
  failed: 'bad',
  rejected: 'bad',
  refused: 'bad',
  denied: 'bad',
  revoked: 'bad',
  suspended: 'bad',
  open: 'warn',
  waiting: 'warn',
  submitted: 'warn',
  working: 'warn',
  pending: 'warn',
  input_required: 'warn',
  'input-required': 'warn',
  pending_creatives: 'warn',
  'waiting for approval': 'warn',
  'not at a seller yet': 'warn',
  pending_start: 'warn',
  paused: 'warn',
  timeout: 'bad',
  unauthorised: 'bad',
  skipped: 'gray',
  answered: 'good',
  applied: 'good',
  delivered: 'good',
  success: 'good',
  quarantined: 'warn',
  expired: 'bad',
  connection_error: 'bad',
  stopped: 'bad',
};

const toneOf = (of: string, tone: string | undefined): string => tone ?? tones[of] ?? 'gray';
const wordsOf = (of: string): string => clean(of).replaceAll('_', ' ');

/** The words of a status with its tone; the colour adds no information. */
export function StatusBadge({ of, tone }: { readonly of: string; readonly tone?: string }) {
  return (
    <span className="pill" data-tone={toneOf(of, tone)}>
      {wordsOf(of)}
    </span>
  );
}

/** A status that is the button of what explains it: why, since when, evidence, next step, and the command. */
export function Status({
  of,
  explain,
  tone,
}: {
  readonly of: string;
  readonly explain: Explanation;
  readonly tone?: string | undefined;
}) {
  const [isOpen, drawer] = useReturning();
  const [wasOpen, setWasOpen] = useState(false);
  const open = (): void => {
    setWasOpen(true);
    drawer.open();
  };
  return (
    <>
      <button
        type="button"
        className="pill"
        data-tone={toneOf(of, tone)}
        aria-haspopup="dialog"
        title="Why is it so?"
        onClick={open}
      >
        {wordsOf(of)}
      </button>
      {wasOpen && (
        <Drawer
          opened={isOpen}
          onClose={drawer.close}
          position="right"
          title={<StatusBadge of={of} {...(tone !== undefined && { tone })} />}
          closeButtonProps={{ 'aria-label': 'Close' }}
        >
          <Stack gap="md">
            <Part title="Why">{explain.why}</Part>
            {explain.since !== undefined && (
              <Part title="Since">
                <Time at={explain.since} />
              </Part>
            )}
            {Boolean(explain.evidence) && <Part title="Evidence">{explain.evidence}</Part>}
            <Part title="What next">{explain.next}</Part>
            {explain.cli !== undefined && (
              <Part title="On the command line">
                <Code block>{explain.cli}</Code>
                <CopyButton value={explain.cli}>
                  {({ copied, copy }) => (
                    <Button size="xs" mt={6} variant="default" onClick={copy}>
                      {copied ? 'Copied' : 'Copy the command'}
                    </Button>
                  )}
                </CopyButton>
              </Part>
            )}
          </Stack>
        </Drawer>
      )}
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <Title order={3} size="h6" c="dimmed">
        {title}
      </Title>
      <Text component="div" size="sm">
        {children}
      </Text>
    </section>
  );
}
