import { ChainError, WrongChainId } from '../errors/chain-error.ts'
import { readQuantity } from '../json-rpc/rpc-value.ts'
import { askSocket } from '../transport/ask-socket.ts'
import { maskUrl } from '../transport/mask-url.ts'
import type { EndpointPool } from './endpoint-pool.ts'

export interface VerifyChainIdOptions {
  chainId: number
  socketUrls: readonly string[]
  timeoutMs: number
}

/** Asks every endpoint once for its chain. Throws WrongChainId; what does not answer is listed (masked) in `down`. */
export async function verifyChainId(
  pool: EndpointPool,
  { chainId, socketUrls, timeoutMs }: VerifyChainIdOptions,
): Promise<{ answering: number; down: string[] }> {
  const overHttp = pool.endpoints.map(async (endpoint) => {
    endpoint.chain = 'unchecked'
    try {
      await pool.once(endpoint, 'live', async () => undefined)
      return null
    } catch (error) {
      if (error instanceof WrongChainId || !(error instanceof ChainError)) throw error
      return endpoint.masked
    }
  })
  const overSocket = socketUrls.map(async (url) => {
    const actual = await askSocket(url, 'eth_chainId', timeoutMs)
      .then((result) => readQuantity(result, 'eth_chainId'))
      .catch(() => null)
    if (actual !== null && actual !== chainId) {
      throw new WrongChainId({ endpoint: maskUrl(url), expected: chainId, actual })
    }
    return actual === null ? maskUrl(url) : null
  })
  const [http, sockets] = await Promise.all([Promise.all(overHttp), Promise.all(overSocket)])
  const down = [...http, ...sockets].filter((url) => url !== null)
  return { answering: http.filter((url) => url === null).length, down }
}
