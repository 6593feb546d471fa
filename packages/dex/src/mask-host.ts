const HIDDEN = '***'
/** At least eight letters and digits with a digit among them, or more letters than a word has. */
const KEY = /^(?:(?=.*\d)[a-z0-9_]{8,}|[a-z_]{20,})$/i
const NUMBERED_NAME = /^[a-z]{1,19}\d{1,3}$/i

/** Returns the parts of a host name that look like keys. The host name alone may grant access to a hosted node. */
export function keysInHost(host: string): string[] {
  if (host.startsWith('[')) return []
  const parts = host
    .split('.')
    .slice(0, -2)
    .flatMap((label) => label.split('-'))
  return parts.filter((part) => KEY.test(part) && !NUMBERED_NAME.test(part))
}

export function maskHost(host: string): string {
  return keysInHost(host).reduce((masked, key) => masked.replace(key, HIDDEN), host)
}
