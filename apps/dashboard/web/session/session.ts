import { renewalWaitMs } from '../domain/renewal-wait.js';
import type { SignIn, Tokens } from './sign-in.js';

const MS_PER_SECOND = 1000;
const RETRY_MS = 5_000;
/** Several tabs of one browser: a sign-out ends them all. No token is ever in a message. */
const CHANNEL = 'truetally:session';

/** Who is signed in, and the ID token that requests carry. It times the ID token, not the access token. */
export class Session {
  private tokens: Tokens;
  private renewal: Promise<void> | undefined;
  private timer: number | undefined;
  /** What the page shows once, each until it is closed. */
  private readonly shown = new Set<Promise<void>>();
  private readonly channel = new BroadcastChannel(CHANNEL);

  /** @param onEnd takes away what is shown: the issuer may not answer for long */
  constructor(
    private readonly signIn: SignIn,
    tokens: Tokens,
    private readonly onEnd: () => void,
  ) {
    this.tokens = tokens;
    this.channel.onmessage = () => this.end();
    // A page out of the back/forward cache would show what a sign-out has ended.
    window.addEventListener('pageshow', ({ persisted }) => {
      if (persisted) location.reload();
    });
    this.plan();
  }

  get user(): string {
    return this.tokens.claims.sub;
  }

  /** How the page names who is signed in. */
  get name(): string {
    const { name, email, sub } = this.tokens.claims;
    return typeof name === 'string' ? name : typeof email === 'string' ? email : sub;
  }

  /** A token that has not ended; all who wait share one renewal. */
  async idToken(): Promise<string> {
    if (this.leftMs() <= 0) await this.renew();
    return this.tokens.idToken;
  }

  signOut(): void {
    this.channel.postMessage('signed out');
    this.end();
  }

  /**
   * The service does not take the token: the issuer decides who this is.
   * @returns whether the page leaves for it: where it is away, too, the screen says what was refused
   */
  askAgain(): Promise<boolean> {
    return this.leave().catch(() => false);
  }

  /**
   * The page stays where it is until the returned function is called: what it shows once would be lost, and nobody could have
   * it again. What needs a new token waits.
   */
  stay(): () => void {
    let close = (): void => undefined;
    const closed = new Promise<void>((resolve) => (close = resolve));
    this.shown.add(closed);
    return () => {
      this.shown.delete(closed);
      close();
    };
  }

  private end(): void {
    this.channel.close();
    window.clearTimeout(this.timer);
    this.onEnd();
    void this.signIn.signOut(this.tokens);
  }

  private async leave(): Promise<boolean> {
    while (this.shown.size > 0) await Promise.all(this.shown);
    return this.signIn.askSilently();
  }

  private leftMs(): number {
    return this.tokens.claims.exp * MS_PER_SECOND - Date.now();
  }

  private plan(retryMs?: number): void {
    window.clearTimeout(this.timer);
    const waitMs = retryMs ?? renewalWaitMs(this.tokens.claims, Date.now());
    this.timer = window.setTimeout(() => void this.renew().catch(() => this.plan(RETRY_MS)), waitMs);
  }

  private renew(): Promise<void> {
    this.renewal ??= this.renewOnce().finally(() => {
      this.renewal = undefined;
    });
    return this.renewal;
  }

  private async renewOnce(): Promise<void> {
    const { tokens, isRenewed } = await this.signIn.refresh(this.tokens);
    this.tokens = tokens;
    if (!isRenewed) {
      if (!(await this.leave())) throw new Error('The issuer gives no token that lasts.');
      // The page is about to leave: nothing that waits may go on with an old token.
      return new Promise(() => undefined);
    }
    this.plan();
  }
}
