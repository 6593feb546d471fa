import { keysInHost, maskHost } from '@dexfeed/dex'

const HIDDEN = '***'
const LONGEST_TEXT = 300
/** Keys of at least this length are hidden inside of words, too. */
const LONG_KEY = 8
const SHORTEST_KEY = 3
/** Parts of many URLs, and words of many texts, that are no keys; in lower case. */
const WORDS = new Set(
  'api archive bsc data datasets eth ethereum ext false finalized full http https json mainnet matic node polygon public rpc stream true wss'.split(
    ' ',
  ),
)
const NUMBER = /^v?\d{1,3}$/i
const URLS = /(?:https?|wss?):\/\/[^\s"'<>]+/gi
const CREDENTIALS = /\b(basic|bearer)\s+[\w+/=.~-]{6,}/gi
const ESCAPES = /(?:%[0-9a-f]{2})+/gi

/** Returns a URL that is safe for logs and errors: credentials, path, query and keys in the host hidden. */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return HIDDEN
  const { protocol, host, pathname, search, hash, username, password } = new URL(text)
  const isHidden = pathname.length > 1 || `${search}${hash}${username}${password}` !== ''
  return `${protocol}//${maskHost(host)}${isHidden ? `/${HIDDEN}` : ''}`
}

/**
 * Removes the secrets of an endpoint from a text of it, or of a proxy before it: as they are, encoded, decoded, in other
 * letter case, or cut off at the end of the text. Returns one short line.
 *
 * @param key sent beside the URL
 */
export function maskText(text: string, endpointUrl: string, key: string | null = null): string {
  const bare = unescaped(maskUrls(text.replaceAll('\\/', '/')))
  const secrets = secretsOf(new URL(endpointUrl), key)
  const hidden = hideEnd(hide(bare, secrets), secrets).replace(CREDENTIALS, `$1 ${HIDDEN}`)
  return maskUrls(hidden).replace(/\s+/g, ' ').trim().slice(0, LONGEST_TEXT)
}

function maskUrls(text: string): string {
  return text.replace(URLS, maskUrl)
}

/** Nodes and proxies encode what they repeat, some of them twice. */
function unescaped(text: string): string {
  const once = text.replace(ESCAPES, decoded)
  return once === text ? text : once.replace(ESCAPES, decoded)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns each secret in the forms that a decoded text can have, the longest first. */
function secretsOf(url: URL, key: string | null): string[] {
  const { pathname, search, hash, username, password } = url
  // Of a parameter its value, or its name if it has none.
  const values = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1) || pair.replace('=', ''))
  const parts = [
    ...pathname.split('/'),
    ...values,
    hash.slice(1),
    username,
    password,
    key ?? '',
    ...keysInHost(url.host),
  ]
  // A plus in a query may stand for a space.
  const secrets = parts
    .map(decoded)
    .flatMap((part) => [part, part.replaceAll('+', ' '), part.replaceAll(' ', '+')])
    .filter((part) => part.length >= SHORTEST_KEY && !WORDS.has(part.toLowerCase()) && !NUMBER.test(part))
  const encoded = [`${decoded(username)}:${decoded(password)}`, ...secrets].flatMap(inBase64)
  const written = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
  return [...new Set([...written, ...encoded])].sort((a, b) => b.length - a.length)
}

function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret)
  // Without padding, which may be missing.
  return secret === ':' ? [] : [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')]
}

function hide(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => {
    const literal = secret.replace(/[^\w]/g, '\\$&')
    const pattern = secret.length < LONG_KEY ? `(?<![a-z0-9])${literal}(?![a-z0-9])` : literal
    return masked.replace(new RegExp(pattern, 'gi'), HIDDEN)
  }, text)
}

/** A text may have been cut within a secret. */
function hideEnd(text: string, secrets: readonly string[]): string {
  const end = text.toLowerCase()
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= SHORTEST_KEY; length--) {
      if (end.endsWith(secret.slice(0, length).toLowerCase())) return `${text.slice(0, -length)}${HIDDEN}`
    }
  }
  return text
}
