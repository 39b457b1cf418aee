import {
  findTask,
  servingTask,
  taskTable,
  type Dialect,
  type Form,
  type ReleaseName,
} from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import pg from 'pg';
import { answers, toolsOf } from './answers.js';
import { submittedAnswer } from './submitted.js';
import { callAtEndpoint, type CoveredEndpoint } from './task-endpoints.js';
import { openEndpoints } from './open-endpoints.js';
import { openRecordingSellers, type Wire } from './recording-sellers.js';
import type { Script } from './recording-seller.js';
import type { Received } from './recording-seller.js';
import { lifecycleRequests } from './lifecycle-requests.js';
import { proposalRequests, requests, versioned, type World } from './requests.js';

/** The sellers' answers to a task: at once, as a submitted task, or for a proposal that is bought as a whole. */
export type Arm = 'answered' | 'submitted' | 'proposal';

/** One cell of the table: a task in a form and a dialect, at an endpoint, with the sellers' kind of answer. */
export interface Cell {
  readonly task: string;
  readonly endpoint: CoveredEndpoint;
  readonly dialect: Dialect;
  readonly form: Form;
  readonly arm: Arm;
  /** The release that the request names by its exact name; its form is then 3.1. */
  readonly release?: ReleaseName;
}

/** The name of what a cell speaks. */
export function spokenIn({ form, release }: Pick<Cell, 'form' | 'release'>): Form | ReleaseName {
  return release ?? form;
}

/** All messages of a cell: the buyer's request, each seller's request, and the buyer's answer. */
export interface Passage {
  readonly sent: JsonObject;
  readonly received: readonly Received[];
  readonly answer: JsonObject;
}

type Answer = JsonObject | 'never' | ((seller: string, args: JsonObject) => JsonObject);

