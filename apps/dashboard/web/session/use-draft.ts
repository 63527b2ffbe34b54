import { useCallback, useMemo, useState } from 'react';
import { keepDraft, readDraft, removeDraft } from './draft-store.js';
import { usePage } from './page-context.js';

/** A form in progress of who is signed in: what was kept of it before, and how it is kept and forgotten. */
export function useDraft<T extends object>(form: string) {
  const { session } = usePage();
  const place = useMemo(() => ({ user: session.user, form }), [session.user, form]);
  const [kept, setKept] = useState(() => readDraft<T>(place));
  const keep = useCallback((values: Partial<T>) => keepDraft(place, values), [place]);
  const forget = useCallback(() => {
    removeDraft(place);
    setKept(undefined);
  }, [place]);
  return { kept, keep, forget };
}
