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

/** The visitor of a site, the same in every tab. */
export function openVisitor(platform: Platform, store: Store, prefix: string): Visitor {
  const sessionKey = `${prefix}session`;
  const deviceKey = prefix + DEVICE;
  /** `<id> <last seen> <user id>` */
  const session = (): { readonly id: string; readonly user: string } => {
    const [id = '', seenMs, ...user] = store.wordsOf(sessionKey);
    const ageMs = platform.now() - Number(seenMs);
    return id && ageMs < SESSION_MS ? { id, user: user.join(' ') } : { id: platform.newId(), user: '' };
  };
  const keep = (id: string, user: string): void => store.set(sessionKey, `${id} ${platform.now()} ${user}`);
  return {
    identity() {
      const { id, user } = session();
      keep(id, user);
      const device = store.get(deviceKey) ?? platform.newId();
      store.set(deviceKey, device);
      return { session_id: id, device_id: device, user_id: user || undefined };
    },
    isKnown: () => !!store.get(deviceKey),
    identify: (userId) => keep(session().id, String(userId ?? '')),
  };
}
