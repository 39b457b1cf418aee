import { objectsIn } from '../objects-in.js';
import { cell } from '../plain.js';
import type { Campaign } from './campaign.js';
import { notTrue } from './campaign-failure.js';
import { textOf } from './json-reading.js';
import type { SandboxPublisher } from './sandbox-process.js';

/** Connects the seller of a publisher's domain, as an administrator does who was given a client by its desk. */
export async function domainStep(
  { client, story }: Pick<Campaign, 'client' | 'story'>,
  { domain, clientId, clientSecret, account }: SandboxPublisher,
): Promise<void> {
  story.step('A publisher’s domain becomes a seller');
  const found = await client.post('/v1/sellers/find', { input: domain });
  if (!found.ok) notTrue(found.error.message);
  const candidates = objectsIn(found.value['candidates']);
  const [first] = candidates;
  if (first === undefined) notTrue(`${domain} names no agent.`);
  story.line(
    `${domain} names ${candidates.length} agents that may sell for it; the publisher’s own is taken`,
  );
  for (const { agent_url: url, why } of objectsIn(found.value['not_offered']))
    story.line(`Not offered: ${cell(url)}. ${cell(why)}`);
  const added = await client.post('/v1/sellers/add', {
    input: domain,
    candidate: textOf(first['agent_url']),
    slug: 'desk',
    client_id: clientId,
    client_secret: clientSecret,
    account,
  });
  if (!added.ok) notTrue(added.error.message);
  const checks = objectsIn(added.value['checks']);
  const open = checks.find(({ state }) => state !== 'passed' && state !== 'skipped');
  if (added.value['state'] !== 'live') notTrue(`desk is not live: ${cell(open?.['words'])}`);
  const passed = checks.filter(({ state }) => state === 'passed').length;
  story.line(`Signed in at its own authorization server; ${passed} checks passed: desk is live`);
}
