import { useLayoutEffect, useState } from 'react';
import { type DefaultValues, type FieldValues, useForm } from 'react-hook-form';
import { useDraft } from '../session/use-draft.js';

interface Draft<T> {
  readonly values: Partial<T>;
  readonly version: number | undefined;
}

/**
 * A form that is kept while it is filled in, and comes back filled after a redirect to the issuer. `based` is the version that
 * it changes: a later one of the service is a conflict then, and not overwritten.
 */
export function useDraftedForm<T extends FieldValues>(name: string, start: T, version?: number) {
  const { kept, keep, forget } = useDraft<Draft<T>>(name);
  const [based, setBased] = useState(kept?.version ?? version);
  const form = useForm<T>({ defaultValues: { ...start, ...kept?.values } as DefaultValues<T> });
  const { watch } = form;
  // Before the browser paints: also what is typed into the first picture is kept.
  useLayoutEffect(() => {
    const subscription = watch((values) => keep({ values: values as Partial<T>, version: based }));
    return () => subscription.unsubscribe();
  }, [watch, keep, based]);
  return { form, based, setBased, forget };
}
