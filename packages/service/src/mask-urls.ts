import { maskHost } from '@dexfeed/dex'

const URLS = /\b(https?|wss?|postgres(?:ql)?|rediss?):\/\/(?:[^\s"\\/?#]*@)?([^\s"\\/?#@,]*)([^\s"\\]*)/gi

const PUNCTUATION = /^[,;)]*$/

/** Cuts every URL down to scheme, host and port: keys are in the user part, the path and the query. */
export function maskUrls(text: string): string {
  return text.replace(URLS, (_, scheme: string, host: string, rest: string) => {
    const shown = rest === '/' ? '' : PUNCTUATION.test(rest) ? rest : '/***'
    return `${scheme}://${maskHost(host)}${shown}`
  })
}
