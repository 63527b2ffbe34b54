import { SESSION_MS } from './limits.js';
import type { Platform } from './platform.js';
import type { Store } from './store.js';

export interface Visitor {
  /** Ids of the session and the device, which last as long as the store does. */
  identity(): {
    readonly session_id: string;
    readonly device_id: string;
    readonly user_id: string | undefined;
  };
  identify(userId: string | null): void;
  /** Whether there has been an event since the storage was last cleared. */
  isKnown(): boolean;
}

/** Key of the device. */
export const DEVICE = 'device';
const SESSION = 'session';

/** The visitor of a site, the same in every tab. */
export function openVisitor(platform: Platform, store: Store): Visitor {
  /** `<id> <last seen> <user id>` */
  const session = (): { readonly id: string; readonly user: string } => {
    const [id = '', seenMs, ...user] = store.wordsOf(SESSION);
    const ageMs = platform.clock() - Number(seenMs);
    return id && ageMs < SESSION_MS ? { id, user: user.join(' ') } : { id: platform.newId(), user: '' };
  };
  const keep = (id: string, user: string): void => store.write(SESSION, `${id} ${platform.clock()} ${user}`);
  return {
    identity() {
      const { id, user } = session();
      keep(id, user);
      const device = store.read(DEVICE) ?? platform.newId();
      store.write(DEVICE, device);
      return { session_id: id, device_id: device, user_id: user || undefined };
    },
    isKnown: () => !!store.read(DEVICE),
    identify: (userId) => keep(session().id, String(userId ?? '')),
  };
}
