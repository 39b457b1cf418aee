import { bookCodeList } from './finance/book-code.list.js';
import { termList } from './finance/term.list.js';
import { journalBatchList } from './finance/journal-batch.list.js';
import { rateList } from './spending/rate.list.js';
import { anchorList } from './ledger/anchor.list.js';
import { stopList } from './tenancy/stop.list.js';
import { grantList } from './tenancy/grant.list.js';
import { refusedSignatureList } from './signing/refused-signature.list.js';
import { invitationList } from './tenancy/invitation.list.js';
import { delegationList } from './relay/delegation.list.js';
import { accountList } from './tenancy/account.list.js';
import { alarmList } from './signing/alarm.list.js';
import { signerList } from './signing/signer.list.js';
import { invoiceList } from './finance/invoice.list.js';
import { clientInvoiceList } from './billing/client-invoice.list.js';
import { noteList } from './campaigns/note.list.js';
import { planList } from './campaigns/plan.list.js';
import { brandList } from './campaigns/brand.list.js';
import { clientList } from './campaigns/client.list.js';
import { contactList } from './sellers/contact.list.js';
import { declarationList } from './sellers/declaration.list.js';
import { caseList } from './governance/case.list.js';
import { disputeList } from './finance/dispute.list.js';
import { paymentRunList } from './finance/payment-run.list.js';
import { insertionOrderList } from './billing/insertion-order.list.js';
import { agreementList } from './finance/agreement.list.js';
import { toleranceList } from './finance/tolerance.list.js';
import { deliveryList } from './notices/delivery.list.js';
import { endpointList } from './notices/endpoint.list.js';
import { teamList } from './tenancy/team.list.js';

/** Every declared list: the check of plans and the specs of lists go through them. */
export const lists = {
  bookCodeList,
  termList,
  journalBatchList,
  rateList,
  anchorList,
  stopList,
  grantList,
  refusedSignatureList,
  invitationList,
  delegationList,
  accountList,
  alarmList,
  brandList,
  caseList,
  clientInvoiceList,
  clientList,
  contactList,
  declarationList,
  deliveryList,
  disputeList,
  endpointList,
  invoiceList,
  noteList,
  paymentRunList,
  planList,
  signerList,
  teamList,
  insertionOrderList,
  agreementList,
  toleranceList,
} as const;
