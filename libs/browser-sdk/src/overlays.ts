import { MS_PER_SECOND, MS_PER_HOUR } from './limits.js';
import type { Campaign, Overlay } from './campaigns.js';
import type { Tools } from './client.js';
import { openQuiz } from './quiz.js';
import { button, element, openSurface } from './surface.js';

export type StartOverlays = (tools: Tools, overlays: readonly Campaign<Overlay>[]) => () => void;

const WHOLE_PERCENT = 100;

/** Shows each overlay at its trigger, one at a time, and none more often than its cap allows. */
export const startOverlays: StartOverlays = (tools, overlays) => {
  const { store, prefix, platform } = tools;
  const ends = new Set<() => void>();
  const waiting: Campaign<Overlay>[] = [];
  let isShowing = false;
  const showNext = (): void => {
    const next = isShowing ? undefined : waiting.shift();
    if (next === undefined) return;
    const capKey = `${prefix}cap.${next.campaign_id}`;
    const capMs = (next.content.frequency_cap_hours ?? 0) * MS_PER_HOUR;
    // Asked here, because another tab may have shown it meanwhile.
    if (platform.now() - Number(store.get(capKey)) < capMs) return showNext();
    if (capMs > 0) store.set(capKey, String(platform.now()));
    isShowing = true;
    const end = showOverlay(tools, next, () => {
      ends.delete(end);
      isShowing = false;
      showNext();
    });
    ends.add(end);
  };
  for (const overlay of overlays) {
    const end = whenTriggered(overlay.content.trigger, () => {
      waiting.push(overlay);
      showNext();
    });
    ends.add(end);
  }
  return () => {
    for (const end of ends) end();
  };
};

/** @returns what ends the wait */
function whenTriggered(trigger: Overlay['trigger'], act: () => void): () => void {
  const { type, value = 0 } = trigger ?? {};
  const controller = new AbortController();
  const { signal } = controller;
  const end = (): void => controller.abort();
  const actOnce = (): void => {
    if (signal.aborted) return;
    end();
    act();
  };
  if (type === 'delay') setTimeout(actOnce, value * MS_PER_SECOND);
  else if (type === 'exit') {
    const onLeave = ({ relatedTarget, clientY }: MouseEvent): void => {
      if (relatedTarget === null && clientY <= 0) actOnce();
    };
    document.addEventListener('mouseout', onLeave, { signal });
  } else if (type === 'scroll') {
    const onScroll = (): void => {
      const { scrollHeight, clientHeight } = document.documentElement;
      if (scrollY * WHOLE_PERCENT >= value * (scrollHeight - clientHeight)) actOnce();
    };
    addEventListener('scroll', onScroll, { signal, passive: true });
    onScroll();
  } else queueMicrotask(actOnce);
  return end;
}

/** @returns what takes it away */
function showOverlay(
  tools: Tools,
  { campaign_id, content }: Campaign<Overlay>,
  closed: () => void,
): () => void {
  const { client, options } = tools;
  const { layout, title, body, cta, quiz } = content;
  const ids = { overlay_id: campaign_id, campaign_id };
  const { root, remove } = openSurface();
  const controller = new AbortController();
  let isTaken = false;
  const end = (): void => {
    controller.abort();
    remove();
  };
  const close = (): void => {
    if (controller.signal.aborted) return;
    if (!isTaken) client.track('overlay_dismiss', ids);
    // Gives the focus back to where it was.
    if (box instanceof HTMLDialogElement) box.close();
    end();
    closed();
  };
  const box = element(layout === 'modal' ? 'dialog' : 'section', {
    class: layout,
    'aria-labelledby': 'title',
  });
  box.append(
    button({ class: 'close', 'aria-label': options.labels?.close ?? 'Close' }, '×', close),
    element('h2', { id: 'title' }, title),
  );
  if (body) box.append(element('p', {}, body));
  if (cta && /^https?:/i.test(cta.url)) {
    const link = element('a', { class: 'cta', href: cta.url }, cta.label);
    link.addEventListener('click', () => {
      isTaken = true;
      client.track('overlay_click', ids);
      close();
    });
    box.append(link);
  }
  if (quiz) box.append(openQuiz(tools, ids, quiz, () => (isTaken = true)));
  root.append(box);
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && close(), controller);
  if (box instanceof HTMLDialogElement) {
    box.addEventListener('cancel', close);
    box.showModal();
  }
  client.track('overlay_impression', ids);
  return end;
}
