import type { ApiKeyResource } from '@truetally/node';
import type { ReactNode } from 'react';
import { Countdown } from '../elements/countdown.js';
import style from '../elements/elements.module.css';
import { Instant } from '../elements/instant.js';

const DAY_MS = 86_400_000;
/** The longest overlap of a rotation. */
const COUNTED_MS = 7 * DAY_MS;

/** Whether requests with the key are answered, and until when. */
export function KeyState({ apiKey, zone }: { readonly apiKey: ApiKeyResource; readonly zone: string }) {
  const { revoked_at: revokedAt, expires_at: expiresAt } = apiKey;
  if (revokedAt !== null) return <Ended word="revoked" at={revokedAt} zone={zone} />;
  const active = <span className={style['badge']}>active</span>;
  if (expiresAt === null) return active;
  const endMs = Date.parse(expiresAt);
  const until = (
    <>
      {active} until <Instant at={expiresAt} zone={zone} />
    </>
  );
  if (endMs - Date.now() > COUNTED_MS) return until;
  const ended = <Ended word="expired" at={expiresAt} zone={zone} />;
  return (
    <Countdown endMs={endMs} ended={ended}>
      {(left) => (
        <>
          {until}, in <span role="timer">{left}</span>
        </>
      )}
    </Countdown>
  );
}

function Ended({ word, at, zone }: { readonly word: string; readonly at: string; readonly zone: string }) {
  return (
    <>
      <span className={`${style['badge']} ${style['warning']}`}>{word}</span> <Instant at={at} zone={zone} />
    </>
  );
}

/** What may be done with a key until it ends, also while it is shown. */
export function WhileInForce({
  apiKey: { revoked_at: revokedAt, expires_at: expiresAt },
  children,
}: {
  readonly apiKey: ApiKeyResource;
  readonly children: ReactNode;
}) {
  if (revokedAt !== null) return null;
  if (expiresAt === null) return children;
  return (
    <Countdown endMs={Date.parse(expiresAt)} ended={null}>
      {() => children}
    </Countdown>
  );
}
