import type { MediaBuyStatus } from './buy-status.js';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { Form } from '../../versions/wire-profile.js';
import { listAt, objectsAt, textAt, textsAt } from '../../message/pick.js';

/** Each action of 3.0 and the finer actions of 3.1 that it covers; the others mean the same in both. */
const finer: Readonly<Record<string, readonly string[]>> = {
  update_budget: ['increase_budget', 'decrease_budget', 'reallocate_budget'],
  update_dates: ['extend_flight', 'shorten_flight', 'update_flight_dates'],
  update_packages: [
    'update_targeting',
    'update_pacing',
    'update_frequency_caps',
    'update_creative_assignments',
    'reallocate_budget',
    'remove_packages',
  ],
  sync_creatives: ['replace_creative', 'update_creative_assignments', 'remove_creative'],
};

const plain: readonly string[] = ['pause', 'resume', 'cancel', 'add_packages'];

/** Each finer action once: some are covered by two actions of 3.0. */
const changes = [...new Set(Object.values(finer).flat())];

/** Actions on existing packages only. */
const ofPackages: readonly string[] = [
  ...(finer['update_budget'] ?? []),
  ...(finer['update_packages'] ?? []),
  ...(finer['sync_creatives'] ?? []),
];

/** Whether an action of 3.1 needs a package. */
export function isPackageAction(action: string): boolean {
  return ofPackages.includes(action);
}

/** The actions that the protocol allows in each state of a buy (docs/protocol/media-buys.md#actions). */
const byStatus: Readonly<Record<MediaBuyStatus, readonly string[]>> = {
  pending_creatives: ['pause', 'cancel', 'add_packages', ...changes],
  pending_start: ['pause', 'cancel', 'add_packages', ...changes],
  active: ['pause', 'cancel', 'add_packages', ...changes],
  paused: ['resume', 'cancel', 'add_packages', ...changes],
  completed: [],
  rejected: [],
  canceled: [],
};

const strictness: readonly AvailableAction['mode'][] = [
  'self_serve',
  'conditional_self_serve',
  'requires_approval',
];

/** Actions in a state for a seller that lists none: all that the protocol allows, without approval. */
export function actionsIn(status: MediaBuyStatus): readonly AvailableAction[] {
  return byStatus[status].map((action) => ({ action, mode: 'self_serve' }));
}

/** The seller's own list in the actions of 3.1, limited to what the state allows. */
export function actionsOf(
  status: MediaBuyStatus,
  reported: readonly AvailableAction[] | undefined,
): readonly AvailableAction[] {
  if (reported === undefined) return actionsIn(status);
  const fine = new Map<string, AvailableAction['mode']>();
  for (const { action, mode } of reported) {
    // A seller's action may be a name that every object has, such as `constructor`.
    const verbs = Object.hasOwn(finer, action) ? (finer[action] ?? []) : [action];
    for (const verb of verbs) if (!fine.has(verb)) fine.set(verb, mode);
  }
  // A seller that offers to pause, and not to resume, is not paused: the lifecycle has no way back to before the start.
  const isResumed = status === 'paused' && fine.has('pause') && !fine.has('resume');
  return byStatus[isResumed ? 'pending_start' : status].flatMap((action) => {
    const mode = fine.get(action);
    return mode === undefined ? [] : [{ action, mode }];
  });
}

/**
 * Actions on a buy with several sellers: those that each seller allows, with the strictest mode
 * (docs/protocol/media-buys.md#actions).
 */
export function commonActions(sellers: readonly (readonly AvailableAction[])[]): readonly AvailableAction[] {
  const [first, ...others] = sellers;
  if (first === undefined) return [];
  return first.flatMap(({ action, mode }) => {
    const modes = others.map((list) => list.find((candidate) => candidate.action === action)?.mode);
    const known = modes.filter((candidate) => candidate !== undefined);
    if (known.length < modes.length) return [];
    const strictest = Math.max(...[mode, ...known].map((actionMode) => strictness.indexOf(actionMode)));
    return [{ action, mode: strictness[strictest] ?? mode }];
  });
}

/** The actions of 3.0 for a list of finer ones: an action is included if all that it covers are allowed. */
export function coarseActions(actions: readonly AvailableAction[]): readonly string[] {
  const allowed = new Set(actions.map(({ action }) => action));
  const wide = Object.entries(finer).filter(([, verbs]) => verbs.every((verb) => allowed.has(verb)));
  return [...plain.filter((verb) => allowed.has(verb)), ...wide.map(([verb]) => verb)];
}

/** An action that is allowed on a buy now, and its mode. */
export interface AvailableAction {
  readonly action: string;
  readonly mode: 'self_serve' | 'conditional_self_serve' | 'requires_approval';
}

/** Actions that a seller allows on a buy: `available_actions`, else `valid_actions`; `undefined` without either. */
export function readActions(value: JsonObject): readonly AvailableAction[] | undefined {
  const listed = listAt(value, 'available_actions');
  if (listed?.every(isJsonObject) === true) {
    const reported = objectsAt(value, 'available_actions').flatMap((entry): AvailableAction[] => {
      const action = textAt(entry, 'action');
      return action === undefined ? [] : [{ action, mode: modeOf(textAt(entry, 'mode')) }];
    });
    return unlike(reported);
  }
  if (listAt(value, 'valid_actions') === undefined) return undefined;
  return unlike(textsAt(value, 'valid_actions').map((action) => ({ action, mode: 'self_serve' })));
}

/** The members that hold the actions: names since 3.0, with a mode each since 3.1. Older forms have neither. */
export function actionMembers(actions: readonly AvailableAction[] | undefined, to: Form): JsonObject {
  if (actions === undefined || to === '2.5' || to === 'service') return {};
  const coarse = coarseActions(actions);
  if (to === '3.0') return { valid_actions: [...coarse] };
  const fine = actions.map(({ action }) => action);
  return {
    valid_actions: [...new Set([...coarse, ...fine])],
    available_actions: actions.map(({ action, mode }) => ({ action, mode })),
  };
}

/** Without duplicates, which 3.1 does not allow. */
function unlike(actions: readonly AvailableAction[]): readonly AvailableAction[] {
  return [...new Map(actions.map((action) => [`${action.action} ${action.mode}`, action])).values()];
}

function modeOf(word: string | undefined): AvailableAction['mode'] {
  return word === 'conditional_self_serve' || word === 'requires_approval' ? word : 'self_serve';
}
