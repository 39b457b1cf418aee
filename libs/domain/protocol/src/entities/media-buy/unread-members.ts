import { sanitizeKeyName, type JsonObject } from '@switchyard/values';
import type { Finding } from '../../losses/finding.js';
import type { UpdateMediaBuyRequest } from './update-media-buy.js';
import { envelopeArguments } from '../../losses/lost-members.js';
import { objectAt } from '../../message/pick.js';
import { updateShape } from './update-request.js';

/**
 * Findings for each unknown member of an update that no seller is told, and that nothing was changed, where it has no
 * known change. Members of `updates` are sent to nobody; others are, or are reported as lost, if a seller is asked.
 */
export function unreadMembers(request: UpdateMediaBuyRequest, asksSellers: boolean): readonly Finding[] {
  const { value } = request.original;
  const strangers = [
    ...(asksSellers ? [] : strangersIn(value, updateShape.shape, '', request.total?.field)),
    ...strangersIn(objectAt(value, 'updates') ?? {}, updateShape.shape.updates.unwrap().shape, 'updates.'),
  ];
  const unread = strangers.map((field): Finding => {
    const message = 'This member is unknown, and no seller gets it.';
    return { code: 'NOT_CARRIED', message, field };
  });
  return asksNothing(request) ? [nothingChanged, ...unread] : unread;
}

const nothingChanged: Finding = {
  code: 'NOTHING_CHANGED',
  message: 'The request names no change of the buy: nothing was changed, and nothing was sent to a seller.',
};

function strangersIn(value: JsonObject, known: object, place: string, read?: string): readonly string[] {
  return Object.keys(value)
    .filter((name) => !Object.hasOwn(known, name) && !envelopeArguments.has(name) && name !== read)
    .map((name) => `${place}${sanitizeKeyName(name)}`);
}

function asksNothing(request: UpdateMediaBuyRequest): boolean {
  const { paused, canceled, startTime, endTime, budget, budgetDifference, total, targetingOverlay } = request;
  const { invoiceRecipient, reportingWebhook, push, packages, newPackages } = request;
  const changes = [paused, canceled, startTime, endTime, budget, budgetDifference, total, targetingOverlay];
  const isNamed = [...changes, invoiceRecipient, reportingWebhook, push].some((value) => value !== undefined);
  return !isNamed && packages.length === 0 && newPackages.length === 0;
}
