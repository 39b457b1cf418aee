import { defined, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type {
  ListAuthorizedPropertiesAnswer,
  ListAuthorizedPropertiesRequest,
} from '../entities/product/authorized-properties.js';
import type { ReadAnswer, TaskSpec } from '../task-spec.js';
import type { Capabilities } from '../entities/capabilities/capabilities.js';
import { unusable } from '../message/answer.js';
import { domainOfUrl } from '../entities/brand/brand.js';
import { channels25 } from '../entities/product/channels.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { withExt } from '../message/form.js';
import { inputSchemaOf, countryCode, extras, idText, readShape } from '../message/shapes.js';
import { listAt, objectAt, textAt, textsAt } from '../message/pick.js';

const shape = z.looseObject({
  ...extras,
  publisher_domains: z.array(idText).min(1).max(1_000).optional().describe('Only these publishers.'),
});

/**
 * Lists publishers whose inventory can be bought. Releases since 3.0 have it in their capabilities
 * (docs/protocol/products.md#publishers).
 */
export const listAuthorizedProperties: TaskSpec<
  ListAuthorizedPropertiesRequest,
  ListAuthorizedPropertiesAnswer
> = {
  name: 'list_authorized_properties',
  names: { ads: ['list_authorized_properties'], adcp: ['list_authorized_properties'] },
  access: 'public',
  kind: 'read',
  area: 'products',
  permission: 'read',
  serves: 'sales',
  deadlineMs: 10_000,
  mayBeAsync: false,
  inputSchema: inputSchemaOf(shape),

  readRequest(args) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const publisherDomains = checked.value.publisher_domains?.map((domain) => domain.toLowerCase());
    return ok({ ...readExtras(args), ...defined({ publisherDomains }) });
  },

  projectRequest(request, to) {
    const extrasOf = projectExtras(request, to, 'read');
    const { publisherDomains } = request;
    const wanted = to.form === 'service' ? undefined : publisherDomains;
    const args = wanted === undefined ? extrasOf : { ...extrasOf, publisher_domains: [...wanted] };
    // The `service` form's request has no parameters; the answer is filtered here.
    return { args, findings: [] };
  },

  readAnswer(payload) {
    const listed = listAt(payload, 'publisher_domains');
    return listed === undefined
      ? unusable('it has no list named publisher_domains')
      : ok(readPortfolio(payload, listed.length));
  },

  projectAnswer(answer, to) {
    const { properties, channels, countries, portfolios } = answer;
    const known = channels.filter((channel) => channels25.has(channel));
    const others = channels.filter((channel) => !channels25.has(channel));
    const [only, another] = portfolios;
    const words = another === undefined ? only : undefined;
    // A single seller's portfolio is for its only seller, otherwise each names its seller.
    const among = new Set(properties.flatMap(({ sellers }) => sellers));
    const isNamed =
      another !== undefined ||
      only?.lastUpdated !== undefined ||
      (only?.seller !== undefined && (among.size !== 1 || !among.has(only.seller)));
    const payload = defined({
      publisher_domains: properties.map(({ publisherDomain }) => publisherDomain),
      primary_channels: known.length === 0 ? undefined : known,
      primary_countries: countries.length === 0 ? undefined : [...countries],
      portfolio_description: words?.description,
      advertising_policies: words?.advertisingPolicies,
      last_updated: answer.lastUpdated,
    }) as JsonObject;
    const extension = defined({
      properties: properties.map(({ publisherDomain, sellers, authorization }) =>
        defined({
          publisher_domain: publisherDomain,
          sellers: [...sellers],
          authorization: authorization?.map(({ seller, state, delegationType, reason }) =>
            defined({ seller, state, delegation_type: delegationType, reason }),
          ),
        }),
      ),
      portfolios:
        !isNamed || only === undefined
          ? undefined
          : portfolios.map((portfolio) =>
              defined({
                seller: portfolio.seller,
                description: portfolio.description,
                advertising_policies: portfolio.advertisingPolicies,
                last_updated: portfolio.lastUpdated,
              }),
            ),
      other_channels: others.length === 0 ? undefined : others,
    }) as JsonObject;
    return to.form === 'service'
      ? { ...payload, ...extension }
      : { ...payload, ...withExt(payload, extension) };
  },
};

/** Reads the publishers that a seller of 3.x lists in its capabilities (docs/protocol/products.md#publishers). */
export function readDeclaredPortfolio({
  publisherDomains,
  original,
}: Capabilities): ReadAnswer<ListAuthorizedPropertiesAnswer> {
  const portfolio = objectAt(objectAt(original, 'media_buy') ?? {}, 'portfolio') ?? {};
  return readPortfolio(
    defined({
      publisher_domains: [...publisherDomains],
      primary_channels: portfolio['primary_channels'],
      primary_countries: portfolio['primary_countries'],
      portfolio_description: portfolio['description'],
      advertising_policies: portfolio['advertising_policies'],
      last_updated: original['last_updated'],
    }),
    publisherDomains.length,
  );
}

function readPortfolio(payload: JsonObject, listed: number): ReadAnswer<ListAuthorizedPropertiesAnswer> {
  const domains = textsAt(payload, 'publisher_domains');
  const known = domains.map((domain) => domainOfUrl(domain)).filter((domain) => domain !== undefined);
  const lost = listed - known.length;
  const words = defined({
    description: textAt(payload, 'portfolio_description'),
    advertisingPolicies: textAt(payload, 'advertising_policies'),
  });
  return {
    answer: {
      properties: [...new Set(known)].map((publisherDomain) => ({ publisherDomain, sellers: [] })),
      channels: textsAt(payload, 'primary_channels'),
      countries: textsAt(payload, 'primary_countries').filter((country) => countryCode.test(country)),
      portfolios: Object.keys(words).length === 0 ? [] : [words],
      ...defined({ lastUpdated: momentAt(payload, 'last_updated') }),
    },
    setAside:
      lost === 0
        ? []
        : [{ code: 'PROPERTY_SET_ASIDE', message: `${lost} publisher domains are no names of domains` }],
  };
}

/** An invalid time is ignored: an answer that repeats it would be invalid. */
function momentAt(payload: JsonObject, name: string): string | undefined {
  const text = textAt(payload, name);
  const isOne = text !== undefined && /^\d{4}-\d\d-\d\dT.+(Z|[+-]\d\d:\d\d)$/i.test(text);
  return isOne && !Number.isNaN(Date.parse(text)) ? text : undefined;
}
