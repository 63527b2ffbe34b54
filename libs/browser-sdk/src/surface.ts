/** An element with attributes and content; text is only ever text. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

/** A button with what it does. */
export function button(
  attributes: Readonly<Record<string, string>>,
  text: string,
  act: () => void,
): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', act);
  return made;
}

const STYLE =
  ':host{all:initial}' +
  '*{box-sizing:border-box;font:16px/1.5 system-ui,sans-serif}' +
  'dialog,section{border:1px solid #767676;border-radius:8px;padding:24px;background:#fff;color:#111;max-width:min(92vw,30em);max-height:80vh;overflow:auto}' +
  'section{position:fixed;z-index:2147483647;bottom:16px;left:16px}' +
  'section.banner{left:0;right:0;bottom:0;max-width:none}' +
  'section.chat,.open{position:fixed;z-index:2147483647;left:auto;right:16px;bottom:16px}' +
  'section.chat{bottom:80px;width:20em}' +
  'h2,h3{font-size:20px;font-weight:700;margin:0 56px 8px 0}h3{font-size:16px}p{white-space:pre-wrap;margin:0 0 12px;overflow-wrap:anywhere}' +
  'button,.cta{display:inline-block;min-height:44px;padding:8px 16px;margin:4px 8px 4px 0;border:1px solid #111;border-radius:6px;background:#fff;color:#111;text-decoration:none;cursor:pointer}' +
  '.cta,.open{background:#111;color:#fff}.close{float:right;margin:-12px}.mine{text-align:right}' +
  'input{width:100%;min-height:44px;padding:8px}[hidden]{display:none}:focus-visible{outline:3px solid #06c;outline-offset:2px}';

/**
 * A shadow root of its own at the end of the page: neither style reaches the other. Its style sheet is constructed,
 * because a strict policy allows no `<style>`.
 */
export function openSurface(): { readonly root: ShadowRoot; readonly remove: () => void } {
  const host = document.createElement('truetally-surface');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  document.body.append(host);
  return { root, remove: () => host.remove() };
}