export interface Stage {
  /** The protocol of this stage's sellers. */
  readonly wire: Wire;
  readonly world: World;
  /** Runs a cell; undefined if there is no request for it. */
  run(cell: Cell): Promise<Passage | undefined>;
  /** Sends given arguments to an endpoint, as the buyer or without a credential, and returns the answer. */
  call(cell: Omit<Cell, 'arm'>, args: JsonObject, who: 'buyer' | 'nobody'): Promise<JsonObject>;
  /** The URL of the endpoints, and the buyer's token. */
  readonly at: At;
  /** Sets the answer of all sellers, or of each one, to a tool; without an answer, restores the script's. */
  says(tool: string, answer?: Answer): void;
  /** Returns the calls of a task that sellers received since the last call of this function. */
  received(task: string): readonly Received[];
  /** Creates an unchanged buy at all sellers, by the owner of a token. */
  freshBuy(token?: string): Promise<Pick<World, 'mediaBuyId' | 'packageAt'>>;
  /** Runs a statement on the database as its owner. */
  sql(text: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

/** Opens the whole product on a real database, with endpoints on loopback and one recording seller per form. */
export async function openStage(
  wire: Wire,
  env: Readonly<Record<string, string>> = {},
  role?: 'http',
): Promise<Stage> {
  let arm: Arm = 'answered';
  const reported = new Map<string, Answer>();
  const answerOf = (seller: string, tool: string, args: JsonObject): JsonObject | 'never' | undefined => {
    const answer = reported.get(tool);
    return typeof answer === 'function' ? answer(seller, args) : answer;
  };
  const script: Script = (seller, tool, args) =>
    answerOf(seller.slug, tool, args) ??
    (arm === 'submitted' ? submittedAnswer(seller, tool, args) : undefined) ??
    answers(seller, tool, args);
  const sellers = await openRecordingSellers(toolsOf, script, wire);
  const { at, ownerUrl, close } = await openEndpoints(sellers, wire, env, role);
  const world = await prepare(at, ownerUrl);
  return {
    wire,
    world,
    run: async (cell) => {
      const { task, endpoint, dialect } = cell;
      const later = lifecycleRequests[task];
      const requestFor = cell.arm === 'proposal' ? proposalRequests[cell.form] : requests[task]?.[cell.form];
      if (requestFor === undefined && later === undefined) return undefined;
      // Updates need an unchanged buy, because values that a buy already has are not sent again.
      const changes = servingTask(task)?.name === 'update_media_buy';
      const fresh = changes ? await makeBuy(at) : {};
      // Only unfinished tasks can be canceled.
      arm = task === 'cancel_task' ? 'submitted' : 'answered';
      const opened = task === 'cancel_task' ? await openTask(at) : {};
      const requested = { ...world, ...fresh, ...opened };
      const ask = (name: string, args: JsonObject) =>
        callAtEndpoint('rest', at, name, versioned(spokenIn(cell), dialect, args));
      const args = (await later?.(requested, ask)) ?? requestFor?.(requested) ?? {};
      const sent = versioned(spokenIn(cell), dialect, args);
      sellers.take();
      arm = cell.arm;
      const answer = await callAtEndpoint(endpoint, at, nameIn(task, dialect), sent);
      arm = 'answered';
      return { sent, received: sellers.take().filter((heard) => isOf(task, heard)), answer };
    },
    call: ({ task, endpoint, dialect, form }, args, who) => {
      const { token, ...nobody } = at;
      const sent = versioned(form, dialect, args);
      return callAtEndpoint(
        endpoint,
        who === 'buyer' ? { ...nobody, token } : nobody,
        nameIn(task, dialect),
        sent,
      );
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

type At = { readonly url: string; readonly token: string };

/** Creates one buy at all four sellers, whose ids the other tasks use, and returns also the id of its task. */
async function prepare(at: At, ownerUrl: string): Promise<World> {
  await callAtEndpoint('rest', at, 'get_products', requestOf('get_products'));
  const made = await makeBuy(at);
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  const { rows } = await client.query<{ task_id: string }>('select task_id from operation limit 1');
  await client.end();
  return { ...made, taskId: rows[0]?.task_id ?? '' };
}

/** Creates a buy at all four sellers. It is made in 2.5, so it has a buyer's reference. */
async function makeBuy(at: At): Promise<Pick<World, 'mediaBuyId' | 'packageAt'>> {
  const made = await callAtEndpoint('rest', at, 'create_media_buy', requestOf('create_media_buy'));
  const mediaBuyId = made['media_buy_id'];
  if (typeof mediaBuyId !== 'string') throw new Error(`No buy was made: ${JSON.stringify(made)}`);
  const packages = Array.isArray(made['packages']) ? made['packages'].filter(isJsonObject) : [];
  const ids = packages.flatMap(({ package_id: id }) => (typeof id === 'string' ? [id] : []));
  return { mediaBuyId, packageAt: Object.fromEntries(ids.map((id) => [id.split(':')[0] ?? '', id])) };
}

/** Returns the task of a buy that all sellers have accepted and none has completed. */
async function openTask(at: At): Promise<Pick<World, 'taskId'>> {
  const { task_id: taskId } = await callAtEndpoint(
    'rest',
    at,
    'create_media_buy',
    requestOf('create_media_buy'),
  );
  if (typeof taskId !== 'string') throw new Error('No buy is under way.');
  return { taskId };
}

function requestOf(task: string): JsonObject {
  return requests[task]?.['2.5']({ mediaBuyId: '', packageAt: {}, taskId: '' }) ?? {};
}

/**
 * True if a seller's call belongs to the cell's task. Scheduled jobs also call sellers at any time, and poll their
 * tasks without a context; a poll for a caller has the caller's context.
 */
function isOf(task: string, { tool, args }: Passage['received'][number]): boolean {
  if (findTask(tool)?.name !== servingTask(task)?.name) return false;
  return task !== taskTable.getTask.name || args['context'] !== undefined;
}
