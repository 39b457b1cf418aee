import { type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { taskError } from '../../errors/task-error.js';
import type { TaskError } from '../../errors/task-fault.js';
import { booleanAt, member, objectsAt, textAt, textsAt } from '../../message/pick.js';

/** An address of a caller that is told when something changes, beyond one task or media buy. */
export interface Subscriber {
  /** The caller's own name of it: 1 to 64 characters. */
  readonly subscriberId: string;
  readonly url: string;
  readonly eventTypes: readonly string[];
  /** False while it is paused: it is kept, and told nothing. */
  readonly active: boolean;
}

/** Events of a media buy, which are registered with the buy. */
const eventsOfBuys = ['scheduled', 'final', 'delayed', 'adjusted', 'window_update', 'impairment'];
/** What subscribers are told here, by what it is about. */
const told = {
  account: ['account.status_changed', 'creative.status_changed'],
  agent: ['capabilities.changed'],
} as const;
const instead = {
  account:
    'Read get_products and get_signals: of an account its status and that of its creatives are told here.',
  agent:
    'Of an agent only capabilities.changed is told. Events of an account are registered with sync_accounts.',
};

const atMost = 16;
const idPattern = /^[A-Za-z0-9_.:-]{1,64}$/;

/** Its shape in requests, for lists of tools. Rules beyond types are in `subscriberFaults`. */
export const subscribersShape = z
  .array(
    z.looseObject({
      subscriber_id: z.string().optional(),
      url: z.string().max(8_192).optional(),
      event_types: z.array(z.string().max(255)).max(100).optional(),
      active: z.boolean().optional(),
    }),
  )
  .max(atMost);

/** Reads the subscribers of a list that has no faults. */
export function readSubscribers(holder: JsonObject): readonly Subscriber[] {
  return objectsAt(holder, 'notification_configs').map((config) => ({
    subscriberId: textAt(config, 'subscriber_id') ?? '',
    url: textAt(config, 'url') ?? '',
    eventTypes: textsAt(config, 'event_types'),
    active: booleanAt(config, 'active') !== false,
  }));
}

export function projectSubscriber({ subscriberId, url, eventTypes, active }: Subscriber): JsonObject {
  return { subscriber_id: subscriberId, url, event_types: [...eventTypes], active };
}

/** Faults of a list that replaces the subscribers of an account or of the agent, each at its place. */
export function subscriberFaults(
  holder: JsonObject,
  of: keyof typeof told,
  place = '',
): readonly TaskError[] {
  const seen = new Set<string>();
  return objectsAt(holder, 'notification_configs').flatMap((config, index) => {
    const at = `${place}notification_configs[${index}]`;
    const id = textAt(config, 'subscriber_id') ?? '';
    const isTwice = seen.has(id);
    seen.add(id);
    return [
      ...(idPattern.test(id)
        ? []
        : [
            invalid(
              `${at}.subscriber_id`,
              'It needs 1 to 64 letters, digits, dots, colons, hyphens or underscores.',
            ),
          ]),
      ...(isTwice
        ? [invalid(`${at}.subscriber_id`, 'Two subscribers have the same id.', 'Send each id once.')]
        : []),
      ...(textAt(config, 'url') === undefined ? [invalid(`${at}.url`, 'It is required.')] : []),
      ...(member(config, 'authentication') === undefined
        ? []
        : [
            invalid(
              `${at}.authentication`,
              'Events of an account or an agent are signed, and take no shared secret.',
              'Leave it out, and verify the signature with the keys of our brand.json.',
            ),
          ]),
      ...eventFaults(config, of, at),
    ];
  });
}

function eventFaults(config: JsonObject, of: keyof typeof told, at: string): readonly TaskError[] {
  const types = textsAt(config, 'event_types');
  const field = `${at}.event_types`;
  if (types.length === 0) return [invalid(field, 'Name at least one type of event.')];
  if (new Set(types).size < types.length) return [invalid(field, 'Name each type of event once.')];
  const known: readonly string[] = told[of];
  const others = of === 'account' ? told.agent : told.account;
  return types.flatMap((type, position) => {
    const where = `${field}[${position}]`;
    if (eventsOfBuys.includes(type))
      return [
        invalid(
          where,
          'This event belongs to a media buy.',
          'Register it with create_media_buy or update_media_buy.',
        ),
      ];
    if ((others as readonly string[]).includes(type))
      return [invalid(where, `This event does not belong to an ${of}.`, instead[of])];
    if (known.includes(type)) return [];
    return [
      taskError('UNSUPPORTED_FEATURE', 'This event is not sent here.', {
        field: where,
        suggestion: instead[of],
        details: { scope: 'capability', event_types: [...known] },
      }),
    ];
  });
}

function invalid(field: string, message: string, suggestion?: string): TaskError {
  return taskError('INVALID_REQUEST', message, {
    field,
    ...(suggestion === undefined ? {} : { suggestion }),
  });
}
