import {
  err,
  isJsonObject,
  isoOf,
  ok,
  type Instant,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';

/** Content beside which an ad was delivered, as its seller pushed it (docs/protocol/governance.md#content-beside-ads). */
export interface DeliveredContent {
  /** Without what opens its assets. */
  readonly artifact: JsonObject;
  /** In the seller's own text. */
  readonly deliveredAt?: string;
  /** The seller's own id of the package. */
  readonly packageId?: string;
}

/** A batch of them, of one buy. */
export interface ContentBatch {
  /** The seller's own id of the buy. */
  readonly mediaBuyId: string;
  readonly batchId?: string;
  /** How many the seller pushed, of which the readable ones are in `contents`. */
  readonly pushed: number;
  readonly contents: readonly DeliveredContent[];
}

/** Of one event; the others are counted and not checked. */
const mostContents = 1_000;
/** Above this share of failures a person is asked, whatever failed. */
export const failingShare = 0.1;
const mostFailuresNamed = 50;

/** Reads a batch; undefined if it names no buy. What has no property, id or list of assets cannot be checked. */
export function readContentBatch(body: JsonObject): ContentBatch | undefined {
  const { media_buy_id: mediaBuyId, batch_id: batchId, artifacts } = body;
  if (!isId(mediaBuyId) || !Array.isArray(artifacts)) return undefined;
  const contents = artifacts.slice(0, mostContents).flatMap((row): readonly DeliveredContent[] => {
    const { artifact, delivered_at: at, package_id: packageId } = isJsonObject(row) ? row : {};
    if (!isJsonObject(artifact) || !isId(artifact['property_rid']) || !isId(artifact['artifact_id']))
      return [];
    const opened = withoutAccess(artifact);
    if (!isJsonObject(opened) || !Array.isArray(opened['assets'])) return [];
    return [
      {
        artifact: opened,
        ...(typeof at === 'string' && !Number.isNaN(Date.parse(at)) && { deliveredAt: at }),
        ...(isId(packageId) && { packageId }),
      },
    ];
  });
  return { mediaBuyId, ...(isId(batchId) && { batchId }), pushed: artifacts.length, contents };
}

/** The task by which a seller is asked for the content of a buy, where it offers one. */
export const contentTask = 'get_media_buy_artifacts';

/** Its arguments: the content of one period, as many as are checked. */
export const contentQuestion = (
  sellerMediaBuyId: string,
  from: Instant,
  until: Instant,
  account?: JsonObject,
): JsonObject => ({
  media_buy_id: sellerMediaBuyId,
  ...(account !== undefined && { account }),
  time_range: { start: isoOf(from), end: isoOf(until) },
  pagination: { max_results: mostContents },
});

/**
 * The answer of a seller that was asked for content, in the shape of a pushed batch, so that it is stored and checked as one;
 * undefined if it is about another buy, or none. What opens assets is left out.
 */
export function pulledBatch(payload: JsonObject, sellerMediaBuyId: string): ContentBatch | undefined {
  const inner = isJsonObject(payload['result']) ? payload['result'] : payload;
  const { artifacts, collection_info: info } = inner;
  const rows = Array.isArray(artifacts)
    ? artifacts.map((row) => (isJsonObject(row) ? { ...row, delivered_at: row['timestamp'] ?? null } : row))
    : null;
  const batch = readContentBatch({ media_buy_id: inner['media_buy_id'] ?? null, artifacts: rows });
  if (batch?.mediaBuyId !== sellerMediaBuyId) return undefined;
  const collected = isJsonObject(info) ? info['total_collected'] : undefined;
  return { ...batch, pushed: Math.max(batch.pushed, isCount(collected) ? collected : 0) };
}

/** A batch as its seller would have pushed it. */
export const batchText = ({ mediaBuyId, contents }: ContentBatch): string =>
  JSON.stringify({
    media_buy_id: mediaBuyId,
    artifacts: contents.map(({ artifact, deliveredAt, packageId }) => ({
      artifact,
      ...(deliveredAt !== undefined && { delivered_at: deliveredAt }),
      ...(packageId !== undefined && { package_id: packageId }),
    })),
  });

/** The same without what opens assets: an asset whose very address is signed is left out. */
function withoutAccess(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(withoutAccess).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  const { access } = value;
  if (isJsonObject(access) && access['method'] === 'signed_url') return undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const kept = name === 'access' ? undefined : withoutAccess(member);
      return kept === undefined ? [] : [[name, kept]];
    }),
  );
}

/** The records of `validate_content_delivery`, by their place in the batch. */
export const recordsOf = (
  contents: readonly DeliveredContent[],
  mediaBuyId: string,
  first: number,
): readonly JsonObject[] =>
  contents.map(({ artifact, deliveredAt }, at) => ({
    record_id: recordId(first + at),
    media_buy_id: mediaBuyId,
    ...(deliveredAt !== undefined && { timestamp: deliveredAt }),
    artifact,
  }));

const recordId = (at: number): string => `r${String(at)}`;

