export { openTestStore } from './database/open-test-store.js';
export { createTestDatabase, type TestDatabase } from './database/create-test-database.js';
export { leasesByDatabase } from './database/template-cluster.js';
export { untilWaitedFor } from './database/until-waited-for.js';
export { makePastMonths } from './database/past-months.js';
export { wholeStream } from './database/whole-stream.js';
export { testClock, type TestClock } from './test-clock.js';
export { makeAuthority, type TestAuthority, type TestCertificate } from './certificates.js';
export { freePort } from './free-port.js';
export { startWebdavServer } from './webdav-server.js';
export { startRestAdServer, type RestAdServer } from './rest-ad-server.js';
export { readBody, startReceiver, startServer, type Receiver, type TestServer } from './start-server.js';
export { startMailServer, type MailServer, type ReceivedMail } from './mail-server.js';
export {
  browserClient,
  machineClient,
  signedClientId,
  sellerScope,
  startAuthorizationServer,
  type TestAuthorizationServer,
} from './oauth/authorization-server.js';
export { withoutPauses } from './without-pauses.js';
export { plainRequest } from './plain-request.js';
export { inTurn, isWholeMatrix, sampled, tellLeftOut } from './sampled.js';
export { seededRandom, type SeededRandom } from './seeded-random.js';
export { startKmsDouble, type KmsDouble } from './kms-double.js';
export {
  startAzureKeysDouble,
  startGoogleKmsDouble,
  startTransitDouble,
  type KeyServiceDouble,
} from './key-services.js';
export { keyManagementContract } from './vault/key-management-contract.js';
export { memoryKeyManagement, type MemoryKeyManagement } from './vault/memory-key-management.js';
export { credentialStoreContract, type CredentialStoreSubject } from './vault/credential-store-contract.js';
export { sealUnbound } from './vault/seal-unbound.js';
export { memoryCredentialStore, type MemoryCredentialStore } from './vault/memory-credential-store.js';
export {
  createConnection,
  createOrganization,
  createPrincipal,
  createScope,
  createToken,
} from './database/create-organization.js';
export { createBookedBuy, type BookedBuyRows } from './database/create-booked-buy.js';
export { draftedAt, makeOperation, type OperationOptions } from './buys/make-operation.js';
export { openSignalsHarness, type SignalsHarness } from './buys/signals-harness.js';
export { memoryActivationRepository } from './buys/memory-activation-repository.js';
export { activationRepositoryContract } from './buys/activation-repository-contract.js';
export { memoryOperationStore, type MemoryOperationStore } from './buys/memory-operation-store.js';
export { operationStoreContract } from './buys/operation-store-contract.js';
export type { OperationStoreSubject } from './buys/operation-store/operation-store-clause.js';
export { memorySeller, type Fate, type MemorySeller } from './sellers/memory-seller.js';
export {
  crashingStore,
  openBuyingHarness,
  type BuyingHarness,
  type HarnessSeller,
} from './buys/buying-harness.js';
export {
  publishedSchemas,
  releases,
  schemasAreThere,
  schemasOf,
  type Release,
  type Published,
  publishedReleases,
  type Schemas,
} from './wire/published-schemas.js';
export { deviations, openLists, unpublishedArms } from './wire/schema-table.js';
export { messageFaults, type Message } from './wire/judge-message.js';
export { tapTheWire, type Exchange } from './wire/wire-tap.js';
export { PublishedJudge } from './wire/published-judge.js';
export { wireTapInto } from './wire/wire-log.js';
export type { Side } from './wire/read-exchange.js';
export { judgeSuite, judgeWire } from './wire/wire-watch.js';
export { runCommand, type CommandRun } from './commands/command-host.js';
export { startNameServer } from './name-server.js';
export { modulesLoadedBy } from './modules-loaded.js';
export { callback, newVerifier, oauthKit, shownForm } from './oauth-kit.js';
export { createAuthenticator } from './authenticator.js';
export { createBrowser, type SpecBrowser } from './browser.js';
