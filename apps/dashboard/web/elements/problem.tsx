import { type ReactNode, useState } from 'react';
import { ApiError, isSignInAway } from '../api/api-error.js';
import { Countdown } from './countdown.js';
import style from './elements.module.css';

const TOO_MANY = 429;
const MOST_FAULTS = 20;

/** What failed in plain words, the request id to copy, and another try; the rest of the page stays. */
export function Problem({
  error,
  named = detailsOf(error),
  onRetry,
}: {
  readonly error: unknown;
  /** What is refused, by its path: of a form what stands at none of its fields. */
  readonly named?: readonly (readonly [string, readonly string[]])[];
  readonly onRetry?: () => void;
}) {
  const { title, text } = wordsOf(error);
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <div className={`${style['notice']} ${style['bad']}`} role="alert">
      <p>
        <strong>{title}</strong> {text}
      </p>
      {named.length > 0 && (
        <ul>
          {named.slice(0, MOST_FAULTS).map(([path, said]) => (
            <li key={path}>
              <code>{path}</code> {said.join('; ')}
            </li>
          ))}
          {named.length > MOST_FAULTS && <li>and {named.length - MOST_FAULTS} more</li>}
        </ul>
      )}
      {requestId !== undefined && (
        <p>
          Request <code>{requestId}</code>
        </p>
      )}
      {error instanceof ApiError && error.status === TOO_MANY && error.retryAfterMs > 0 && (
        <Allowance key={error.requestId} fromMs={error.retryAfterMs} />
      )}
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function detailsOf(error: unknown) {
  return error instanceof ApiError ? Object.entries(error.details) : [];
}

/** Until the hour’s allowance is new. */
function Allowance({ fromMs }: { readonly fromMs: number }) {
  const [endMs] = useState(() => Date.now() + fromMs);
  return (
    <p role="timer">
      <Countdown endMs={endMs} ended="It is new now.">
        {(left) => `It is new in ${left}.`}
      </Countdown>
    </p>
  );
}

/** @returns the title alone where the message would only repeat it */
function wordsOf(error: unknown): { readonly title: string; readonly text: string } {
  if (!(error instanceof ApiError)) return { title: 'Something went wrong.', text: String(error) };
  if (isSignInAway(error)) return { title: 'You cannot be signed in again for now.', text: error.message };
  switch (error.status) {
    case 0:
      return { title: 'The service could not be reached.', text: error.message };
    case 401:
      return {
        title: 'Your sign-in is not accepted.',
        text: `${error.message} Sign out and in again; if that changes nothing, tell whoever runs this installation.`,
      };
    case 403:
      return { title: 'Your role does not allow this.', text: error.message };
    case 404:
      return { title: 'Not found.', text: 'It does not exist in this workspace.' };
    case 429:
      return { title: 'The hourly allowance is used up.', text: error.message };
    case 503:
      return { title: 'The service is away for a moment.', text: 'Nothing was lost; try again.' };
    default:
      return { title: 'The service refused this.', text: error.message };
  }
}

export function Notice({ children }: { readonly children: ReactNode }) {
  return <div className={style['notice']}>{children}</div>;
}
