// While a release is rolled out, the server that is asked for the page's script may have that of the other release alone: the
// page is asked for again, and comes whole from either. A begun page has its own way to say what is missing.
const RELOADS = 5;
const PAUSE_MS = 1000;
const PERIOD_MS = 60_000;
const KEY = 'truetally:reloads';

addEventListener('error', reload, true);
// Its script has run by then, or is missing.
addEventListener('DOMContentLoaded', () => removeEventListener('error', reload, true));

function reload({ target }) {
  if (!(target instanceof HTMLScriptElement || target instanceof HTMLLinkElement)) return;
  try {
    const [count, sinceMs] = (sessionStorage.getItem(KEY) ?? '').split(' ').map(Number);
    const isRecent = Date.now() - sinceMs < PERIOD_MS;
    if (isRecent && count >= RELOADS) return;
    sessionStorage.setItem(KEY, isRecent ? `${count + 1} ${sinceMs}` : `1 ${Date.now()}`);
    setTimeout(() => location.reload(), PAUSE_MS);
  } catch {
    // A browser that refuses storage would not know when to stop.
  }
}
