type What = Readonly<Record<string, string | ((event: never) => void)>>;

/** An element with attributes, what it does on events, and content; text is only ever text. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  what: What,
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(what)) {
    if (typeof value === 'string') made.setAttribute(key, value);
    else made.addEventListener(key, value as EventListener);
  }
  made.append(...content);
  return made;
}

const MIDDLE_BUTTON = 1;

/**
 * A link; content alone where the address is none that a page may open.
 * @param follow called when it is opened, in this tab or another
 */
export function link(
  url: string | null,
  follow: () => void,
  kind: string,
  ...content: readonly (Node | string)[]
): HTMLElement {
  const click = ({ button }: MouseEvent): void => {
    if (button <= MIDDLE_BUTTON) follow();
  };
  const isSafe = url && /^https?:/i.test(url);
  return element('a', isSafe ? { class: kind, click, auxclick: click, href: url } : {}, ...content);
}

/** What closes something on Escape. */
export const onEscape =
  (close: () => void) =>
  ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') close();
  };

const STYLE =
  ':host{all:initial;display:contents}*{box-sizing:border-box;font:16px/1.5 system-ui;color:#111;background:#fff;overflow-wrap:anywhere}' +
  'dialog,section,button,.cta,input{border:1px solid;border-radius:12px;padding:12px;max-width:min(90vw,30em)}' +
  'section,.open{position:fixed;z-index:999999999;bottom:12px;left:12px;overflow:auto;max-height:calc(100% - 6em)}' +
  '.banner{right:12px;max-width:none}.chat,.open{left:auto;right:12px}.chat{bottom:5em}' +
  'h2,h3,b{font-weight:700}p{white-space:pre-wrap}button,.cta{display:inline-block;margin:4px}' +
  '.cta,.open{background:#111;color:#fff}.close{float:right}.mine{text-align:end}' +
  'ul{display:flex;gap:12px;overflow:auto}li,img,b,input{display:block;width:100%}li{flex:0 0 10em}';

/**
 * A shadow root of its own at the end of the place: neither style reaches the other. Its style sheet is constructed,
 * because a strict policy allows no `<style>`.
 * @returns what takes it away
 */
export function openSurface(place: Element, ...content: readonly Node[]): () => void {
  const host = document.createElement('truetally-surface');
  const root = host.attachShadow({ mode: 'open' });
  const style = element('style', {}, STYLE);
  // Safari before 16.4 constructs none.
  if ((root as Partial<ShadowRoot>).adoptedStyleSheets) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style.innerText);
    root.adoptedStyleSheets = [sheet];
  } else root.append(style);
  root.append(...content);
  place.append(host);
  return () => host.remove();
}
