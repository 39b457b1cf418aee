import { findTask, taskTable, type Dialect, type Form } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import pg from 'pg';
import { answers, toolsOf } from './answers.js';
import { submittedAnswer } from './submitted.js';
import { callAtDoor, type CoveredDoor } from './doors-of-tasks.js';
import { openDoors } from './doors-opened.js';
import { openRecordingSellers, type Received, type Script, type Wire } from './recording-sellers.js';
import { proposalRequests, requests, versioned, type World } from './requests.js';

/** What the sellers do with a task: they answer it at once, or say that it is under way; or sell a proposal of theirs whole. */
export type Arm = 'answered' | 'submitted' | 'proposal';

/** One cell of the table: a task in a form and a dialect, at a door, and what its sellers do. */
export interface Cell {
  readonly task: string;
  readonly door: CoveredDoor;
  readonly dialect: Dialect;
  readonly form: Form;
  readonly arm: Arm;
}

/** What went through: what a buyer sent, what each seller got of it, what the buyer was answered. */
export interface Passage {
  readonly sent: JsonObject;
  readonly received: readonly Received[];
  readonly answer: JsonObject;
}

type Said = JsonObject | 'never' | ((seller: string, args: JsonObject) => JsonObject);

export interface Stage {
  /** How the sellers of this stage are spoken to. */
  readonly wire: Wire;
  readonly world: World;
  /** Tries a cell; nothing where no request is written for it. */
  run(cell: Cell): Promise<Passage | undefined>;
  /** What a door says to a call as it stands, from the buyer or from nobody in particular. */
  ask(cell: Omit<Cell, 'arm'>, args: JsonObject, who: 'buyer' | 'nobody'): Promise<JsonObject>;
  /** Where the doors are, and the buyer's token. */
  readonly at: At;
  /** What every seller says to a tool from now on, or each of its own; without an answer, what the script has. */
  says(tool: string, answer?: Said): void;
  /** Calls of a task that sellers received since this was last asked. */
  received(task: string): readonly Received[];
  /** A buy that is over all sellers and that nobody has changed, made by the holder of a token. */
  freshBuy(token?: string): Promise<Pick<World, 'mediaBuyId' | 'packageAt'>>;
  /** Asks the database as its owner. */
  sql(text: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

/** The whole product over a real database, with doors on loopback, in front of one recording seller per form. */
export async function openStage(
  wire: Wire,
  env: Readonly<Record<string, string>> = {},
  role?: 'http',
): Promise<Stage> {
  let arm: Arm = 'answered';
  const reported = new Map<string, Said>();
  const saidBy = (seller: string, tool: string, args: JsonObject): JsonObject | 'never' | undefined => {
    const answer = reported.get(tool);
    return typeof answer === 'function' ? answer(seller, args) : answer;
  };
  const script: Script = (seller, tool, args) =>
    saidBy(seller.slug, tool, args) ??
    (arm === 'submitted' ? submittedAnswer(seller, tool, args) : undefined) ??
    answers(seller, tool, args);
  const sellers = await openRecordingSellers(toolsOf, script, wire);
  const { at, ownerUrl, close } = await openDoors(sellers, wire, env, role);
  const world = await prepare(at, ownerUrl);
  return {
    wire,
    world,
    run: async (cell) => {
      const { task, door, dialect, form } = cell;
      const ask = cell.arm === 'proposal' ? proposalRequests[form] : requests[task]?.[form];
      if (ask === undefined) return undefined;
      // A change is sent to a buy that nobody has changed: what stands already is not sent again.
      const fresh = task === 'update_media_buy' ? await makeBuy(at) : {};
      // Only what is still under way can be called off.
      arm = task === 'cancel_task' ? 'submitted' : 'answered';
      const opened = task === 'cancel_task' ? await openTask(at) : {};
      const requested = { ...world, ...fresh, ...opened };
      const sent = versioned(form, dialect, ask(requested));
      sellers.take();
      arm = cell.arm;
      const answer = await callAtDoor(door, at, nameIn(task, dialect), sent);
      arm = 'answered';
      return { sent, received: sellers.take().filter((heard) => isOf(task, heard)), answer };
    },
    ask: ({ task, door, dialect, form }, args, who) => {
      const { token, ...nobody } = at;
      const sent = versioned(form, dialect, args);
      return callAtDoor(door, who === 'buyer' ? { ...nobody, token } : nobody, nameIn(task, dialect), sent);
    },
    at,
    says: (tool, answer) => {
      if (answer === undefined) reported.delete(tool);
      else reported.set(tool, answer);
    },
    received: (task) => sellers.take().filter(({ tool }) => findTask(tool)?.name === task),
    freshBuy: (token = at.token) => makeBuy({ ...at, token }),
    sql: async (text, values = []) => {
      const client = new pg.Client({ connectionString: ownerUrl });
      await client.connect();
      const { rows } = await client.query<Record<string, unknown>>(text, [...values]);
      await client.end();
      return rows;
    },
    close,
  };
}

function nameIn(task: string, dialect: Dialect): string {
  return task === 'get_ads_capabilities' ? `get_${dialect}_capabilities` : task;
}

export type At = { readonly url: string; readonly token: string };

/** One buy over all four sellers, whose ids the other tasks ask about, and the id of the task that made it. */
async function prepare(at: At, ownerUrl: string): Promise<World> {
  await callAtDoor('rest', at, 'get_products', requestOf('get_products'));
  const made = await makeBuy(at);
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  const { rows } = await client.query<{ task_id: string }>('select task_id from operation limit 1');
  await client.end();
  return { ...made, taskId: rows[0]?.task_id ?? '' };
}

/** A buy over all four sellers. Made in 2.5, it has a reference for those who want one. */
async function makeBuy(at: At): Promise<Pick<World, 'mediaBuyId' | 'packageAt'>> {
  const made = await callAtDoor('rest', at, 'create_media_buy', requestOf('create_media_buy'));
  const mediaBuyId = made['media_buy_id'];
  if (typeof mediaBuyId !== 'string') throw new Error(`No buy was made: ${JSON.stringify(made)}`);
  const packages = Array.isArray(made['packages']) ? made['packages'].filter(isJsonObject) : [];
  const ids = packages.flatMap(({ package_id: id }) => (typeof id === 'string' ? [id] : []));
  return { mediaBuyId, packageAt: Object.fromEntries(ids.map((id) => [id.split(':')[0] ?? '', id])) };
}

/** The task of a buy that every seller has taken in and none has made. */
async function openTask(at: At): Promise<Pick<World, 'taskId'>> {
  const { task_id: taskId } = await callAtDoor('rest', at, 'create_media_buy', requestOf('create_media_buy'));
  if (typeof taskId !== 'string') throw new Error('No buy is under way.');
  return { taskId };
}

function requestOf(task: string): JsonObject {
  return requests[task]?.['2.5']({ mediaBuyId: '', packageAt: {}, taskId: '' }) ?? {};
}

/**
 * Chores ask sellers of their own accord meanwhile: what a cell is about is its own task. Whether a seller is done is
 * asked by a chore too, at any instant, and that question has no context; one for a caller would have the caller's.
 */
function isOf(task: string, { tool, args }: Passage['received'][number]): boolean {
  if (findTask(tool)?.name !== task) return false;
  return task !== taskTable.getTask.name || args['context'] !== undefined;
}
