import { MS_PER_SECOND, MS_PER_HOUR } from './limits.js';
import type { Campaign, Overlay, Stage } from './campaign-types.js';
import type { Tools } from './client.js';
import { showOverlay } from './show-overlay.js';

const WHOLE_PERCENT = 100;

/** Shows each overlay at its trigger, one at a time, and none more often than its cap allows. */
export function startOverlays(tools: Tools, stage: Stage, overlays: readonly Campaign<Overlay>[]): void {
  const { store, platform, sender } = tools;
  const { ended } = sender;
  const waiting: Campaign<Overlay>[] = [];
  let isShowing = false;
  const showNext = (): void => {
    const next = isShowing || ended.aborted ? undefined : waiting.shift();
    if (!next) return;
    const capKey = `cap.${next.campaign_id}`;
    const capMs = (next.content.frequency_cap_hours ?? 0) * MS_PER_HOUR;
    // Asked here, because another tab may have shown it meanwhile.
    if (platform.clock() - Number(store.read(capKey)) < capMs) return showNext();
    if (capMs) store.write(capKey, String(platform.clock()));
    isShowing = true;
    const remove = showOverlay(stage, next, () => {
      isShowing = false;
      showNext();
    });
    ended.addEventListener('abort', remove);
  };
  for (const overlay of overlays) {
    let isOver = false;
    whenTriggered(overlay.content.trigger, () => {
      if (!isOver) waiting.push(overlay);
      isOver = true;
      showNext();
    });
  }
}

/** May call more than once. */
function whenTriggered(trigger: Overlay['trigger'], act: () => void): void {
  const { type, value = 0 } = trigger ?? {};
  if (type === 'exit') {
    addEventListener('mouseout', ({ relatedTarget, clientY }) => {
      if (!relatedTarget && clientY <= 0) act();
    });
  } else if (type === 'scroll') {
    const onScroll = (): void => {
      const { scrollHeight, clientHeight } = document.documentElement;
      // Nothing is reached of a page that does not scroll, or not yet: that is no number.
      if (scrollY / (scrollHeight - clientHeight) >= value / WHOLE_PERCENT) act();
    };
    addEventListener('scroll', onScroll);
    onScroll();
  } else setTimeout(act, type === 'delay' ? value * MS_PER_SECOND : 0);
}