/** A content that is not as the standards want it. */
export interface ContentFailure {
  /** Its place in the batch. */
  readonly at: number;
  /** The policies that it is against, as far as the agent names them. */
  readonly policies: readonly string[];
  readonly explanation?: string;
}

/** What an agent says of the records that it was sent. */
export interface ContentVerdicts {
  readonly failed: number;
  /** Those that it names. */
  readonly failures: readonly ContentFailure[];
}

/** Reads the answer of `validate_content_delivery`; the error says in words why it is none. */
export function readVerdicts(
  payload: JsonObject,
  sent: number,
  first: number,
): Result<ContentVerdicts, string> {
  const inner = isJsonObject(payload['result']) ? payload['result'] : payload;
  const { summary, results } = inner;
  const { total_records: total, failed_records: failed } = isJsonObject(summary) ? summary : {};
  if (!isCount(total) || !isCount(failed) || !Array.isArray(results))
    return err('its answer has no verdicts');
  if (total !== sent || failed > sent) return err('its answer is not about what it was sent');
  const places = new Map(Array.from({ length: sent }, (_, at) => [recordId(first + at), first + at]));
  const failures = new Map<number, ContentFailure>();
  for (const row of results.filter(isJsonObject)) {
    const at = typeof row['record_id'] === 'string' ? places.get(row['record_id']) : undefined;
    if (at !== undefined && row['verdict'] === 'fail') failures.set(at, failureOf(at, row));
  }
  return ok({ failed: Math.max(failed, failures.size), failures: [...failures.values()] });
}

function failureOf(at: number, { features }: JsonObject): ContentFailure {
  const against = (Array.isArray(features) ? features : [])
    .filter(isJsonObject)
    .filter(({ status }) => status === 'failed')
    .slice(0, 20);
  const policies = against.map((feature) => feature['policy_id']).filter(isId);
  const [explanation] = against.map((feature) => feature['explanation']).filter(isSaid);
  return {
    at,
    policies: [...new Set(policies)],
    ...(explanation !== undefined && { explanation: explanation.replaceAll('\0', '').slice(0, 300) }),
  };
}

/** What a check of a batch found, as a case says it. */
export interface ContentCheck {
  /** How many were sent to the agent, how many of those failed, and how many are against a policy that binds. */
  readonly sent: number;
  readonly failed: number;
  readonly binding: number;
  readonly failures: readonly {
    readonly artifact_id: string;
    readonly property: string;
    readonly package_id?: string;
    readonly policies: readonly string[];
    readonly explanation?: string;
  }[];
  /** The seller's own ids of the packages with failures; undefined where one is not said. */
  readonly packageIds?: readonly string[];
  /** Why a person is asked; undefined: nobody is. */
  readonly why?: string;
}

/**
 * Judges the verdicts. Entries are the policies of the standards as they were read last. A failure is against a policy that
 * binds where it names one that does, or is not known; one that names none, where all policies bind.
 */
export function judgeContent(
  contents: readonly DeliveredContent[],
  { failed, failures }: ContentVerdicts,
  entries: readonly string[],
): ContentCheck {
  const advising = new Set(
    entries.filter((entry) => !bindingEntry.test(entry)).map((entry) => entry.replace(/ \([^()]*\)$/, '')),
  );
  const isAllBinding = entries.length > 0 && advising.size === 0;
  const binding = failures.filter(({ policies }) =>
    policies.length === 0 ? isAllBinding : policies.some((policy) => !advising.has(policy)),
  );
  const sent = contents.length;
  const why =
    binding.length > 0
      ? `${String(binding.length)} of ${String(sent)} contents are against a policy that binds.`
      : failed > sent * failingShare
        ? `${String(failed)} of ${String(sent)} contents are not as the standards want them.`
        : undefined;
  const named = failures.map(({ at }) => contents[at]?.packageId);
  const isNamed = failed === failures.length && named.every((id) => id !== undefined);
  return {
    sent,
    failed,
    binding: binding.length,
    // Those that bind first: only the first of them are shown.
    failures: [...binding, ...failures.filter((failure) => !binding.includes(failure))]
      .slice(0, mostFailuresNamed)
      .map(({ at, policies, explanation }) => shownFailure(contents[at], policies, explanation)),
    ...(isNamed && { packageIds: [...new Set(named)] }),
    ...(why !== undefined && { why }),
  };
}

const bindingEntry = / \(must, [0-9a-f]{12}\)$/;

function shownFailure(
  content: DeliveredContent | undefined,
  policies: readonly string[],
  explanation: string | undefined,
): ContentCheck['failures'][number] {
  const { property_rid: property, artifact_id: id } = content?.artifact ?? {};
  return {
    artifact_id: typeof id === 'string' ? id : '',
    property: typeof property === 'string' ? property : '',
    ...(content?.packageId !== undefined && { package_id: content.packageId }),
    policies,
    ...(explanation !== undefined && { explanation }),
  };
}

const isId = (value: JsonValue | undefined): value is string =>
  isSaid(value) && value.length <= 255 && !value.includes('\0');

const isSaid = (value: JsonValue | undefined): value is string => typeof value === 'string' && value !== '';

const isCount = (value: JsonValue | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
