import { maskHost } from '@dexfeed/dex'

/**
 * Matches scheme, user and password, host and port, and the rest up to what cannot be part of a URL in a line of JSON.
 */
const URLS = /\b(https?|wss?|postgres(?:ql)?|rediss?):\/\/(?:[^\s"\\/?#]*@)?([^\s"\\/?#@,]*)([^\s"\\]*)/gi

/** What follows a URL in a sentence. */
const PUNCTUATION = /^[,;)]*$/

/**
 * Returns the text with every URL cut down to scheme, host and port. Keys are in the user part, the path and the query
 * of RPC and database URLs.
 */
export function maskUrls(text: string): string {
  return text.replace(URLS, (_, scheme: string, host: string, rest: string) => {
    const shown = rest === '/' ? '' : PUNCTUATION.test(rest) ? rest : '/***'
    return `${scheme}://${maskHost(host)}${shown}`
  })
}
