import type { NetworkName } from '@dexfeed/dex'
import { ChainError } from '../errors/chain-error.ts'
import { maskUrl } from '../transport/mask-url.ts'

/** A network's URLs by what they serve. @throws ChainError where one is of neither kind, or no RPC is among them */
export function sortUrls({ network, urls }: { network: NetworkName; urls: readonly string[] }): {
  http: string[]
  sockets: string[]
} {
  const of = (pattern: RegExp): string[] =>
    urls.filter((url) => URL.canParse(url) && pattern.test(new URL(url).protocol))
  const [http, sockets] = [of(/^https?:$/), of(/^wss?:$/)]
  const bad = urls.filter((url) => !http.includes(url) && !sockets.includes(url))
  if (bad.length > 0) {
    const message = `${network}: not an http(s) or ws(s) URL: ${bad.map(maskUrl).join(', ')}`
    throw new ChainError(message, { retryable: false })
  }
  if (http.length === 0) {
    const message = `${network}: needs an http(s) RPC URL; WebSocket URLs only report new heads`
    throw new ChainError(message, { retryable: false })
  }
  return { http, sockets }
}
