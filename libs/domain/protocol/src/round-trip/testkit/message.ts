import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { make, type State } from './make.js';
import { mended } from './mend.js';
import { isOpen, listPlaces, markFound, markTried, placeAt, placeOf, type Place } from './places.js';
import type { Schemas } from './schemas.js';
import { seeded } from './value.js';

/** Messages of one schema that conform to it, and the members that none of them has. */
export interface Messages {
  readonly messages: readonly JsonObject[];
  /** Paths of the members that came up, lists with `[]`. */
  readonly found: ReadonlySet<string>;
  /** Those that the schema names and that no conforming message was found for. */
  readonly missing: readonly string[];
}

/** Which messages are of use. */
export interface Wanted {
  /** Whether the reader of such messages takes it: of one that is refused nothing can be lost. */
  readonly isRead?: (message: JsonObject) => boolean;
  /** Members that no message is found for anyway, so that none is looked for. */
  readonly isNeverMade?: (path: string) => boolean;
}

/** Members of one message: what is beyond is left to the next one, so that none grows without measure. */
const mostMembers = 250;
const mostRounds = 600;
/** Small messages for one member that large ones did not have. */
const mostAims = 200;

/**
 * Messages that conform to a published schema and between them have each of its members at least once, at any depth.
 * A schema that holds itself is followed once.
 */
export function messagesOf(
  schemas: Schemas,
  path: string,
  seed: number,
  { isRead = () => true, isNeverMade = () => false }: Wanted = {},
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
    // What readers want, and no schema asks for, a message has that was read before.
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
  for (let round = 0; round < mostRounds && isOpen(whole, round); round += 1) {
    state.left = 20 + Math.floor(chance() ** 2 * mostMembers);
    state.round = round;
    keep();
  }
  aimAtTheRest(state, whole, isNeverMade, keep);
  const found = new Set<string>();
  const missing: string[] = [];
  listPlaces(whole, '', (place, at) => (place.isFound ? found.add(at) : missing.push(at)));
  return { messages, found, missing };
}

/** Small messages, each for one of the members that did not come up: with what it needs, and with nothing beside. */
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
