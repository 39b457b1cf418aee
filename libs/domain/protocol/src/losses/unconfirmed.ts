import { isJsonObject, type JsonObject } from '@switchyard/values';
import { readTarget, type DeploymentTarget } from '../entities/signal/deployment.js';
import { activateSignal } from '../tasks/activate-signal.js';
import { createMediaBuy } from '../tasks/create-media-buy.js';
import { providePerformanceFeedback } from '../tasks/provide-performance-feedback.js';
import { reportUsage } from '../tasks/report-usage.js';
import { syncCreatives } from '../tasks/sync-creatives.js';
import { updateMediaBuy } from '../tasks/update-media-buy.js';
import { booleanAt, countAt, listAt, objectAt, objectsAt, textAt, textsAt } from '../message/pick.js';
import type { Finding } from './finding.js';

/** The members of a request that ask for something which the answer does not say was done. */
type Unconfirmed = (asked: JsonObject, answer: JsonObject) => readonly string[];

/**
 * The rule of each task by which a seller changes something: every effect that was asked for is confirmed by the
 * answer, or reported as not done (docs/protocol/requests-and-versions.md#effects). Task by name; a task that the
 * platform answers itself has one row per effect in its answer.
 */
export const unconfirmedBy: Readonly<Record<string, Unconfirmed>> = {
  [createMediaBuy.name]: (asked, answer) => [
    ...missingPackages(asked, answer),
    ...(booleanAt(asked, 'paused') === true && buyStatus(answer) === 'active' ? ['paused'] : []),
  ],
  [updateMediaBuy.name]: (asked, answer) => {
    const updates = objectAt(asked, 'updates');
    return updates === undefined
      ? unchanged(asked, answer)
      : unchanged(fromUpdates(updates), answer).map((field) => `updates.${field}`);
  },
  [syncCreatives.name]: unsynced,
  [activateSignal.name]: (asked, answer) => {
    const member = listAt(asked, 'destinations') === undefined ? 'deployments' : 'destinations';
    const done = (listAt(answer, 'deployments') ?? []).map(readTarget);
    return (listAt(asked, member) ?? []).flatMap((value, at) => {
      const target = readTarget(value);
      const isDone =
        target === undefined || done.some((other) => other !== undefined && isSame(target, other));
      return isDone ? [] : [`${member}[${at}]`];
    });
  },
  // An answer without `success` is no answer.
  [providePerformanceFeedback.name]: () => [],
  [reportUsage.name]: (asked, answer) => {
    const accounted = (countAt(answer, 'accepted') ?? 0) + refusedRecords(answer).size;
    return accounted < objectsAt(asked, 'usage').length ? ['usage'] : [];
  },
};

/**
 * One finding for each effect that a seller was asked for and has neither confirmed nor refused.
 *
 * @param task name of the task.
 * @param asked arguments as they were sent to the seller.
 * @param answer the seller's final answer, in any form.
 */
export function unconfirmed(task: string, asked: JsonObject, answer: JsonObject): readonly Finding[] {
  const rule = Object.hasOwn(unconfirmedBy, task) ? unconfirmedBy[task] : undefined;
  return (rule?.(asked, answer) ?? []).map((field) => ({
    code: 'NOT_CONFIRMED',
    message: 'The answer does not say that this was done. Read the state before you rely on it.',
    field,
  }));
}

/** Without an id in common a package can only be counted. */
function missingPackages(asked: JsonObject, answer: JsonObject): readonly string[] {
  const wanted = objectsAt(asked, 'packages').length;
  const made = objectsAt(answer, 'packages').length;
  return made < wanted ? ['packages'] : [];
}

/** The state of the buy where the answer names it; `status` alone may be that of the task. */
function buyStatus(answer: JsonObject): string | undefined {
  const word = textAt(answer, 'media_buy_status') ?? textAt(answer, 'status');
  return word === 'active' || word === 'paused' ? word : undefined;
}

