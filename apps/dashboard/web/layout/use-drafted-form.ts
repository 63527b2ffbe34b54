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
  const { reset } = form;
  /** Begins anew with what the service has. */
  const restart = (values: T, from: number | undefined): void => {
    reset(values);
    forget();
    setBased(from);
  };
  /** What was typed before and is not saved; undefined where there is none. */
  const restored = kept === undefined ? undefined : { discard: () => restart(start, version) };
  return { form, based, setBased, forget, restart, restored };
}
