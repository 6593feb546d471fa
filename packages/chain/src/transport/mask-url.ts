const HIDDEN = '***'
/** Path segments this long may be API keys, which nodes repeat in error texts. */
const KEY_LENGTH = 8

/** Returns a URL that is safe for logs and errors: credentials, path and query hidden. */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return HIDDEN
  const url = new URL(text)
  const secret = url.pathname.length > 1 || url.search !== '' || url.username !== '' || url.password !== ''
  return `${url.protocol}//${url.host}${secret ? `/${HIDDEN}` : ''}`
}

/** Removes an endpoint's secrets from a text of it, or of a proxy before it, and cuts it to one short line. */
export function maskText(text: string, endpointUrl: string): string {
  const url = new URL(endpointUrl)
  const parts = [...url.pathname.split('/'), ...url.searchParams.values(), url.username, url.password]
  const secrets = parts.filter((part) => part.length >= KEY_LENGTH)
  const bare = secrets.reduce((masked, secret) => masked.replaceAll(secret, HIDDEN), text)
  const masked = bare.replace(/(?:https?|wss?):\/\/[^\s"'<>]+/gi, (found) => maskUrl(found))
  return masked.replace(/\s+/g, ' ').trim().slice(0, 300)
}
