import type { Schemas } from '@switchyard/testing';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { make, type State } from './make.js';
import { mended } from './mend.js';
import { isOpen, listPlaces, markFound, markTried, placeAt, placeOf, type Place } from './places.js';
import { seeded } from './value.js';

/** Messages that conform to a schema, and the members that none of them has. */
interface Messages {
  readonly messages: readonly JsonObject[];
  /** Paths of members that occur, with `[]` for lists. */
  readonly found: ReadonlySet<string>;
  /** Members of the schema that no conforming message has. */
  readonly missing: readonly string[];
}

/** Conditions of useful messages. */
interface Wanted {
  /** True if a reader accepts the message: a refused one loses nothing. */
  readonly isRead?: (message: JsonObject) => boolean;
  /** Members that no message can have, so that none is generated for them. */
  readonly isNeverMade?: (path: string) => boolean;
  /** The most messages that are tried, without the small ones for single members. Default: as many as it takes. */
  readonly tries?: number;
}

/** Maximum members of one message. Other members are left to the next one. */
const mostMembers = 250;
const mostRounds = 600;
/** Maximum small messages for single members that large messages lack. */
const mostAims = 200;

/**
 * Returns messages that conform to a published schema and together have each of its members at least once, at any
 * depth. A recursive schema is followed once.
 */
export function messagesOf(
  schemas: Schemas,
  path: string,
  seed: number,
  { isRead = () => true, isNeverMade = () => false, tries }: Wanted = {},
): Messages {
  const chance = seeded(seed);
  const root: JsonValue = { $ref: schemas.reference(path) };
  const whole = placeOf(schemas, root, []);
  const validate = schemas.validatorOf(path);
  const isFine = path.endsWith('-response');
  const state: State = { schemas, chance, number: 0, round: 0, left: 0, turns: new Map(), isFine };
  const messages: JsonObject[] = [];
  let smallest = '';
  const keep = (): boolean => {
    const bare = make(state, root, whole, '', []);
    if (!isJsonObject(bare)) return false;
    // Members that readers require but schemas do not are taken from an accepted message.
    const made =
      state.aim !== undefined && chance() < 0.5
        ? { ...(JSON.parse(smallest || '{}') as JsonObject), ...bare }
        : bare;
    markTried(made, whole);
    const fill = (steps: readonly string[]): JsonValue | undefined => {
      const requested = placeAt(whole, steps)?.schemas ?? [];
      const schema = requested[Math.floor(chance() * requested.length)];
      return schema === undefined ? undefined : make(state, schema, undefined, ' filled', []);
    };
    const message = mended(made, validate, { isAdding: state.aim !== undefined, chance, fill });
    const isNew = message !== undefined && isRead(message) && markFound(message, whole);
    if (!isNew) return false;
    messages.push(message);
    const text = JSON.stringify(message);
    if (smallest === '' || text.length < smallest.length) smallest = text;
    return true;
  };
  for (let round = 0; round < (tries ?? mostRounds) && isOpen(whole, round); round += 1) {
    state.left = 20 + Math.floor(chance() ** 2 * mostMembers);
    state.round = round;
    keep();
  }
  if (tries === undefined) aimAtTheRest(state, whole, isNeverMade, keep);
  const found = new Set<string>();
  const missing: string[] = [];
  listPlaces(whole, '', (place, at) => (place.isFound ? found.add(at) : missing.push(at)));
  return { messages, found, missing };
}

/** Makes small messages for single missing members, with only what they require. */
function aimAtTheRest(
  state: State,
  whole: Place,
  isNever: (path: string) => boolean,
  keep: () => boolean,
): void {
  const rest: (readonly [Place, string])[] = [];
  listPlaces(whole, '', (place, at) => place.isFound || isNever(at) || rest.push([place, at]));
  for (const [place, at] of rest) {
    state.aim = `.${at}`;
    for (let tries = 0; tries < mostAims && !place.isFound; tries += 1) keep();
  }
}
