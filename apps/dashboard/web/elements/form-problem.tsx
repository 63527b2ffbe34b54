import { useEffect, useRef } from 'react';
import { ApiError } from '../api/api-error.js';
import type { fieldErrors } from '../api/field-errors.js';
import { Problem } from './problem.js';

/**
 * What of a refusal stands at no field, above the form. The focus goes to the first field that is refused, else to what is said:
 * who has pressed the button at the end of a long form sees neither.
 */
export function FormProblem({
  error,
  refused: { rest, isFullyShown },
}: {
  readonly error: unknown;
  readonly refused: ReturnType<typeof fieldErrors>;
}) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error === null) return;
    const field = place.current?.closest('form')?.querySelector<HTMLElement>('[aria-invalid="true"]');
    (field ?? place.current)?.focus();
  }, [error]);
  // While it says nothing it takes no focus either: a dialog would begin with it instead of its first field.
  return (
    <div ref={place} tabIndex={error === null ? undefined : -1}>
      {error !== null && !isFullyShown && <Problem error={error} named={rest} />}
      {isFullyShown && error instanceof ApiError && (
        <p role="alert">
          The marked fields are refused. Request <code>{error.requestId}</code>
        </p>
      )}
    </div>
  );
}
