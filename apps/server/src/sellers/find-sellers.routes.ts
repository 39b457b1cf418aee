import {
  findCandidates,
  type Candidate,
  type Connection,
  type ConnectionDirectory,
  type FindDeps,
} from '@switchyard/sellers';
import { err, isoOf, ok, withoutEndSlashes } from '@switchyard/values';
import { z } from 'zod';
import { instant } from '../platform/routes/fields.js';
import { routesOn } from '../platform/routes/route.js';
import { scopeOf } from '../platform/tasks/call/task-call.js';
import { slugOf } from './gate/slug-of.js';

/** What finds agents from a publisher's documents. */
export interface FindSellersDeps {
  readonly candidateFinder: FindDeps;
  readonly connections: Pick<ConnectionDirectory, 'list'>;
}

/** The slug of a seller that is connected at an agent's address; undefined if none is. A slash at the end is no other address. */
export const connectedAt = (known: readonly Connection[], agentUrl: string): string | undefined =>
  known.find((one) => one.state !== 'removed' && addressOf(one.agentUrl) === addressOf(agentUrl))?.slug;

/** As it is asked: without the fragment, which no request carries. */
const addressOf = (url: string): string => {
  const [asked = ''] = (URL.canParse(url) ? new URL(url).href : url).split('#');
  return withoutEndSlashes(asked);
};

export const alreadyIn = (slug: string): string =>
  `It is connected already, as ${slug}: buyers would see each of its products twice. Clients buy in accounts of one connection.`;

const reason = z.strictObject({ code: z.string(), why: z.string() });

const candidate = z.strictObject({
  agent_url: z.string(),
  kinds: z
    .array(z.string())
    .describe('What it is: sales, signals, governance or rights; empty if no document says it.'),
  agrees: z
    .enum(['both', 'publisher_only', 'operator_only', 'neither'])
    .describe('Who confirms it: the publisher in its adagents.json, the operator in its brand.json.'),
  says: z
    .array(
      z.strictObject({
        delegation_type: z.enum(['direct', 'delegated', 'ad_network']).exactOptional(),
        exclusive: z.boolean().exactOptional(),
        countries: z.array(z.string()).exactOptional(),
        window: z
          .strictObject({ from: z.string().exactOptional(), until: z.string().exactOptional() })
          .exactOptional(),
        selector: z.string().exactOptional(),
        covers: z.int().exactOptional().describe('How many properties of the publisher it may sell.'),
      }),
    )
    .describe('How the publisher lets it sell, entry by entry, the nearest first.'),
  problems: z.array(reason).describe('What an admin should know before it is added.'),
  found_in: z.array(
    z.strictObject({
      document: z.enum(['adagents.json', 'brand.json']),
      url: z.string(),
      sha256: z.string().describe('Empty for a document that was read earlier.'),
      fetched_at: instant,
      entry: z.string().describe('JSON pointer.'),
    }),
  ),
});

const foundSellers = z.strictObject({
  slug: z.string().describe('The short name that `add` gives a seller of this domain, unless you give one.'),
  candidates: z.array(candidate),
  not_offered: z.array(reason.extend({ agent_url: z.string() })),
  documents: z.array(
    z.strictObject({
      url: z.string(),
      state: z.enum(['read', 'missing', 'refused', 'rolled_back', 'redirected']),
      why: z.string().exactOptional(),
    }),
  ),
  advice: z.string().exactOptional().describe('What to do where no agent was found.'),
});

const route = routesOn<FindSellersDeps>();

/** The search for agents from a publisher's domain. */
export const findSellersRoutes = [
  route({
    method: 'post',
    path: '/v1/sellers/find',
    id: 'find_sellers',
    summary: 'Find the agents that may sell for a domain, document or address; stores nothing',
    needs: 'sellers.write',
    byPerson: true,
    readsOnly: true,
    body: z.strictObject({
      input: z
        .string()
        .min(1)
        .max(2_048)
        .describe('A domain, or the address of an adagents.json, of a brand.json or of an agent.'),
    }),
    answer: foundSellers,
    example: {
      slug: 'northgate',
      candidates: [
        {
          agent_url: 'https://sell.northgate.example/mcp',
          kinds: ['sales'],
          agrees: 'both',
          says: [{ delegation_type: 'direct', exclusive: true, selector: 'property_ids', covers: 1 }],
          problems: [],
          found_in: [
            {
              document: 'adagents.json',
              url: 'https://northgate.example/.well-known/adagents.json',
              sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
              fetched_at: '2026-11-21T12:00:00.000Z',
              entry: '/authorized_agents/0',
            },
          ],
        },
      ],
      not_offered: [
        {
          agent_url: 'https://agent.remnant.example/mcp',
          code: 'window_over',
          why: 'The publisher let it sell until 2026-10-31T23:59:59.000Z.',
        },
      ],
      documents: [{ url: 'https://northgate.example/.well-known/adagents.json', state: 'read' }],
    },
    handle: async (deps, { caller, body }) => {
      const found = await findCandidates(deps.candidateFinder, body.input);
      if (!found.ok) return err({ code: 'INVALID_REQUEST', message: found.error, field: 'input' });
      const { input, candidates, notOffered, documents, advice } = found.value;
      const known = await deps.connections.list(scopeOf(caller));
      return ok({
        slug: slugOf(input.domain),
        candidates: candidates.map((one) => {
          const slug = connectedAt(known, one.agentUrl);
          const twin = slug === undefined ? [] : [{ code: 'already_in', why: alreadyIn(slug) }];
          return candidateView({ ...one, problems: [...twin, ...one.problems] });
        }),
        not_offered: notOffered.map(({ agentUrl, code, why }) => ({ agent_url: agentUrl, code, why })),
        documents,
        ...(advice === undefined ? {} : { advice }),
      });
    },
  }),
];

function candidateView({ agentUrl, foundIn, ...others }: Candidate) {
  return {
    agent_url: agentUrl,
    ...others,
    found_in: foundIn.map(({ fetchedAt, ...source }) => ({ ...source, fetched_at: isoOf(fetchedAt) })),
  };
}
