import { describe, expect, it } from '@jest/globals';
import { readCreative, type Form, type SyncCreativesRequest } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { must } from '@switchyard/values';
import { creativeHash } from '../model/creatives-of-leg.js';
import { rollUpCreative } from './creative-states.js';
import { readCursor, writeCursor } from './library-cursor.js';
import type { Placement } from '../model/creative-library.js';
import { nameOfLocal } from '../model/name-at-seller.js';
import { planCreatives, type CreativeKnowledge } from './plan-creatives.js';

const format = { agent_url: 'https://Creative.Example/', id: 'banner' };
const creative = readCreative({ creative_id: 'c1', name: 'One', format_id: format, assets: {} }, '3.1');
const kind = readCreative({ creative_id: 'k1', name: 'Kind', format_kind: 'image', assets: {} }, '3.1');

const connectionOf = (slug: string, form: Form = '3.1'): Connection =>
  ({ id: `id-${slug}`, slug, form, agentUrl: `https://${slug}.example/mcp` }) as Connection;
const requestOf = (more: Partial<SyncCreativesRequest> = {}): SyncCreativesRequest => ({
  creatives: [creative],
  assignments: [],
  deleteMissing: false,
  dryRun: false,
  validationMode: 'strict',
  ...more,
});
const knowledge = (more: Partial<CreativeKnowledge> = {}): CreativeKnowledge => ({
  connections: [connectionOf('acme'), connectionOf('old', '2.5')],
  library: new Map(),
  packages: new Map(),
  accepted: [],
  active: [],
  ...more,
});
const packageAt = (slug: string): CreativeKnowledge['packages'] =>
  new Map([
    [
      `${slug}:p1`,
      { packageId: `${slug}:p1`, sellerPackageId: 'p1', connectionId: `id-${slug}`, mediaBuyId: 'mb_1' },
    ],
  ]);

function plan(request: SyncCreativesRequest, known: CreativeKnowledge) {
  return must(planCreatives(request, known));
}
const sellersIn = ({ legs }: ReturnType<typeof plan>): readonly string[] =>
  legs.map(({ connection }) => connection.slug);

describe('planCreatives', () => {
  it('sends a creative to the sellers that the request names, and refuses unknown names', () => {
    expect(sellersIn(plan(requestOf({ sellers: ['acme'] }), knowledge()))).toEqual(['acme']);
    const unknown = planCreatives(requestOf({ sellers: ['acme', 'nobody'] }), knowledge());
    expect(unknown).toMatchObject({ ok: false, error: [{ field: 'ext.switchyard.sellers[1]' }] });
  });

  it('sends no creative to a seller just because of the agent of its format', () => {
    const own = { ...format, agent_url: connectionOf('acme').agentUrl };
    const creative = readCreative({ creative_id: 'c1', name: 'One', format_id: own, assets: {} }, '3.1');
    expect(sellersIn(plan(requestOf({ creatives: [creative] }), knowledge()))).toEqual([]);
  });

  it('sends it to the seller of an assigned package, under the seller id of the package', () => {
    const assignments = [{ creativeId: 'c1', packageId: 'old:p1' }];
    const { legs } = plan(requestOf({ assignments }), knowledge({ packages: packageAt('old') }));
    expect(legs).toMatchObject([{ connection: { slug: 'old' }, assignments: [{ packageId: 'p1' }] }]);
  });

  it('sends it again to a seller that accepted it before', () => {
    const placements = [
      { creativeId: 'c1', connectionId: 'id-old', seller: 'old', status: 'approved' as const, syncedAt: 1 },
    ];
    const known = {
      id: 'x',
      creative,
      bodyHash: creativeHash(creative),
      status: 'approved' as const,
      createdAt: 1,
      updatedAt: 1,
      placements,
      assignments: [],
    };
    const planned = plan(requestOf(), knowledge({ library: new Map([['c1', known]]) }));
    expect(sellersIn(planned)).toEqual(['old']);
    expect(planned.notes.creatives).toMatchObject([{ action: 'unchanged' }]);
  });

  it('keeps a creative that no seller accepts, with a finding', () => {
    const { legs, notes } = plan(requestOf(), knowledge());
    expect([legs, notes.findings.map(({ code }) => code)]).toEqual([[], ['CREATIVE_WITHOUT_SELLER']]);
  });

  it('omits a creative with only a kind if the form of a seller has no kinds, and reports it', () => {
    const assignments = [{ creativeId: 'k1', packageId: 'old:p1' }];
    const request = requestOf({ creatives: [kind], assignments });
    const { legs, notes } = plan(request, knowledge({ packages: packageAt('old') }));
    expect(legs).toEqual([]);
    expect(notes.findings.map(({ code }) => code)).toContain('CREATIVE_LEFT_OUT');
  });

  it('fails a strict call on one bad assignment, and reports it with its creative in a lenient one', () => {
    const assignments = [{ creativeId: 'c1', packageId: 'acme:nobody' }];
    const strict = planCreatives(requestOf({ assignments }), knowledge());
    expect(strict).toMatchObject({ ok: false, error: [{ code: 'PACKAGE_NOT_FOUND' }] });
    const lenient = plan(requestOf({ assignments, validationMode: 'lenient' }), knowledge());
    expect(lenient.notes.creatives[0]?.assignmentErrors).toHaveProperty(['acme:nobody']);
  });

  it('deletes with delete_missing only what a seller got from us', () => {
    const accepted = [
      { creativeId: 'gone', connectionId: 'id-acme', seller: 'acme', status: 'approved' as const },
    ];
    const known = knowledge({ accepted, active: ['gone', 'c1', 'never_sent'] });
    const { legs, notes } = plan(requestOf({ deleteMissing: true }), known);
    expect(legs).toMatchObject([{ connection: { slug: 'acme' }, missing: ['gone'] }]);
    expect(notes.archived).toEqual(['gone', 'never_sent']);
  });
});

