import { randomBytes } from 'node:crypto';
import { type ProductSecrets } from './services.js';

const SECRET_BYTES = 32;

export function newProductSecrets(): ProductSecrets {
  const secret = (): string => randomBytes(SECRET_BYTES).toString('base64url');
  return {
    rolePasswords: { management: secret(), ingestion: secret(), gateway: secret() },
    adminSecret: secret(),
    runtimeTokenSecret: secret(),
  };
}
