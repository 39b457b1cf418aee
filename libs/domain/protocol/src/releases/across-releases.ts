import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import type { TaskError } from '../errors/task-fault.js';
import type { DeliveryReport } from '../entities/delivery/delivery-report.js';
import { projectDeliveryReport } from '../entities/delivery/project-delivery-report.js';
import { notExpressible } from '../losses/finding.js';
import { leftOutOf, withPaths } from '../losses/lost-members.js';
import { amountAt, amountFaults } from '../message/amount.js';
import { objectAt, textAt, without } from '../message/pick.js';
import { required } from '../message/require.js';
import type { WholeAmount } from '../message/whole-amount.js';
import type { ExactNumbers, ProjectedRequest, TaskSpec } from '../task-spec.js';
import { dialects } from '../versions/dialect.js';
import type { WireProfile } from '../versions/wire-profile.js';
import { pathsOf, putBack, takeOut } from './find-members.js';
import { knownReleases, releaseNamed } from './known-releases.js';
import type { MemberRules, Release } from './release.js';

/**
 * A task in all releases: its four translations are those of the form on which the releases stand, and what a release adds
 * is taken out for a peer of an older one, with a finding for each member (docs/protocol/requests-and-versions.md#releases).
 */
export function acrossReleases<Request, Answer>(
  spec: TaskSpec<Request, Answer>,
  known: readonly Release[] = knownReleases,
): TaskSpec<Request, Answer> {
  return {
    ...spec,
    readRequest: (args, profile, exact) => {
      const refused = refusedIn(spec.name, args, known);
      if (refused.length > 0) return err(refused);
      const read = spec.readRequest(args, formOnly(profile), exact);
      if (!read.ok || releaseIn(args, known) === undefined) return read;
      const total = totalIn(spec.name, args, exact, known);
      return total.ok ? ok({ ...read.value, ...total.value, [given]: args }) : total;
    },
    projectRequest: (request, to) =>
      sentIn(spec.name, spec.projectRequest(request, formOnly(to)), { asked: givenIn(request), to, known }),
    readAnswer: (payload, from, exact) => spec.readAnswer(payload, formOnly(from), exact),
    projectAnswer: (answer, to) => {
      const written = spec.projectAnswer(answer, formOnly(to));
      return answeredIn(spec.name, written, to, known);
    },
  };
}

/** Members that would change what a request means, and that nothing here can keep. */
function refusedIn(task: string, args: JsonObject, known: readonly Release[]): readonly TaskError[] {
  const place = placeOf(known, releaseIn(args, known)?.name);
  const rules = rulesOf(known.slice(0, place), 'requests', task);
  return pathsOf(
    args,
    rules.flatMap(({ refused = [] }) => refused),
  ).map((field) =>
    notExpressible(
      field,
      'Accounts here are pairs of a brand and an operator, without a part like this.',
      'Leave it out, or name the account by its account_id.',
    ),
  );
}

/** A delivery report as its receiver's release has it. It is the answer of the read of delivery, and follows its rules. */
export function projectReport(
  report: DeliveryReport,
  to: WireProfile,
  known: readonly Release[] = knownReleases,
): JsonObject {
  return answeredIn('get_media_buy_delivery', projectDeliveryReport(report, to.form), to, known);
}

/** The profile that everything before the releases knows. */
function formOnly({ dialect, form }: WireProfile): WireProfile {
  return { dialect, form };
}

/** A request of a later release holds what its caller sent: the form has no place for all of it. */
const given = 'givenInLaterRelease';

function givenIn(request: unknown): JsonObject {
  const holding = (request ?? {}) as { readonly [given]?: JsonObject };
  return holding[given] ?? {};
}

/** The amount of the whole of a request, as its member `total`; nothing where it names none. */
function totalIn(
  task: string,
  args: JsonObject,
  exact: ExactNumbers,
  known: readonly Release[],
): Result<{ readonly total?: WholeAmount }, readonly TaskError[]> {
  const [field] = dividedOf(task, args, known);
  const value = field === undefined ? undefined : objectAt(args, field);
  if (field === undefined || value === undefined) return ok({});
  const amount = amountAt(value, 'amount', `/${field}`, exact);
  const currency = textAt(value, 'currency');
  if (amount === undefined || currency === undefined)
    return err([required(`${field}.${amount === undefined ? 'amount' : 'currency'}`)]);
  const faults = amountFaults(amount, `${field}.amount`, 'The total budget');
  return faults.length > 0 ? err(faults) : ok({ total: { field, amount, currency } });
}

/** The members that name an amount of the whole in the release of a request. */
function dividedOf(task: string, asked: JsonObject, known: readonly Release[]): readonly string[] {
  return rulesAsked(task, asked, known).flatMap(({ divided }) => divided ?? []);
}

function rulesAsked(task: string, asked: JsonObject, known: readonly Release[]): readonly MemberRules[] {
  return rulesOf(known.slice(0, placeOf(known, releaseIn(asked, known)?.name)), 'requests', task);
}

/**
 * The part of a request for one seller, with what its caller sent in a later release: of packages, these alone, and without an
 * amount of the whole, which the part has its share of.
 */
export function partInRelease<Part extends object>(
  task: string,
  request: object,
  part: Part,
  places: Readonly<Record<string, readonly number[]>>,
): Part {
  const asked = givenIn(request);
  const divided = dividedOf(task, asked, knownReleases);
  const own = Object.entries(without(asked, divided)).map(([name, value]) => {
    const at = places[name];
    return [
      name,
      at !== undefined && Array.isArray(value) ? at.flatMap((place) => value[place] ?? []) : value,
    ];
  });
  return own.length === 0 ? part : { ...part, [given]: Object.fromEntries(own) as JsonObject };
}

