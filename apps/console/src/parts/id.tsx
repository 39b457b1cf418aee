import { ActionIcon, Code, CopyButton, Group } from '@mantine/core';
import { clean } from './name.js';

/** The beginning of an id, without the seller that stands before a colon. */
function shortened(id: string): string {
  const own = id.slice(id.indexOf(':') + 1);
  return own.length > 14 ? `${own.slice(0, 12)}…` : own;
}

/** An id that can be copied. */
export function Id({ of, short }: { readonly of: string; readonly short?: boolean }) {
  const shown = clean(of);
  if (shown === '') return <span>–</span>;
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <Code title={shown} style={{ overflowWrap: 'anywhere' }}>
        {short === true ? shortened(shown) : shown}
      </Code>
      <CopyButton value={of}>
        {({ copied, copy }) => (
          <ActionIcon
            size="sm"
            variant="subtle"
            aria-label={copied ? 'Copied' : `Copy ${shown}`}
            onClick={copy}
          >
            <svg
              aria-hidden="true"
              width="14"
              height="14"
              viewBox="0 0 16 16"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.5"
            >
              {copied ? <path d="M3 8.5 6.5 12 13 4.5" /> : <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />}
            </svg>
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}
