import { isJsonObject, type JsonObject } from '@switchyard/values';
import { coarseActions, type AvailableAction } from './buy-actions.js';
import type { Form } from '../../versions/wire-profile.js';
import { listAt, objectsAt, textAt, textsAt } from '../../message/pick.js';

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