/** The changes of the older forms in the members of the newer ones. */
function fromUpdates(updates: JsonObject): JsonObject {
  const status = textAt(updates, 'status');
  if (status === 'paused' || status === 'active') return { ...updates, paused: status === 'paused' };
  return status === 'canceled' ? { ...updates, canceled: true } : updates;
}

function unchanged(asked: JsonObject, answer: JsonObject): readonly string[] {
  const affected = new Map(
    objectsAt(answer, 'affected_packages').map((row) => [textAt(row, 'package_id'), row]),
  );
  const parts = objectsAt(asked, 'packages').flatMap((part, at) => {
    const row = affected.get(textAt(part, 'package_id'));
    // An answer may leave the list out; a list without the package says that nothing was done to it.
    if (row === undefined) return affected.size === 0 ? [] : [`packages[${at}]`];
    return ['paused', 'canceled'].flatMap((name) => {
      const [wanted, is] = [booleanAt(part, name), booleanAt(row, name)];
      return wanted === undefined || is === undefined || wanted === is ? [] : [`packages[${at}].${name}`];
    });
  });
  const status = buyStatus(answer);
  if (booleanAt(asked, 'canceled') === true) return status === undefined ? parts : [...parts, 'canceled'];
  const paused = booleanAt(asked, 'paused');
  const isOther = paused !== undefined && status !== undefined && paused !== (status === 'paused');
  return isOther ? [...parts, 'paused'] : parts;
}

function unsynced(asked: JsonObject, answer: JsonObject): readonly string[] {
  const rows = new Map(objectsAt(answer, 'creatives').map((row) => [textAt(row, 'creative_id'), row]));
  const creatives = objectsAt(asked, 'creatives').flatMap((creative, at) =>
    rows.has(textAt(creative, 'creative_id')) ? [] : [`creatives[${at}]`],
  );
  const assignments = assignmentsIn(asked).filter(({ creativeId, packageId }) => {
    const row = rows.get(creativeId);
    // A seller that lists no assignments at all has accepted those of a creative that it accepted.
    if (row === undefined || listAt(row, 'assigned_to') === undefined || row['action'] === 'failed')
      return false;
    const refused = objectAt(row, 'assignment_errors') ?? {};
    return !textsAt(row, 'assigned_to').includes(packageId) && !Object.hasOwn(refused, packageId);
  });
  return [...creatives, ...assignments.map(({ field }) => field)];
}

interface Assignment {
  readonly creativeId: string;
  readonly packageId: string;
  readonly field: string;
}

/** Assignments are a list in 3.x, and an object of lists before it. */
function assignmentsIn(asked: JsonObject): readonly Assignment[] {
  const { assignments } = asked;
  if (Array.isArray(assignments))
    return objectsAt(asked, 'assignments').map((row, at) => ({
      creativeId: textAt(row, 'creative_id') ?? '',
      packageId: textAt(row, 'package_id') ?? '',
      field: `assignments[${at}]`,
    }));
  if (!isJsonObject(assignments)) return [];
  return Object.keys(assignments).flatMap((creativeId) =>
    textsAt(assignments, creativeId).map((packageId) => ({
      creativeId,
      packageId,
      field: `assignments.${creativeId}`,
    })),
  );
}

function isSame(asked: DeploymentTarget, done: DeploymentTarget): boolean {
  const isPlace =
    asked.type === done.type && asked.platform === done.platform && asked.agentUrl === done.agentUrl;
  return isPlace && (asked.account === undefined || asked.account === done.account);
}

/** The records that errors name; an error about no record stands for itself. */
function refusedRecords(answer: JsonObject): ReadonlySet<string> {
  const fields = objectsAt(answer, 'errors').map((error, at) => {
    const place = /^usage\[\d+\]/.exec(textAt(error, 'field') ?? '');
    return place === null ? `error ${at}` : place[0];
  });
  return new Set(fields);
}
