import { openFaultyLink } from '@truetally/testing';

/** A proxy that passes on only the first bytes of each response. */
export interface StallingProxy {
  readonly endpoint: string;
  /** For connections opened from now on; nothing is closed after them. */
  answerBytes: number;
  stop(): Promise<void>;
}

export async function startStallingProxy(endpoint: string): Promise<StallingProxy> {
  const link = await openFaultyLink(new URL(endpoint).host, () => {
    let leftBytes = proxy.answerBytes;
    return (bytes) => {
      const passed = bytes.subarray(0, leftBytes);
      leftBytes -= passed.length;
      return passed;
    };
  });
  const proxy: StallingProxy = {
    endpoint: `http://${link.address}`,
    answerBytes: Infinity,
    stop: () => link.close(),
  };
  return proxy;
}
