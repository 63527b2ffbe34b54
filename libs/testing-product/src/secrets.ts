import { randomBytes } from 'node:crypto';
import { SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import { type ProductSecrets } from './services.js';

const SECRET_BYTES = 32;

/** Random secrets for an installation. */
export function newProductSecrets(): ProductSecrets {
  return {
    rolePasswords: rolePasswords({}),
    adminSecret: secret(),
    workerSecret: workerSecret(),
    runtimeTokenSecret: secret(),
  };
}

/** Completes the secrets of an installation with fewer services by creating the missing ones. */
export function completeProductSecrets(kept: ProductSecrets): ProductSecrets {
  const { workerSecret: known = workerSecret() } = kept as Partial<ProductSecrets>;
  return { ...kept, workerSecret: known, rolePasswords: rolePasswords(kept.rolePasswords) };
}

function rolePasswords(kept: Partial<Record<ServiceName, string>>): Record<ServiceName, string> {
  const passwords = SERVICE_NAMES.map((service) => [service, kept[service] ?? secret()] as const);
  return Object.fromEntries(passwords) as Record<ServiceName, string>;
}

function workerSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

function secret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}
