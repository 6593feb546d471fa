import type { IncomingMessage } from 'node:http'
import proxyaddr from 'proxy-addr'

export interface Clients {
  /** Who asks: who connected, or, where proxies in front are trusted, whom the last of them saw. */
  clientOf(request: IncomingMessage): string
  /** Whether one that connects from there is a trusted proxy. */
  isProxy(address: string): boolean
}

/** @param trusted how many proxies stand in front, or which addresses they have; null: none */
export function clientsBehind(trusted: number | readonly string[] | null): Clients {
  const trust =
    typeof trusted === 'number'
      ? (_address: string, at: number) => at < trusted
      : proxyaddr.compile([...(trusted ?? [])])
  return { clientOf: (request) => proxyaddr(request, trust), isProxy: (address) => trust(address, 0) }
}
