import {
  ID_TOKEN_AUDIENCE,
  type IssuerPlace,
  issuerUrl,
  mintIdToken,
  readIssuerKeys,
} from '@truetally/processes';
import { DEMO_SUBJECTS } from './demo-members.js';

/** ID tokens of the stack file: one of each demo member, valid for a day, and an expired one. */
export type DemoTokens = Readonly<Record<keyof typeof DEMO_SUBJECTS | 'expired', string>>;

const MS_PER_HOUR = 3_600_000;
const SECONDS_PER_HOUR = 3_600;
/** Tokens in the stack file are valid for at least another twelve hours. */
const RENEWAL_INTERVAL_MS = 12 * MS_PER_HOUR;

export async function mintDemoTokens(issuer: IssuerPlace): Promise<DemoTokens> {
  const keys = readIssuerKeys(issuer.keysFile);
  const mint = (sub: string, expiresInSeconds = 24 * SECONDS_PER_HOUR): Promise<string> =>
    mintIdToken(keys, { iss: issuerUrl(issuer), aud: ID_TOKEN_AUDIENCE, sub, expiresInSeconds });
  const { owner, admin, analyst, outsider } = DEMO_SUBJECTS;
  return {
    owner: await mint(owner),
    admin: await mint(admin),
    analyst: await mint(analyst),
    outsider: await mint(outsider),
    expired: await mint(owner, -SECONDS_PER_HOUR),
  };
}

/** Calls `renew` with new tokens as long as the stack runs. */
export function renewDemoTokens(
  issuer: IssuerPlace,
  renew: (tokens: DemoTokens) => void,
  stopped: Promise<unknown>,
  intervalMs = RENEWAL_INTERVAL_MS,
): void {
  let isStopped = false;
  const timer = setInterval(() => {
    void mintDemoTokens(issuer).then((tokens) => {
      if (!isStopped) renew(tokens);
    });
  }, intervalMs);
  timer.unref();
  void stopped.then(() => {
    isStopped = true;
    clearInterval(timer);
  });
}
