import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import { limitFields, offeredLimit, offeredScopes, takeConsent, type ConsentQuestion } from './consent.js';
import type { OAuthDeps } from './ports.js';
import { consentPage, faultPage, type Page } from './pages.js';
import { accountOf, oauthRoutes, personOf } from './provider-options.js';

/** The most bytes of the form of a page. */
const formBytes = 8_192;

/** Answers a page of a request in progress: leads to sign-in, asks for consent, and takes the answer. */
export async function interact(
  deps: OAuthDeps,
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { raw } = request;
  const path = pathOf(raw);
  const details = await provider.interactionDetails(raw, reply.raw).catch(() => undefined);
  if (details === undefined || path !== `${oauthRoutes.interaction}/${details.uid}`) {
    send(
      reply,
      faultPage(400, 'This request has ended, or belongs to another browser. Start again in your program.'),
    );
    return;
  }
  const session = await deps.sessionOf(request);
  if (session === undefined) {
    reply.raw.writeHead(303, {
      location: `/sign-in?return_to=${encodeURIComponent(path)}`,
      'cache-control': 'no-store',
    });
    reply.raw.end();
    return;
  }
  const { organizationId, id: principalId, name: personName } = session.principal;
  const opener = await deps.ports.store.openerOf({ organizationId }, session.token.id);
  const account = accountOf({
    organizationId,
    principalId,
    ...(opener === undefined ? {} : { tokenId: opener }),
  });
  const finish = (result: Parameters<Provider['interactionFinished']>[2], merge: boolean): Promise<void> =>
    provider.interactionFinished(raw, reply.raw, result, { mergeWithLastSubmission: merge });
  const refuse = (why: string): Promise<void> =>
    finish({ error: 'access_denied', error_description: why }, false);
  const person = await personOf(deps, account);
  if (person === undefined) return refuse('only a person can let a program in');
  if (details.prompt.name === 'login')
    return finish({ login: { accountId: account, remember: false } }, false);
  if (details.session?.accountId !== account) return refuse('another person has signed in meanwhile');
  const { client_id: clientId, redirect_uri: redirectUri } = details.params as Record<string, string>;
  const client = await provider.Client.find(clientId ?? '');
  if (client === undefined || redirectUri === undefined) return refuse('the client is not known any more');
  const requested = details.prompt.details as {
    readonly missingOIDCScope?: readonly string[];
    readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
  };
  const resources = Object.entries(requested.missingResourceScopes ?? {});
  const question: ConsentQuestion = {
    person,
    clientId: client.clientId,
    clientName: client.clientName ?? client.clientId,
    scopes: [...new Set(resources.flatMap(([, scopes]) => scopes))],
  };
  const offer = await offeredLimit(deps, question);
  const show = (sent?: { readonly form: URLSearchParams; readonly fault: string }): void => {
    const limit = offer !== undefined && sent !== undefined ? limitFields(sent.form) : offer;
    send(
      reply,
      consentPage({
        clientName: question.clientName,
        redirectUri,
        resource: resources.map(([resource]) => resource).join(', '),
        personName,
        scopes: offeredScopes(question, sent?.form.getAll('scope')),
        action: path,
        ...(limit !== undefined && { limit }),
        ...(sent !== undefined && { fault: sent.fault }),
      }),
    );
  };
  if (request.method === 'GET') {
    show();
    return;
  }
  const form = request.method === 'POST' ? await readForm(raw) : undefined;
  if (form === undefined) {
    send(reply, faultPage(400, 'The answer could not be read. Go back and answer again.'));
    return;
  }
  if (form.get('answer') !== 'allow') return refuse('the person has not allowed it');
  const grant = new provider.Grant({ accountId: account, clientId: client.clientId });
  if (requested.missingOIDCScope !== undefined) grant.addOIDCScope(requested.missingOIDCScope.join(' '));
  let grantId = '';
  const taken = await takeConsent(deps, question, form, async (given) => {
    for (const [resource, scopes] of resources) {
      const [kept, left] = [
        given.filter((name) => scopes.includes(name)),
        scopes.filter((name) => !given.includes(name)),
      ];
      if (kept.length > 0) grant.addResourceScope(resource, kept.join(' '));
      if (left.length > 0) grant.rejectResourceScope(resource, left.join(' '));
    }
    grantId = await grant.save();
  });
  if (!taken.ok) {
    show({ form, fault: taken.error });
    return;
  }
  await finish({ consent: { grantId } }, true);
}

export const pathOf = (request: IncomingMessage): string => (request.url ?? '').split('?')[0] ?? '';

/** A small form; undefined for anything else. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') !== true)
    return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > formBytes) return undefined;
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

export function send(reply: FastifyReply, { status, headers, html }: Page): void {
  reply.raw.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(html) });
  reply.raw.end(html);
}
