import type { BlockHeader, Hex } from '@dexfeed/dex'
import { type EndpointPool, isTooOld, type Session } from '../endpoints/endpoint-pool.ts'
import { ChainError } from '../errors/chain-error.ts'
import { blockRequest, headerRequest, type RpcRequest } from '../json-rpc/messages.ts'
import { readHeader } from '../json-rpc/rpc-block.ts'

export function fetchHeader(session: Session, number: number): Promise<BlockHeader | null> {
  return headerBy(session, number, headerRequest(number))
}

/** Requests the block with its transactions, because a header is easy to make up. */
export function fetchWholeBlock(session: Session, number: number): Promise<BlockHeader | null> {
  return headerBy(session, number, blockRequest(number))
}

async function headerBy(session: Session, number: number, request: RpcRequest): Promise<BlockHeader | null> {
  const [reply] = (await session.send([request])).replies
  const failure = reply ? session.failure(request, reply) : null
  if (failure && failure.verdict.kind !== 'not-yet') throw failure
  return headerAt(session, number, reply && 'result' in reply ? reply.result : null)
}

export async function fetchPresentHeader(session: Session, number: number): Promise<BlockHeader> {
  return presentOr(session, number, await fetchHeader(session, number))
}

export function headerAt(session: Session, number: number, result: unknown): BlockHeader | null {
  const header = readHeader(result)
  if (header && header.number !== number) throw session.inconsistent(`requested block ${number}, got ${header.number}`)
  return header
}

export function expectHeader(session: Session, number: number, result: unknown): BlockHeader {
  return presentOr(session, number, headerAt(session, number, result))
}

function presentOr(session: Session, number: number, header: BlockHeader | null): BlockHeader {
  if (header === null) throw session.missing(`block ${number}`)
  return header
}

/**
 * Returns null if the node does not have the block (yet), or if all nodes have pruned it. With `anyEndpoint`, returns
 * the header from the most preferred endpoint that has it.
 */
export type ReadHeader = (number: number, options?: { anyEndpoint?: boolean }) => Promise<BlockHeader | null>

export async function headerIfKept(pool: EndpointPool, number: number): Promise<BlockHeader | null> {
  try {
    return await pool.run({ what: `block ${number}`, priority: 'live' }, (session) => fetchHeader(session, number))
  } catch (error) {
    if (isTooOld(error)) return null
    throw error
  }
}

export async function headerFromAny(pool: EndpointPool, number: number): Promise<BlockHeader | null> {
  const found = await headerIfKept(pool, number)
  if (found !== null || pool.endpoints.length === 1) return found
  for (const endpoint of pool.endpoints) {
    try {
      const header = await pool.once(endpoint, 'live', (session) => fetchHeader(session, number))
      if (header !== null) return header
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
    }
  }
  return null
}

export interface HashesAt {
  hashes: (Hex | null)[]
  /** Number of endpoints that do not respond or serve another chain. */
  silent: number
}

export async function hashesAt(pool: EndpointPool, number: number): Promise<HashesAt> {
  const responses = await Promise.all(
    pool.endpoints.map(async (endpoint) => {
      endpoint.chain = 'unchecked'
      try {
        return [
          await pool.once(endpoint, 'live', async (session) => (await fetchHeader(session, number))?.hash ?? null),
        ]
      } catch (error) {
        if (!(error instanceof ChainError)) throw error
        return []
      }
    }),
  )
  const hashes = responses.flat()
  return { hashes, silent: responses.length - hashes.length }
}
