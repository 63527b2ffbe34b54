import './tokens.css';
import './base.css';
import { MutationCache, notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { signInAway } from './api/api-error.js';
import { createApi } from './api/request.js';
import { PATIENCE_MS } from './elements/loading.js';
import { SignedOut, SigningOut, SignInFailed } from './layout/signed-out.js';
import { router } from './routes.js';
import { type PageContext, PageContextProvider } from './session/page-context.js';
import { Session } from './session/session.js';
import { forgetSignedOut, isIssuerTold } from './session/session-store.js';
import { HOME, type PageConfiguration, SignIn, staysSignedOut } from './session/sign-in.js';

const STALE_MS = 30_000;

// A button is off before the second of two clicks: with the usual timer both would be sent.
notifyManager.setScheduler(queueMicrotask);

const element = document.getElementById('root');
if (element === null) throw new Error('The page has no root.');
const root = createRoot(element);
// It goes on when there is an answer after all.
const late = setTimeout(() => fail(new Error('The sign-in service does not answer.')), PATIENCE_MS);
begin().then(render, fail);

function fail(error: unknown): void {
  render(<SignInFailed error={error} onRetry={() => location.reload()} />);
}

function render(page: ReactNode): void {
  clearTimeout(late);
  root.render(page);
}

/** What the page shows. It never resolves where the page leaves for the issuer. */
async function begin(): Promise<ReactNode> {
  if (staysSignedOut()) return <SignedOut isIssuerTold={isIssuerTold()} onSignIn={signInAnew} />;
  const response = await fetch('/dashboard/config.json');
  const configuration = (await response.json()) as PageConfiguration;
  const signIn = await SignIn.open(configuration);
  const beginning = await signIn.begin();
  if (beginning.kind === 'leaving') return new Promise(() => undefined);
  return shown(configuration, new Session(signIn, beginning.tokens, () => render(<SigningOut />)));
}

function signInAnew(): void {
  forgetSignedOut();
  location.replace(HOME);
}

function shown(configuration: PageConfiguration, session: Session): ReactNode {
  const cache: QueryClient = new QueryClient({
    // Whoever has changed something sees no list from before on the next screen.
    mutationCache: new MutationCache({ onSuccess: () => cache.invalidateQueries({ refetchType: 'none' }) }),
    defaultOptions: {
      queries: { staleTime: STALE_MS, retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
      // A machine without a network is told so: nothing waits for it in secret, and is sent when it is back.
      mutations: { networkMode: 'always' },
    },
  });
  const api = createApi({
    baseUrl: configuration.api_base_url,
    idToken: () =>
      session.idToken().catch(() => {
        throw signInAway();
      }),
    onUnauthorized: () => void session.askAgain(),
    stay: () => session.stay(),
  });
  const context: PageContext = {
    api,
    session,
    apiBaseUrl: new URL(configuration.api_base_url, location.origin).href,
  };
  return (
    <StrictMode>
      <PageContextProvider value={context}>
        <QueryClientProvider client={cache}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </PageContextProvider>
    </StrictMode>
  );
}