describe('the states of a creative', () => {
  it('are combined to the one that needs the buyer most: no approval hides a refusal of another seller', () => {
    expect(rollUpCreative(['approved', 'pending_review'], false)).toBe('pending_review');
    expect(rollUpCreative(['approved', 'rejected'], false)).toBe('rejected');
    expect(rollUpCreative(['approved', 'pending_review', 'failed'], false)).toBe('rejected');
    expect(rollUpCreative(['approved', 'suspended'], false)).toBe('suspended');
    expect(rollUpCreative(['approved', 'approved'], false)).toBe('approved');
    expect(rollUpCreative(['failed'], false)).toBe('rejected');
    expect(rollUpCreative([], false)).toBe('processing');
    expect(rollUpCreative(['approved'], true)).toBe('archived');
  });
});

describe('a cursor through the library', () => {
  const request = { filters: { tags: ['a'] }, sort: { field: 'name', direction: 'asc' } } as const;
  const walk = { organizationId: 'o1', principalId: 'p1', request };
  const place = { value: 'v', id: 'i', asOf: 7 };

  it('is read as written, for the same list only', () => {
    const text = writeCursor(place, walk);
    expect(readCursor(text, walk)).toEqual({ ok: true, value: place });
    const others = [
      { ...walk, principalId: 'p2' },
      { ...walk, organizationId: 'o2' },
      { ...walk, request: { ...request, filters: {} } },
    ];
    for (const other of others) expect(readCursor(text, other).ok).toBe(false);
  });

  it.each(['', 'x', '%%%', 'e30', 'bnVsbA'])('is refused if it is invalid: %j', (text) => {
    expect(readCursor(text, walk)).toMatchObject({ ok: false, error: { code: 'INVALID_REQUEST' } });
  });

  it('is refused after any change', () => {
    const body = JSON.parse(Buffer.from(writeCursor(place, walk), 'base64url').toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...body, v: 'w' })).toString('base64url');
    expect(readCursor(forged, walk).ok).toBe(false);
  });
});

describe('a creative over an account that others may use', () => {
  const sharedConnections = new Set(['id-acme']);
  const sellers = ['acme', 'old'];

  const namesAt = (planned: ReturnType<typeof plan>): readonly unknown[] =>
    planned.legs.map(({ connection, names }) => [connection.slug, names.get('c1')]);
  const standing = (placement: Partial<Placement>): CreativeKnowledge['library'] => {
    const placements = [
      {
        creativeId: 'c1',
        connectionId: 'id-acme',
        seller: 'acme',
        status: 'approved',
        ...placement,
      } as const,
    ];
    const stored = { id: 'x', creative, bodyHash: 'h', status: 'approved' as const, assignments: [] };
    return new Map([['c1', { ...stored, placements, createdAt: 0, updatedAt: 0 }]]);
  };

  it('is sent only to that seller under an id of ours, and the answer is the same as without others', () => {
    const planned = plan(requestOf({ sellers }), knowledge({ sharedConnections }));
    expect(namesAt(planned)).toEqual([
      ['acme', nameOfLocal('c1', 'id-acme')],
      ['old', undefined],
    ]);
    expect(planned.notes).toEqual(plan(requestOf({ sellers }), knowledge()).notes);
  });

  it.each<[string, Partial<Placement>, string | undefined]>([
    ['as it stands there', { syncedAt: 1 }, undefined],
    ['as it is on its way there', { status: 'pending' }, undefined],
    ['as it stands there under one of ours', { syncedAt: 1, sellerCreativeId: 'kept' }, 'kept'],
    ['as it was archived there under one of ours', { status: 'archived', sellerCreativeId: 'kept' }, 'kept'],
    ['anew where it was refused there', { status: 'failed' }, nameOfLocal('c1', 'id-acme')],
    ['anew where it was archived there', { syncedAt: 1, status: 'archived' }, nameOfLocal('c1', 'id-acme')],
  ])('has the id %s', (_how, placement, name) => {
    const known = knowledge({ sharedConnections, library: standing(placement) });
    expect(namesAt(plan(requestOf({ sellers }), known))).toEqual([
      ['acme', name],
      ['old', undefined],
    ]);
  });

  it('keeps our id when nobody else may use the account any more', () => {
    const library = standing({ syncedAt: 1, sellerCreativeId: 'kept' });
    expect(namesAt(plan(requestOf({ sellers }), knowledge({ library })))[0]).toEqual(['acme', 'kept']);
  });

  it('is assigned there, and has the buyer’s own id in the plan', () => {
    const assignments = [{ creativeId: 'c1', packageId: 'acme:p1' }];
    const known = knowledge({ sharedConnections, packages: packageAt('acme') });
    expect(plan(requestOf({ assignments }), known).legs).toMatchObject([
      { assignments: [{ creativeId: 'c1', packageId: 'p1' }] },
    ]);
  });
});
