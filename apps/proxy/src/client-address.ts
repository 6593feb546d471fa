import type { IncomingMessage } from 'node:http'
import proxyaddr from 'proxy-addr'

/**
 * Tells who asks: who connected, or, where proxies in front are trusted, whom the last of them saw.
 *
 * @param trusted how many stand in front, or which addresses; null: none
 */
export function clientAddress(trusted: number | readonly string[] | null): (request: IncomingMessage) => string {
  const trust =
    typeof trusted === 'number'
      ? (_address: string, at: number) => at < trusted
      : proxyaddr.compile([...(trusted ?? [])])
  return (request) => proxyaddr(request, trust)
}
