import { AsyncLocalStorage } from 'node:async_hooks';
import { type Attributes, type Span, type Tracing } from './tracing.js';

/** The current spans: one for a request, several for a batch with several traced requests. */
export interface ActiveSpans {
  /** Begins a child span of each; the returned function ends it. */
  begin(name: string, attributes: Attributes): (error?: string) => void;
}

const storage = new AsyncLocalStorage<ActiveSpans>();

/** Runs work within these spans: functions that it calls find them by `activeSpans`. */
export function whileActive<T>(tracing: Tracing, spans: readonly Span[], work: () => T): T {
  const active: ActiveSpans = {
    begin: (name, attributes) => {
      const parts = spans.map(({ traceparent }) => tracing.below('client', name, traceparent, attributes));
      return (error) => {
        for (const part of parts) part?.end({}, error);
      };
    },
  };
  return storage.run(active, work);
}

/** Undefined without tracing, at almost no cost. */
export function activeSpans(): ActiveSpans | undefined {
  return storage.getStore();
}
