import { createContext, useContext } from 'react';
import type { Api } from '../api/request.js';
import type { Session } from './session.js';

/** What every screen may use. */
export interface PageContext {
  readonly api: Api;
  readonly session: Session;
  /** For commands that are shown: absolute. */
  readonly apiBaseUrl: string;
}

const Context = createContext<PageContext | undefined>(undefined);

export const PageContextProvider = Context.Provider;

export function usePage(): PageContext {
  const context = useContext(Context);
  if (context === undefined) throw new Error('The page context is missing.');
  return context;
}
