import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  ID_TOKEN_AUDIENCE,
  type IdTokenRequest,
  mintIdToken,
  readIssuerKeys,
  TOKEN_ALGORITHMS,
  type TokenAlgorithm,
} from '@truetally/processes';
import { DEMO_SUBJECTS } from '../demo/demo-members.js';
import { localFolder } from '../stack/local-folder.js';
import { readPrivateJson } from '../stack/private-file.js';

const FAILED = 1;
const OPTIONS = {
  sub: { type: 'string', default: DEMO_SUBJECTS.owner },
  email: { type: 'string' },
  'email-unverified': { type: 'boolean', default: false },
  aud: { type: 'string', default: ID_TOKEN_AUDIENCE },
  iss: { type: 'string' },
  expires: { type: 'string' },
  'not-before': { type: 'string' },
  alg: { type: 'string' },
  kid: { type: 'string' },
  without: { type: 'string', multiple: true },
} as const;

/**
 * `npm run token`: prints only an ID token of the local issuer to standard output; also an invalid one, to test
 * its refusal. `--email` is an address, as verified by the issuer, or as unverified with `--email-unverified`.
 * `--expires` and `--not-before` are seconds from now (`--expires=-60` is past), `--without` names a claim to
 * omit.
 * @returns the exit code
 */
export async function runToken(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    const { path, stackFile, issuerKeys } = localFolder(environment);
    const stack = readPrivateJson(stackFile) as { oidc_issuer: string } | null;
    if (stack === null || !existsSync(issuerKeys)) {
      throw new Error(`No stack runs in ${path}: start one with "npm start".`);
    }
    const request = readRequest(parameters, stack.oidc_issuer);
    console.log(await mintIdToken(readIssuerKeys(issuerKeys), request));
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return FAILED;
  }
}

/** @throws Error naming the invalid argument */
function readRequest(parameters: readonly string[], issuer: string): IdTokenRequest {
  const { values } = parseArgs({ args: [...parameters], options: OPTIONS });
  const { sub, email, aud, iss = issuer, alg, kid, expires, without } = values;
  const notBefore = values['not-before'];
  return {
    iss,
    aud,
    sub,
    ...(email === undefined ? {} : { email, emailVerified: !values['email-unverified'] }),
    ...(expires === undefined ? {} : { expiresInSeconds: readSeconds('expires', expires) }),
    ...(notBefore === undefined ? {} : { notBeforeSeconds: readSeconds('not-before', notBefore) }),
    ...(alg === undefined ? {} : { alg: readAlgorithm(alg) }),
    ...(kid === undefined ? {} : { kid }),
    ...(without === undefined ? {} : { without }),
  };
}

function readSeconds(name: string, text: string): number {
  if (!/^-?\d{1,10}$/.test(text)) throw new Error(`--${name} must be a whole number of seconds from now.`);
  return Number(text);
}

function readAlgorithm(text: string): TokenAlgorithm {
  const algorithm = TOKEN_ALGORITHMS.find((known) => known === text);
  if (algorithm === undefined) throw new Error(`--alg must be one of ${TOKEN_ALGORITHMS.join(', ')}.`);
  return algorithm;
}
