/* Before the first paint, so that a dark page never flashes light. Not inline: the policy of content allows no inline script. */
(function () {
  var kept;
  try {
    kept = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    kept = null;
  }
  var isDark = kept === 'dark' || (kept !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
})();
