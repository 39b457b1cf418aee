import type { AvailableAction } from './available-action.js';
import type { MediaBuyStatus } from './media-buy-status.js';

/** Each verb of release 3.0 and the finer ones of 3.1 that it stands for; the rest mean the same in both. */
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

/** Each finer verb once: some are covered by two of the old ones. */
const changes = [...new Set(Object.values(finer).flat())];

/** What is done to packages that a buy has, and to nothing else of it. */
const ofPackages: readonly string[] = [
  ...(finer['update_budget'] ?? []),
  ...(finer['update_packages'] ?? []),
  ...(finer['sync_creatives'] ?? []),
];

/** Whether a verb of release 3.1 needs a package that it is done to. */
export function isPackageAction(action: string): boolean {
  return ofPackages.includes(action);
}

/**
 * What the protocol allows in each state of a buy (docs/protocol/media-buys.md#actions): the widest that any seller can
 * offer.
 */
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

/** What a seller that says nothing of its own allows in a state: everything the protocol does, at once. */
export function actionsIn(status: MediaBuyStatus): readonly AvailableAction[] {
  return byStatus[status].map((action) => ({ action, mode: 'self_serve' }));
}

/** A seller's own list in the finer verbs, cut to what the state allows: what it says of an end is no offer. */
export function actionsOf(
  status: MediaBuyStatus,
  reported: readonly AvailableAction[] | undefined,
): readonly AvailableAction[] {
  if (reported === undefined) return actionsIn(status);
  const fine = new Map<string, AvailableAction['mode']>();
  for (const { action, mode } of reported) {
    // A seller's word may be one that every object has, such as `constructor`.
    const verbs = Object.hasOwn(finer, action) ? (finer[action] ?? []) : [action];
    for (const verb of verbs) if (!fine.has(verb)) fine.set(verb, mode);
  }
  return byStatus[status].flatMap((action) => {
    const mode = fine.get(action);
    return mode === undefined ? [] : [{ action, mode }];
  });
}

/**
 * What can be done to a buy over several sellers: what each of them allows, in the strictest of their modes
 * (docs/protocol/media-buys.md#actions).
 */
export function commonActions(sellers: readonly (readonly AvailableAction[])[]): readonly AvailableAction[] {
  const [first, ...others] = sellers;
  if (first === undefined) return [];
  return first.flatMap(({ action, mode }) => {
    const modes = others.map((list) => list.find((one) => one.action === action)?.mode);
    const known = modes.filter((one) => one !== undefined);
    if (known.length < modes.length) return [];
    const strictest = Math.max(...[mode, ...known].map((one) => strictness.indexOf(one)));
    return [{ action, mode: strictness[strictest] ?? mode }];
  });
}

/** The verbs of release 3.0 for a list of finer ones: a verb counts where all that it stands for is allowed. */
export function coarseActions(actions: readonly AvailableAction[]): readonly string[] {
  const allowed = new Set(actions.map(({ action }) => action));
  const wide = Object.entries(finer).filter(([, verbs]) => verbs.every((verb) => allowed.has(verb)));
  return [...plain.filter((verb) => allowed.has(verb)), ...wide.map(([verb]) => verb)];
}
