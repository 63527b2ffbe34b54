import { randomBytes } from 'node:crypto';
import { SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import { type ProductSecrets } from './services.js';

const SECRET_BYTES = 32;

export function newProductSecrets(): ProductSecrets {
  return {
    rolePasswords: rolePasswords({}),
    adminSecret: secret(),
    runtimeTokenSecret: secret(),
  };
}

/** What was kept by an installation that knew fewer services, with what it lacks made new. */
export function completeProductSecrets(kept: ProductSecrets): ProductSecrets {
  return { ...kept, rolePasswords: rolePasswords(kept.rolePasswords) };
}

function rolePasswords(kept: Partial<Record<ServiceName, string>>): Record<ServiceName, string> {
  const passwords = SERVICE_NAMES.map((service) => [service, kept[service] ?? secret()] as const);
  return Object.fromEntries(passwords) as Record<ServiceName, string>;
}

function secret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}
