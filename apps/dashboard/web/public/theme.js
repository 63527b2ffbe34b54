// Before the first paint, so that the page does not flash in the other scheme.
try {
  const scheme = localStorage.getItem('truetally:scheme');
  if (scheme === 'light' || scheme === 'dark') document.documentElement.dataset.scheme = scheme;
} catch {
  // A browser that refuses storage follows the system.
}