export interface WholeTerms {
  /** Members of the whole that only a later release has. */
  readonly named: readonly string[];
  /** Those that limit what is spent. */
  readonly binding: readonly string[];
  /** Those that limit the parts together. */
  readonly shared: readonly string[];
}

/** What a request of a later release says of the whole, by paths. */
export function wholeTerms(
  task: string,
  request: object,
  known: readonly Release[] = knownReleases,
): WholeTerms {
  const asked = givenIn(request);
  const rules = rulesAsked(task, asked, known);
  const found = (patterns: readonly string[]): readonly string[] =>
    pathsOf(
      asked,
      patterns.filter((pattern) => !/\[\]|^\.\./.test(pattern)),
    );
  const divided = dividedOf(task, asked, known);
  const binding = rules.flatMap((rule) => rule.binding ?? []).filter((name) => !divided.includes(name));
  return {
    named: found([...rules.flatMap(({ added = [] }) => added), ...binding]),
    binding: found(binding),
    shared: found(rules.flatMap((rule) => rule.shared ?? [])),
  };
}

interface Passage {
  /** The request as its caller sent it. */
  readonly asked: JsonObject;
  readonly to: WireProfile;
  readonly known: readonly Release[];
}

function sentIn(task: string, sent: ProjectedRequest, { asked, to, known }: Passage): ProjectedRequest {
  const spoken = placeOf(known, releaseIn(asked, known)?.name);
  const taken = placeOf(known, to.release);
  const shared = Math.min(spoken, taken);
  const newer = rulesOf(known.slice(shared, spoken), 'requests', task);
  const divided = dividedOf(task, asked, known).filter((name) => asked[name] === undefined);
  const left = takeOut(takeOut(sent.args, [{ added: divided }]).value, newer);
  const own = rulesOf(known.slice(0, shared), 'requests', task).flatMap(({ added = [], binding = [] }) => [
    ...added,
    ...binding,
  ]);
  const whole = putBack(left.value, asked, own);
  const release = known[taken - 1];
  const { versionField } = dialects[to.dialect];
  const args = {
    ...whole.value,
    ...(release === undefined ? {} : { [versionField]: release.name }),
  };
  // What the form dropped by itself is reported there, or here.
  const removed = new Set(left.paths);
  const unsent = takeOut(asked, newer).paths.filter((path) => !removed.has(path));
  const isKept = within([...whole.paths, ...divided]);
  const findings = withPaths(
    sent.findings.filter(({ field }) => field === undefined || !isKept(field)),
    [...left.paths, ...unsent],
  );
  const binding = newer.flatMap((rules) => rules.binding ?? []);
  const bound = new Set(pathsOf(args, binding));
  const missing = pathsOf(asked, binding).find((path) => !bound.has(path));
  const refusal = sent.notExpressible ?? (missing === undefined ? undefined : unpayable(missing));
  return { args, findings, ...(refusal === undefined ? {} : { notExpressible: refusal }) };
}

/** A buyer pays for what such a member limits, so a seller that cannot read it gets no request. */
function unpayable(field: string): ReturnType<typeof notExpressible> {
  return notExpressible(
    field,
    'It limits what is spent, and the protocol version of this seller does not have it.',
    'Leave it out, or name sellers that have it.',
  );
}

/** Whether a finding names one of these paths, or a member inside it. */
function within(names: readonly string[]): (field: string) => boolean {
  const known = new Set(names);
  return (field) =>
    known.has(field) || [...field.matchAll(/[.[]/g)].some(({ index }) => known.has(field.slice(0, index)));
}

/** The release that a message names. */
function releaseIn(message: JsonObject, known: readonly Release[]): Release | undefined {
  return [dialects.adcp, dialects.ads]
    .map(({ versionField }) => releaseNamed(message[versionField], known))
    .find((release) => release !== undefined);
}

/** How many releases a peer has: those up to the one that it speaks. */
function placeOf(known: readonly Release[], name: string | undefined): number {
  return name === undefined ? 0 : known.findIndex((release) => release.name === name) + 1;
}

function rulesOf(
  releases: readonly Release[],
  kind: 'requests' | 'answers',
  task: string,
): readonly MemberRules[] {
  return releases
    .flatMap((release) => [release[kind]['*'], release[kind][task]])
    .filter((one) => one !== undefined);
}

/**
 * What a seller of a newer release says and the caller's does not have is taken out where the caller's schemas are closed.
 * `lostInAnswer` reports it.
 */
function answeredIn(
  task: string,
  written: JsonObject,
  to: WireProfile,
  known: readonly Release[],
): JsonObject {
  const { value, paths } = takeOut(written, newerRules(task, to, known));
  if (paths.length > 0) leftOutOf.set(value, paths);
  return value;
}

/** The rules of answers by release, form and task: made once, because each seller's items are written by them. */
const answerRules = new WeakMap<readonly Release[], Map<string, readonly MemberRules[]>>();

function newerRules(task: string, { release, form }: WireProfile, known: readonly Release[]) {
  const made = answerRules.get(known) ?? new Map<string, readonly MemberRules[]>();
  answerRules.set(known, made);
  const place = placeOf(known, release);
  const key = `${place} ${form} ${task}`;
  const found = made.get(key);
  if (found !== undefined) return found;
  const never = known.slice(place - 1, place).flatMap(({ neverAnswered }) => neverAnswered?.[task] ?? []);
  const rules = rulesOf(known.slice(place), 'answers', task);
  const closed = form === 'service' ? [] : rules.flatMap((rule) => rule.closed ?? []);
  const newer = [...rules, ...closed, ...(place === 0 ? [] : never)];
  made.set(key, newer);
  return newer;
}
