import type { SeededRandom } from '@switchyard/testing';
import { honestMessage, type Options } from './honest-message.js';
import type { HostileWorld } from './hostile-world.js';
import type { SealedMessage } from './sealed-message.js';

/** The means to make a fault. */
export interface Forge {
  readonly world: HostileWorld;
  readonly chance: SeededRandom;
  /** The relay's own URL. */
  readonly relayUrl: string;
  readonly honest: (options?: Options) => SealedMessage;
  /** Returns a text that must be stored and printed nowhere. */
  readonly secret: () => string;
  /** Returns a message that was already relayed, and that its seller has. */
  readonly relayed: () => SealedMessage;
}

/** One fault in an otherwise correct request, and the code of its refusal. */
export interface Fault {
  readonly name: string;
  readonly code: string;
  /** False if no principal was authenticated: then there is no chain for a record. */
  readonly isRecorded?: false;
  /** True if making it changes what the previous one is judged by. */
  readonly isOneAtATime?: true;
  readonly make: (forge: Forge) => SealedMessage | Promise<SealedMessage>;
}

export function forgeOf(
  world: HostileWorld,
  chance: SeededRandom,
  relayUrl: string,
  marker: string,
  relayed: () => SealedMessage,
): Forge {
  return {
    world,
    chance,
    relayUrl,
    honest: (options) => honestMessage(world, chance, options),
    secret: () => `${marker}${chance.uuid()}`,
    relayed,
  };
}
