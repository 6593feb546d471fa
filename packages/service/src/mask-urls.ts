import { maskHost } from '@dexfeed/dex'

/** Matches scheme, user and password, host and port, and the rest up to what cannot be part of a URL in JSON. */
const URLS = /\b(https?|wss?|postgres(?:ql)?|rediss?):\/\/(?:[^\s"\\/?#]*@)?([^\s"\\/?#@,]*)([^\s"\\]*)/gi

const PUNCTUATION = /^[,;)]*$/

/** Cuts every URL down to scheme, host and port: keys are in the user part, the path and the query. */
export function maskUrls(text: string): string {
  return text.replace(URLS, (_, scheme: string, host: string, rest: string) => {
    const shown = rest === '/' ? '' : PUNCTUATION.test(rest) ? rest : '/***'
    return `${scheme}://${maskHost(host)}${shown}`
  })
}
