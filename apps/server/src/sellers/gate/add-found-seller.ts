import { quotaFailure, type Quotas } from '../../platform/caller/quotas.js';
import {
  findCandidates,
  siteOfUrl,
  type Candidate,
  type CheckResult,
  type Connection,
  type FoundAgents,
  type SellerProtocol,
} from '@switchyard/sellers';
import { defined, err, ok, type Result } from '@switchyard/values';
import { destinationOf } from '@switchyard/vault';
import type { AdminFailure, SellerDraft } from '../../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import { alreadyIn, connectedAt, type FindSellersDeps } from '../find-sellers.routes.js';
import { prepareSeller } from '../onboarding/onboard-seller.js';
import type { AskedSignIn } from '../oauth/sign-in-deps.js';
import { slugOf } from './slug-of.js';
import { runGate, type GateDeps } from './run-gate.js';
import type { GateView } from './gate-view.js';

/** A seller to add from what is known of it: a domain, a document, or its address. */
export interface FoundSellerDraft extends Omit<SellerDraft, 'slug' | 'agentUrl' | 'protocol' | 'dialect'> {
  readonly input: string;
  /** The agent's address, if several were found. */
  readonly candidate?: string;
  readonly slug?: string;
  readonly protocol?: SellerProtocol;
  readonly dialect?: 'ads' | 'adcp';
  readonly signIn?: AskedSignIn;
  /** Whether questions that a rule answers are asked of nobody. */
  readonly goesByRule?: boolean;
  /** Whether a person has said that an agent that is connected already is connected once more. */
  readonly mayRepeat?: true;
}

export interface AddFoundDeps extends GateDeps, FindSellersDeps {
  readonly connections: GateDeps['connections'] & FindSellersDeps['connections'];
  readonly quotas?: Pick<Quotas, 'roomFor'>;
  readonly isSandboxUrl: (agentUrl: string) => boolean;
}

/**
 * Adds a seller: finds its agent, keeps it as a draft that is in no list, and runs the checks of the gate. With the slug of
 * a draft it goes on where that stands. A person is asked where several agents were found and none is chosen.
 */
export async function addFoundSeller(
  deps: AddFoundDeps,
  caller: PrincipalCaller,
  draft: FoundSellerDraft,
): Promise<Result<GateView, AdminFailure>> {
  const found = await findCandidates(deps.candidateFinder, draft.input);
  if (!found.ok) return err({ code: 'INVALID_REQUEST', message: found.error, field: 'input' });
  const slug = draft.slug ?? slugOf(found.value.input.domain);
  const chosen = choose(found.value, draft.candidate);
  if ('view' in chosen)
    return ok({
      slug,
      state: chosen.view.state === 'failed' ? 'failed' : 'needs_person',
      checks: [{ key: 'source', ...chosen.view }],
    });
  const { candidate, source } = chosen;
  const { input, candidate: _, protocol, dialect, signIn, goesByRule, mayRepeat, ...others } = draft;
  const known = await deps.connections.bySlug(scopeOf(caller), slug);
  if (known === undefined && mayRepeat !== true) {
    const twin = connectedAt(await deps.connections.list(scopeOf(caller)), candidate.agentUrl);
    if (twin !== undefined)
      return ok({ slug, state: 'needs_person', checks: [{ key: 'source', ...connectedAlready(twin) }] });
  }
  if (draft.slug === undefined && known !== undefined && isTaken(known, candidate)) return err(taken(known));
  const full = known === undefined ? await deps.quotas?.roomFor(scopeOf(caller), 'sellers', 1) : undefined;
  if (full !== undefined) return err(quotaFailure(full));
  const prepared = await prepareSeller(
    deps,
    caller,
    {
      ...others,
      slug,
      agentUrl: candidate.agentUrl,
      protocol: protocol ?? known?.protocol ?? 'mcp',
      dialect: dialect ?? known?.dialect ?? 'adcp',
    },
    { isSandbox: deps.isSandboxUrl(candidate.agentUrl), state: 'draft' },
  );
  if (!prepared.ok) return prepared;
  await found.value.remember();
  const decides = candidate.kinds.filter((kind) => kind === 'rights' || kind === 'governance');
  // An agent whose documents say nothing of it is added as a seller.
  const sells = decides.length === 0 || decides.length < candidate.kinds.length;
  if (!sells) await keepDecider(deps, caller, prepared.value, candidate);
  const { run, authorizeUrl } = await runGate(deps, caller, prepared.value, {
    input,
    source,
    ...(sells ? {} : { decides: candidate.kinds }),
    wanted: {
      ...(protocol === undefined ? {} : { protocol }),
      ...(dialect === undefined ? {} : { dialect }),
    },
    ...defined({ signIn, goesByRule }),
  });
  return ok({
    slug,
    ...run,
    ...(authorizeUrl === undefined ? {} : { authorizeUrl }),
  });
}

