import { decimal, rate, whole, withDefault } from './setting-kinds.js';

const keyids = { min: 0.0001, max: 999_999 };

/** How much at once, and how long things are kept. */
export const loadSettings = {
  SWITCHYARD_REQUESTS: withDefault(
    whole({
      min: 1,
      max: 10_000,
      meaning: 'Maximum concurrent requests, per process. Webhooks have the same limit of their own.',
    }),
    '128',
  ),
  SWITCHYARD_REQUESTS_AT_FIRST: withDefault(
    whole({
      min: 1,
      max: 10_000,
      meaning:
        'Maximum concurrent requests in a process that has just started. Webhooks: 16 if this is less.',
    }),
    '4',
  ),
  SWITCHYARD_REQUESTS_PER_CALLER: withDefault(
    whole({ min: 1, max: 10_000, meaning: 'Maximum concurrent requests of one principal.' }),
    '32',
  ),
  SWITCHYARD_REQUESTS_WAITING: withDefault(
    whole({
      min: 0,
      max: 100_000,
      meaning: 'Maximum requests that wait for their turn; further ones get 503.',
    }),
    '1024',
  ),
  SWITCHYARD_REQUESTS_WAIT_SECONDS: withDefault(
    whole({
      min: 0,
      max: 60,
      unit: 'seconds',
      meaning: 'How long a request waits for its turn before it gets 503.',
    }),
    '10',
  ),
  SWITCHYARD_WORKERS: withDefault(
    whole({
      min: 1,
      max: 64,
      meaning:
        'Maximum organizations that one kind of background work processes at once. Work that waits for sellers processes eight times as many.',
    }),
    '4',
  ),
  SWITCHYARD_STOP_SECONDS: withDefault(
    whole({
      min: 2,
      max: 3_600,
      unit: 'seconds',
      meaning:
        'How long the process may run after SIGTERM. Then it exits, even if requests are not finished.',
    }),
    '25',
  ),
  SWITCHYARD_STOP_GRACE_SECONDS: whole({
    min: 0,
    max: 600,
    unit: 'seconds',
    meaning: 'How long `/readyz` fails, while requests are still served, before the process stops listening.',
    absentText: '5; 0 in the local profile',
  }),
  SWITCHYARD_RATE_READS: withDefault(
    rate({ meaning: 'Reads of one principal, per process: how many per second, and how many at once.' }),
    '300/1500',
  ),
  SWITCHYARD_RATE_WRITES: withDefault(
    rate({ meaning: 'Changes by one principal, per process.' }),
    '240/1200',
  ),
  SWITCHYARD_RATE_COMBINED: rate({
    meaning: 'Reads and changes of one principal together, per process.',
    absentText: '350/1700, or the largest of the three',
  }),
  SWITCHYARD_RATE_INSERTS: withDefault(
    rate({
      meaning:
        'Accepted changes of one account of one principal, over all processes: the first per second over a minute, the second over ten seconds.',
    }),
    '60/300',
  ),
  SWITCHYARD_RATE_PUBLIC: withDefault(
    rate({ meaning: 'Requests without credentials from one address, per process.' }),
    '10/100',
  ),
  SWITCHYARD_RATE_FAILURES: withDefault(
    rate({ meaning: 'Requests with invalid credentials from one address, per process.' }),
    '10/200',
  ),
  SWITCHYARD_WEBHOOKS_PER_MINUTE: withDefault(
    whole({
      min: 1,
      max: 999_999_999,
      meaning: 'Webhooks that one verified sender may send in a minute, per process.',
    }),
    '60000',
  ),
  SWITCHYARD_WEBHOOK_BYTES_DAYS: whole({
    min: 1,
    max: 99_999,
    unit: 'days',
    meaning:
      'After how many days the bytes of received webhooks are deleted, except of webhooks that wait for a person.',
    absentText: 'they are kept',
  }),
  SWITCHYARD_WEBHOOK_ACTIVITY_DAYS: whole({
    // A seller that reports webhook_activity reports at least 30 days of it.
    min: 30,
    max: 99_999,
    unit: 'days',
    meaning: 'After how many days webhooks to buyers and their attempts (`webhook_activity`) are deleted.',
    absentText: 'they are kept',
  }),
  SWITCHYARD_AUDIT_DAYS: withDefault(
    whole({
      min: 0,
      max: 99_999,
      unit: 'days',
      meaning:
        'After how many days records of the audit are deleted; 0: never. Records of the last 30 days are always kept.',
    }),
    '730',
  ),
  SWITCHYARD_CHANGES_DAYS: withDefault(
    whole({
      min: 1,
      max: 99_999,
      unit: 'days',
      meaning:
        'After how many days rows of `GET /v1/changes` are deleted. A client that returns later must read everything again.',
    }),
    '7',
  ),
  SWITCHYARD_STREAMS: withDefault(
    whole({
      min: 0,
      max: 100_000,
      meaning:
        'Maximum concurrent streams of `GET /v1/changes`, per process; one organization may hold three quarters.',
    }),
    '1000',
  ),
  SWITCHYARD_STREAMS_PER_CALLER: withDefault(
    whole({
      min: 1,
      max: 10_000,
      meaning: 'Maximum concurrent streams of `GET /v1/changes` of one principal.',
    }),
    '10',
  ),
  SWITCHYARD_SPEND_LIMIT: withDefault(
    decimal({
      min: 1,
      max: 100,
      meaning:
        "The multiple of a buy's budget that its reported spend may reach. A report above it goes to quarantine and waits for a person.",
    }),
    '1.5',
  ),
  SWITCHYARD_KEYIDS_SHORT_RATIO: decimal({
    ...keyids,
    meaning: 'Alarm `keyids_surge`: new keys in five minutes, as a multiple of the average of a day.',
    absentText: '3',
  }),
  SWITCHYARD_KEYIDS_MEDIUM_RATIO: decimal({
    ...keyids,
    meaning: 'New keys in an hour, as a multiple of the 95th percentile of 30 days.',
    absentText: '2',
  }),
  SWITCHYARD_KEYIDS_LONG_RATIO: decimal({
    ...keyids,
    meaning: 'New keys in a day, as a multiple of the 99th percentile of 90 days.',
    absentText: '1.5',
  }),
  SWITCHYARD_KEYIDS_FLOOR: decimal({
    ...keyids,
    meaning: 'New keys in five minutes that always raise the alarm.',
    absentText: '20',
  }),
  SWITCHYARD_KEYIDS_SHARE: decimal({
    ...keyids,
    meaning: 'New keys in five minutes, as a share of those of 30 days.',
    absentText: '0.1',
  }),
  SWITCHYARD_KEYIDS_LEAST: decimal({
    ...keyids,
    meaning: 'With fewer new keys than this the ratios raise no alarm.',
    absentText: '5',
  }),
} as const;
