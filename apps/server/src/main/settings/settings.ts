import { accessSync, constants } from 'node:fs';
import type { z } from 'zod';
import { dataSettings } from './data-rows.js';
import { servingSettings } from './serving-rows.js';
import { organizationSettings } from './organization-rows.js';
import { loadSettings } from './load-rows.js';
import { watchingSettings } from './watching-rows.js';
import type { Setting } from './setting-kinds.js';

/**
 * Every environment variable that the product reads. A new setting is a new row of one of these: it is then checked at the start,
 * shown by `switchyard settings`, and read as a member of `Settings` under the same name.
 */
export const settingsTable = {
  ...dataSettings,
  ...servingSettings,
  ...organizationSettings,
  ...loadSettings,
  ...watchingSettings,
} as const satisfies Readonly<Record<string, Setting<unknown>>>;

type Table = typeof settingsTable;
type SettingName = keyof Table;

/** The values of the environment, by the names of its variables, with defaults. */
export type Settings = {
  readonly [Name in SettingName]: Table[Name]['absent'] | z.output<Table[Name]['schema']>;
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** What is given about a database without its address would be ignored, and a password that cannot be read is none. */
export function databaseProblems(env: Environment, settings: Settings): readonly string[] {
  const isGiven = (name: string): boolean => (env[name]?.trim() ?? '') !== '';
  const needs = (
    [
      ['DATABASE_PASSWORD_FILE', 'DATABASE_URL'],
      ['DATABASE_OWNER_PASSWORD_FILE', 'DATABASE_OWNER_URL'],
      ['DATABASE_OWNER_URL', 'DATABASE_URL'],
    ] as const
  ).filter(([name, other]) => isGiven(name) && !isGiven(other));
  const unreadable = (['DATABASE_PASSWORD_FILE', 'DATABASE_OWNER_PASSWORD_FILE'] as const).filter((name) => {
    try {
      accessSync(settings[name] ?? '.', constants.R_OK);
      return false;
    } catch {
      return true;
    }
  });
  return [
    ...needs.map(([name, other]) => `${name} needs ${other}.`),
    ...unreadable.map((name) => `The file of ${name} cannot be read.`),
  ];
}

/** Reads each row separately; an invalid one gets its default, so that settings that depend on it are checked too. */
export function readSettings(env: Environment): { readonly settings: Settings; readonly problems: string[] } {
  const problems = unknownNames(env).map(unknownProblem);
  const settings = Object.entries<Setting<unknown>>(settingsTable).map(([name, row]) => {
    const given = env[name]?.trim() ?? '';
    if (given === '') return [name, row.absent];
    const read = row.schema.safeParse(given);
    if (read.success) return [name, read.data];
    const shown = row.isSecret ? '' : ` It is ${JSON.stringify(given.slice(0, 60))}.`;
    problems.push(`${name} should be ${row.type}.${shown}`);
    return [name, row.absent];
  });
  return { settings: Object.fromEntries(settings) as Settings, problems };
}

/** Read by the tests and benchmarks of this repository, whose programs may start in the same environment. */
const ofTools = /^SWITCHYARD_(PUBLISHED_FOLDER|WIRE_FOLDER|WIRE_LOG|WRITE_COVERAGE|BENCH_STALLS)$/;
/** Kubernetes sets these in every container beside a Service whose name begins with `switchyard`. */
const ofKubernetes = /_SERVICE_HOST$|_SERVICE_PORT(_[A-Z0-9_]+)?$|_PORT(_\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)?$/;

function unknownNames(env: Environment): readonly string[] {
  return Object.keys(env).filter(
    (name) =>
      name.startsWith('SWITCHYARD_') &&
      !Object.hasOwn(settingsTable, name) &&
      !ofTools.test(name) &&
      !ofKubernetes.test(name),
  );
}

/** An unknown variable is refused: the mistake would otherwise show much later. */
function unknownProblem(name: string): string {
  const known = Object.keys(settingsTable).map((setting) => ({
    setting,
    distance: editDistance(name, setting),
  }));
  const [nearest] = known.sort((left, right) => left.distance - right.distance);
  const hint = nearest !== undefined && nearest.distance <= 5 ? ` Did you mean ${nearest.setting}?` : '';
  return `${name} is no setting.${hint}`;
}

/** The number of letters to insert, remove or replace. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (const [at, letter] of Array.from(left).entries()) {
    const next = [at + 1];
    for (const [column, other] of Array.from(right).entries())
      next.push(
        Math.min(
          (row[column + 1] ?? 0) + 1,
          (next[column] ?? 0) + 1,
          (row[column] ?? 0) + (letter === other ? 0 : 1),
        ),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
