import { keysInHost, maskHost } from '@dexfeed/dex'

const HIDDEN = '***'
const LONGEST_TEXT = 300
/** Keys of at least this length are hidden even inside words. */
const LONG_KEY = 8
const SHORTEST_KEY = 3
const WORDS = new Set(
  'api archive bsc data datasets eth ethereum ext false finalized full http https json mainnet matic node polygon public rpc stream true wss'.split(
    ' ',
  ),
)
const NUMBER = /^v?\d{1,3}$/i
/** Number of characters to read from a text, which may have megabytes. */
const LONGEST_READ = 4_000
const URLS = /[a-z][a-z\d+.-]{1,20}:\/\/[^\s"'<>]+/gi
/** A host without a scheme, and what follows it. */
const HOSTS = /(?<![\w.:/%-])((?:\/\/)?(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?)(\/[^\s"'<>]*)?/gi
const LOGINS = /(?<![^\s"'/@:])[^\s"'/@:]+:[^\s"'/@]+@(?=[\w[])/g
const CREDENTIALS = /\b(basic|bearer)\s+[\w+/=.~-]{6,}/gi
/** Values of named keys that have a digit or are longer than words. */
const NAMED_KEYS =
  /((?:key|token|secret|passwd|password|pwd|auth|authorization)["']?\s*[=:]\s*["']?)(?!0x|basic\b|bearer\b)(?=[^\s"'&,;<>]*\d|[^\s"'&,;<>]{16})[^\s"'&,;<>]{6,}/gi
/** Names of parameters whose values are keys, whatever they look like. */
const KEY_NAME = /key|token|secret|pass|pwd|auth/i
const SEPARATORS = /[=;,:&@]/
const ESCAPES = /(?:%[0-9a-f]{2})+/gi
const UNICODE = /\\u([0-9a-f]{4})|&#x([0-9a-f]{1,5});/gi
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
}

/** Returns a URL that is safe for logs and errors: credentials, path, query and keys in the host are hidden. */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return HIDDEN
  const { protocol, host, pathname, search, hash, username, password } = new URL(text)
  const isHidden = pathname.length > 1 || `${search}${hash}${username}${password}` !== ''
  return `${protocol}//${maskHost(host)}${isHidden ? `/${HIDDEN}` : ''}`
}

/**
 * Removes an endpoint's secrets from a text sent by the endpoint or a proxy, whether they are verbatim, encoded,
 * decoded, in other letter case, or cut off. Also removes paths after hosts, logins, and values of named keys. Returns
 * one short line.
 *
 * @param key secret that is sent beside the URL
 */
export function maskText(text: string, endpointUrl: string, key: string | null = null): string {
  const bare = maskPlaces(unescaped(maskUrls(text.slice(0, LONGEST_READ).replaceAll('\\/', '/'))))
  const secrets = secretsOf(new URL(endpointUrl), key)
  const hidden = hideEnd(hide(bare, secrets), secrets)
  const others = hidden.replace(CREDENTIALS, `$1 ${HIDDEN}`).replace(NAMED_KEYS, `$1${HIDDEN}`)
  return others
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_TEXT)
}

function maskUrls(text: string): string {
  return text.replace(URLS, maskUrl)
}

function maskPlaces(text: string): string {
  return maskUrls(text)
    .replace(LOGINS, `${HIDDEN}@`)
    .replace(HOSTS, (_, host: string, rest = '') => `${maskHost(host)}${rest.length > 1 ? `/${HIDDEN}` : rest}`)
}

/** Decodes a text, because nodes and proxies encode what they repeat, some of them twice. */
function unescaped(text: string): string {
  const plain = text
    .replace(UNICODE, (_, json?: string, html?: string) =>
      String.fromCodePoint(Number.parseInt(json ?? html ?? '', 16)),
    )
    .replace(/&(?:amp|quot|#39|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll(/\p{Cf}/gu, '')
  const once = plain.replace(ESCAPES, decoded)
  return once === plain ? plain : once.replace(ESCAPES, decoded)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function secretsOf(url: URL, key: string | null): string[] {
  const { pathname, search, hash, username, password } = url
  const parameters = search.slice(1).split('&').map(parameterOf)
  const certain = [password, key ?? '', ...parameters.flatMap(({ name, value }) => (KEY_NAME.test(name) ? value : []))]
  const parts = [...pathname.split('/'), ...parameters.map(({ value }) => value)]
  const likely = [
    ...parts.flatMap((part) => [part, ...part.split(SEPARATORS)]),
    hash.slice(1),
    username,
    ...keysInHost(url.host),
  ]
  const secrets = [
    ...formsOf(certain),
    ...formsOf(likely).filter((part) => !WORDS.has(part.toLowerCase()) && !NUMBER.test(part)),
  ]
  const encoded = [`${decoded(username)}:${decoded(password)}`, ...secrets].flatMap(inBase64)
  const written = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
  return [...new Set([...written, ...encoded])].sort((a, b) => b.length - a.length)
}

/** Splits a query parameter. If it has no value, its name may be the key. */
function parameterOf(pair: string): { name: string; value: string } {
  const separator = pair.indexOf('=')
  const value = pair.slice(separator + 1)
  return value === ''
    ? { name: '', value: pair.replace('=', '') }
    : { name: pair.slice(0, Math.max(separator, 0)), value }
}

/** Returns the forms in which each part may appear: a plus in a query may stand for a space. */
function formsOf(parts: readonly string[]): string[] {
  return parts
    .map(decoded)
    .flatMap((part) => [part, part.replaceAll('+', ' '), part.replaceAll(' ', '+')])
    .filter((part) => part.length >= SHORTEST_KEY)
}

function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret)
  // The padding may be missing.
  return secret === ':' ? [] : [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')]
}

function hide(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => {
    const literal = secret.replace(/[^\w]/g, '\\$&')
    const pattern = secret.length < LONG_KEY ? `(?<![a-z0-9])${literal}(?![a-z0-9])` : literal
    return masked.replace(new RegExp(pattern, 'gi'), HIDDEN)
  }, text)
}

function hideEnd(text: string, secrets: readonly string[]): string {
  const end = text.toLowerCase()
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= SHORTEST_KEY; length--) {
      if (end.endsWith(secret.slice(0, length).toLowerCase())) return `${text.slice(0, -length)}${HIDDEN}`
    }
  }
  return text
}