/** A second connection of an agent shows each of its products twice: a person says whether that is meant. */
function connectedAlready(slug: string): CheckResult {
  return {
    state: 'needs_person',
    code: 'already_in',
    words: alreadyIn(slug),
    next: `Give its clients their accounts there: switchyard accounts list --seller ${slug}. To connect it a second time all the same, add it with --yes.`,
  };
}

/** What an agent decides, and its keys, are read from the brand.json that lists it. */
async function keepDecider(
  { connections, clock }: AddFoundDeps,
  caller: PrincipalCaller,
  { id, pinnedBrandJsonUrl }: Connection,
  { kinds, foundIn }: Candidate,
): Promise<void> {
  const brand = foundIn.find(({ document }) => document === 'brand.json');
  const keys =
    brand === undefined || pinnedBrandJsonUrl !== undefined ? {} : { pinnedBrandJsonUrl: brand.url };
  await connections.update(scopeOf(caller), id, { kinds, ...keys }, clock.now());
}

/** Whether a slug that nobody chose belongs to another agent, or to this one that is through the gate. */
function isTaken({ agentUrl, state }: Connection, candidate: Candidate): boolean {
  return agentUrl !== candidate.agentUrl || (state !== 'draft' && state !== 'removed');
}

const taken = ({ slug, agentUrl }: Connection): AdminFailure => ({
  code: 'CONFLICT',
  message: `The slug ${slug} belongs to the seller at ${destinationOf(agentUrl)}.`,
  field: 'slug',
  suggestion: 'Give this one a slug of its own, or name that slug to change that seller.',
});

type Chosen =
  | { readonly candidate: Candidate; readonly source: CheckResult }
  | { readonly view: CheckResult };

function choose({ candidates, notOffered, advice }: FoundAgents, wanted: string | undefined): Chosen {
  const named = wanted === undefined ? undefined : candidates.find(({ agentUrl }) => agentUrl === wanted);
  const [first] = candidates;
  if (wanted !== undefined && named === undefined) {
    const why = notOffered.find(({ agentUrl }) => agentUrl === wanted)?.why ?? 'No document names it.';
    return {
      view: {
        state: 'failed',
        code: 'not_offered',
        words: `The agent ${wanted} is not offered: ${why}`,
        next: 'See what is: switchyard sellers find INPUT',
      },
    };
  }
  if (first === undefined)
    return {
      view: {
        state: 'failed',
        code: 'no_candidate',
        words: advice ?? 'No agent was found.',
        next: 'Ask the publisher, or add the agent by its address.',
      },
    };
  if (named === undefined && candidates.length > 1) {
    const urls = candidates.slice(0, 20).map(({ agentUrl }) => agentUrl);
    return {
      view: {
        state: 'needs_person',
        code: 'choose_candidate',
        words: `${candidates.length} agents may sell for it: ${urls.join(', ')}.`,
        next: 'Choose one with --candidate URL.',
        evidence: { candidates: urls },
      },
    };
  }
  const candidate = named ?? first;
  const evidence = {
    agrees: candidate.agrees,
    site: siteOfUrl(candidate.agentUrl),
    found_in: candidate.foundIn.map(({ url, sha256, entry }) => ({ url, sha256, entry })),
  };
  const words = {
    both: 'Its publisher and its operator both name it.',
    publisher_only: 'Its publisher names it.',
    operator_only: 'Its operator names it; no publisher was asked.',
    neither: 'It was entered by its address, and no document confirms it.',
  }[candidate.agrees];
  return {
    candidate,
    source: {
      state: 'passed',
      code: candidate.agrees === 'neither' ? 'unconfirmed' : 'confirmed',
      words,
      evidence,
    },
  };
}
