import type { SeededRandom } from '@switchyard/testing';
import type { Catalogue, Json } from '../buy-request.js';
import { callTask } from '../call-task.js';
import type { OwnerView } from '../database.js';
import { send } from '../http-answer.js';
import type { SandboxMarket } from '../sandbox-market.js';
import type { Actor, OrgModel } from './model.js';
import type { Permission, Place } from './rules.js';
import type { World } from './world.js';

/** One act as it is printed and played again: plain members, and labels of what earlier acts have made. */
export interface Act {
  readonly act: string;
  /** Label of who acts. */
  readonly by: string;
  readonly [member: string]: string | number | boolean;
}

/** What a rule forbids, and happened. */
export interface Violation {
  readonly invariant: string;
  readonly text: string;
}

/** An answer of a route or a task. */
export interface Answered {
  readonly status: number;
  readonly body: Json;
  readonly text: string;
  /** The first code of a refusal; empty for an answer that is none. */
  readonly code: string;
  readonly isDone: boolean;
}

/** What acts work with: the product's address, its database as its owner sees it, the market, and the model. */
export interface StageOf {
  readonly url: string;
  readonly view: OwnerView;
  /** Runs a statement that moves time on in the product's tables. */
  readonly nudge: (sql: string, values: readonly unknown[]) => Promise<void>;
  readonly market: SandboxMarket;
  readonly world: World;
}

/** The world while acts are played in it. */
export class Stage {
  readonly violations: Violation[] = [];
  /** Whether the act that is played now was approved by another person. */
  isApprovedByOther = false;
  /** How often each kind of act was tried and done. */
  readonly counts = new Map<string, { tried: number; done: number }>();
  readonly log: string[] = [];

  constructor(readonly of: StageOf) {}

  actor(label: string): Actor {
    const found = this.of.world.actors.get(label);
    if (found === undefined) throw new NothingToDo();
    return found;
  }

  orgOf({ org }: Pick<Actor, 'org'>): OrgModel {
    return this.org(org);
  }

  org(name: string): OrgModel {
    const found = this.of.world.orgs.get(name);
    if (found === undefined) throw new Error(`There is no organization ${name}.`);
    return found;
  }

  catalogueOf({ org }: Actor): Catalogue {
    const found = this.of.world.catalogues.get(org);
    if (found === undefined) throw new Error('Every organization has a catalogue.');
    return found;
  }

  violate(invariant: string, text: string): void {
    this.violations.push({ invariant, text });
  }

  async request(actor: Actor, method: string, path: string, body?: Json): Promise<Answered> {
    const { status, text } = await send({ url: this.of.url, token: actor.token }, method, path, body);
    return this.judged(`${method} ${path}`, status, text);
  }

  async task(actor: Actor, name: string, args: Json): Promise<Answered> {
    const to = { url: this.of.url, token: actor.token, timeoutMs: 120_000 };
    const { httpStatus, text } = await callTask('REST', to, name, args);
    return this.judged(name, httpStatus, text);
  }

  /** Every refusal has a code, and the product never fails. */
  private judged(what: string, status: number, text: string): Answered {
    const body = jsonOf(text);
    const errors = body === undefined ? [] : ((body['errors'] ?? [body['error'] ?? {}]) as readonly Json[]);
    const named = errors[0]?.['code'];
    const code = typeof named === 'string' ? named : '';
    const isRefused = status >= 400;
    if (status >= 500) this.violate('refusals', `${what} answered ${String(status)}: ${text.slice(0, 300)}`);
    if (isRefused && code === '')
      this.violate('refusals', `${what} answered ${String(status)} without a code: ${text.slice(0, 300)}`);
    this.log.push(`${what}: ${String(status)} ${code}`);
    if (process.env['E2E_TRACE'] === '2' && code !== '') process.stderr.write(`${text.slice(0, 600)}\n`);
    return { status, body: body ?? {}, text, code, isDone: !isRefused && code === '' };
  }

  /**
   * Judges a change that was done: who did it must have had the permission there, and a program never changes what is
   * not its own to change.
   */
  mustHave(actor: Actor, permission: Permission, place: Place, what: string): void {
    const org = this.orgOf(actor);
    if (!org.may(actor.principalId, permission, place))
      this.violate('scope', `${actor.label} did ${what} without ${permission} there.`);
  }

  mustBeNoProgram(actor: Actor, what: string): void {
    if (actor.program !== undefined) this.violate('program', `The program ${actor.label} did ${what}.`);
  }
}

/** An act whose object does not exist in this play, because the act that makes it was left out or refused. */
export class NothingToDo extends Error {}

/** A kind of act: how it is drawn, and how it is played and judged. */
export interface ActKind {
  readonly name: string;
  /** How often it is drawn, against the others. */
  readonly weight: number;
  /** Draws one; undefined if the world has nothing for it yet. `label` is free for what it makes. */
  draw(stage: Stage, random: SeededRandom, label: string): Act | undefined;
  play(stage: Stage, act: Act): Promise<void>;
}

export function jsonOf(text: string): Json | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? (read as Json) : undefined;
  } catch {
    return undefined;
  }
}

/** Anybody of the world, programs included. */
export const anybody = (stage: Stage, random: SeededRandom): Actor =>
  random.pick([...stage.of.world.actors.values()]);

/** Somebody who has the permission in some scope, mostly; anybody sometimes, to be refused. */
export function somebodyWho(stage: Stage, random: SeededRandom, permission: Permission): Actor {
  const able = [...stage.of.world.actors.values()].filter((actor) =>
    stage.orgOf(actor).hasAnywhere(actor.principalId, permission),
  );
  return able.length === 0 || random.next() < 0.15 ? anybody(stage, random) : random.pick(able);
}

/** Somebody of the organization who has the permission at a place, mostly; anybody sometimes, to be refused. */
export function somebodyAt(
  stage: Stage,
  random: SeededRandom,
  org: OrgModel,
  ...needed: readonly (readonly [Permission, Place])[]
): Actor {
  const able = [...stage.of.world.actors.values()].filter(
    (actor) =>
      actor.org === org.name &&
      needed.every(([permission, place]) => org.may(actor.principalId, permission, place)),
  );
  return able.length === 0 || random.next() < 0.15 ? anybody(stage, random) : random.pick(able);
}

export const textIn = (act: Act, member: string): string => String(act[member] ?? '');
