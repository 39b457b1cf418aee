-- What the authorization server keeps: clients, requests under way, codes, refresh tokens and what people have agreed to.
-- It is found by the hash of a secret before any tenant is known, and a client may serve people of many organizations:
-- the tables stand outside of tenancy, as instance_note does. `account` names the person alone.
CREATE TABLE "oauth_artifact" (
    "model" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "grant_id" TEXT,
    "uid" TEXT,
    "account" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "consumed_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_artifact_pkey" PRIMARY KEY ("model", "id")
);

CREATE INDEX "oauth_artifact_by_grant" ON "oauth_artifact" ("grant_id");
CREATE INDEX "oauth_artifact_by_uid" ON "oauth_artifact" ("model", "uid");
CREATE INDEX "oauth_artifact_by_account" ON "oauth_artifact" ("account", "created_at");
CREATE INDEX "oauth_artifact_by_expiry" ON "oauth_artifact" ("expires_at");

-- Keys that sign access tokens. The private half lies in the vault of one organization, the one that runs the instance.
CREATE TABLE "oauth_key" (
    "kid" TEXT NOT NULL,
    "custodian" UUID NOT NULL,
    "credential_id" UUID NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "signs_from" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "oauth_key_pkey" PRIMARY KEY ("kid")
);

CREATE UNIQUE INDEX "oauth_key_signs_from" ON "oauth_key" ("signs_from");
