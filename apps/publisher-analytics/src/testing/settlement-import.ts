import type { Keyring } from '@truetally/keyring';
import type { ObjectStore } from '@truetally/object-store';
import type { Pool } from 'pg';
import { SettlementImport } from '../import-settlements/import-settlements.js';
import { RowJudge } from '../import-settlements/judge-rows.js';
import { Uploads } from '../import-settlements/read-upload.js';
import { SettlementStore } from '../storage/settlement.store.js';
import { SiteScopes } from '../storage/site-scope.js';

/** The import of uploaded settlements as the service has it, beside which no other import is under way. */
export function settlementImportOf(pool: Pool, store: ObjectStore, keyring: Keyring): SettlementImport {
  return new SettlementImport({
    pool,
    uploads: new Uploads(store, { keyring }),
    settlements: new SettlementStore(new SiteScopes(() => 'UTC')),
    judge: new RowJudge({ keyring }, Date.now),
    relay: { wake: () => undefined },
    others: { isThere: () => Promise.resolve(false) },
    nowMs: Date.now,
  });
}
