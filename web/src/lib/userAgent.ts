const BROWSER_NAMES = [
  ['Edg/', 'Edge'],
  ['MicroMessenger/', '微信'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Version/', 'Safari'],
] as const;
const SYSTEM_NAMES = [
  ['Windows', 'Windows'],
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** A browser and its system in a few words; what is none stays as it came. */
export function describeUserAgent(agent: string | null | undefined): string {
  if (!agent) return '';
  const browser = BROWSER_NAMES.find(([mark]) => agent.includes(mark));
  const system = SYSTEM_NAMES.find(([mark]) => agent.includes(mark))?.[1];
  if (!browser) return agent.slice(0, 40);
  const version = /^\d+/.exec(agent.slice(agent.indexOf(browser[0]) + browser[0].length))?.[0] ?? '';
  return [`${browser[1]} ${version}`.trim(), system].filter(Boolean).join(' · ');
}
