import { agreementText } from '@switchyard/ledger';
import { isUuid } from '@switchyard/values';
import {
  addAgreement,
  agreementsAtMost,
  endAgreement,
  readAgreements,
} from '../finance/agreement-repository.js';
import type { TenantSession } from '../core/tenant-client.js';
import { refused, type ActRules } from './control-act.js';

const subjectOf = ({
  seller,
  mediaBuyId,
  insertionOrder,
}: {
  readonly seller: string;
  readonly mediaBuyId?: string;
  readonly insertionOrder?: string;
}): string => [`agreement with ${seller}`, insertionOrder, mediaBuyId].filter(Boolean).join(', ');

/** What is owed to a seller is decided by two people. */
export const agreementSet: ActRules<'set_agreement'> = {
  judge: async (client, { agreement, reason }) => {
    if (agreement.mediaBuyId !== undefined && !(await isBoughtThere(client, agreement)))
      return refused('NOT_FOUND', 'The seller has no part in a buy with this id.');
    if (await isFull(client))
      return refused('CONFLICT', `An organization has ${agreementsAtMost} agreements at most.`);
    const subject = subjectOf(agreement);
    return { asks: true, basedOn: null, place: {}, subject, reason, after: agreementText(agreement) };
  },
  apply: async (client, { agreement, reason }, taking) => {
    await addAgreement(client, { ...agreement, reason }, taking);
    return true;
  },
};

/** An agreement is never removed, because comparisons rest on it: it ends. */
export const agreementEnded: ActRules<'end_agreement'> = {
  judge: async (client, { agreementId, lastMonth }) => {
    const found = isUuid(agreementId)
      ? (await readAgreements(client)).find(({ id }) => id === agreementId)
      : undefined;
    if (found === undefined) return refused('NOT_FOUND', 'There is no agreement with this id.');
    return {
      asks: true,
      basedOn: found.lastMonth ?? null,
      place: {},
      subject: subjectOf(found),
      reason: `Ends what was agreed: ${agreementText(found)}.`,
      after: `until ${lastMonth}`,
      ...(found.lastMonth !== undefined && { before: `until ${found.lastMonth}` }),
    };
  },
  apply: async (client, { agreementId, lastMonth }, taking) => {
    await endAgreement(client, { id: agreementId, lastMonth }, taking);
    return true;
  },
};

async function isFull({ models, organizationId }: TenantSession): Promise<boolean> {
  const where = { organization_id: organizationId };
  return (await models.agreement.count({ where, take: agreementsAtMost })) === agreementsAtMost;
}

async function isBoughtThere(
  client: TenantSession,
  { seller, mediaBuyId = '' }: { readonly seller: string; readonly mediaBuyId?: string },
): Promise<boolean> {
  const where = { organization_id: client.organizationId, media_buy_id: mediaBuyId, seller };
  return (await client.models.seller_buy.count({ where })) > 0;
}
