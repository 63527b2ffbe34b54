import { AsyncLocalStorage } from 'node:async_hooks';
import { type Attributes, type Span, type Tracing } from './tracing.js';

/** The spans that are worked on: one for a request, several where a batch has several that are kept. */
export interface ActiveSpans {
  /** Begins a part of each; what is returned ends it. */
  begin(name: string, attributes: Attributes): (error?: string) => void;
}

const storage = new AsyncLocalStorage<ActiveSpans>();

/** Does work for these spans: what it calls finds them by `activeSpans`. */
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

/** Undefined where nothing is traced, which costs next to nothing. */
export function activeSpans(): ActiveSpans | undefined {
  return storage.getStore();
}
