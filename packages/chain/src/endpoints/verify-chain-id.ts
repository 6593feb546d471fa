import WebSocket from 'ws'
import { ChainError, WrongChainId } from '../errors/chain-error.ts'
import { readQuantity } from '../json-rpc/rpc-value.ts'
import { maskUrl } from '../transport/mask-url.ts'
import type { EndpointPool } from './endpoint-pool.ts'

export interface VerifyChainIdOptions {
  chainId: number
  socketUrls: readonly string[]
  timeoutMs: number
}

export async function verifyChainId(
  pool: EndpointPool,
  { chainId, socketUrls, timeoutMs }: VerifyChainIdOptions,
): Promise<{ responding: number; down: string[] }> {
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
    const actual = await requestOverSocket(url, 'eth_chainId', timeoutMs)
      .then((result) => readQuantity(result, 'eth_chainId'))
      .catch(() => null)
    if (actual !== null && actual !== chainId) {
      throw new WrongChainId({ endpoint: maskUrl(url), expected: chainId, actual })
    }
    return actual === null ? maskUrl(url) : null
  })
  const [http, sockets] = await Promise.all([Promise.all(overHttp), Promise.all(overSocket)])
  const down = [...http, ...sockets].filter((url) => url !== null)
  return { responding: http.filter((url) => url === null).length, down }
}

async function requestOverSocket(url: string, method: string, timeoutMs: number): Promise<unknown> {
  const socket = new WebSocket(url, { handshakeTimeout: timeoutMs, followRedirects: false, perMessageDeflate: false })
  const timer = setTimeout(() => socket.terminate(), timeoutMs)
  try {
    return await new Promise<unknown>((resolve, reject) => {
      let reason = new Error('closed without a response')
      socket.on('error', (error) => {
        reason = error
      })
      socket.on('close', () => reject(reason))
      socket.on('open', () => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })))
      socket.on('message', (data) => {
        try {
          const response: unknown = JSON.parse(String(data))
          if (typeof response === 'object' && response !== null && 'result' in response) resolve(response.result)
        } catch {
          reason = new Error('a response that is not JSON')
          socket.terminate()
        }
      })
    })
  } finally {
    clearTimeout(timer)
    socket.terminate()
  }
}
