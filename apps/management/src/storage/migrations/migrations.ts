import type { MigrationConstructor } from '@truetally/persistence';
import { WorkspacesSitesKeys1763600000000 } from './workspaces-sites-keys-1763600000000.js';

/** Every migration of the service, oldest first; one that has run anywhere is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [WorkspacesSitesKeys1763600000000];
