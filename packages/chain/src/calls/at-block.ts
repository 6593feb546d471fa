import type { BlockHeader, Hex } from '@dexfeed/dex'
import type { Session } from '../endpoints/session.ts'
import { EndpointFailure } from '../errors/endpoint-failure.ts'
import { headerRequest } from '../json-rpc/requests.ts'
import { readHeader } from '../json-rpc/rpc-block.ts'
import { toQuantity } from '../json-rpc/rpc-value.ts'

/** The block that all calls are made at. */
export type CallBlock = { hash: Hex } | { number: number }

/** Runs `work` with the block parameter that the node takes: by hash, or by number if that is the same block throughout. */
export async function atBlock(session: Session, block: CallBlock, work: (at: unknown) => Promise<void>): Promise<void> {
  if ('number' in block) return work(toQuantity(block.number))
  if (session.endpoint.callsByHash) {
    try {
      return await work({ blockHash: block.hash })
    } catch (error) {
      if (!(error instanceof EndpointFailure) || !refusesBlockHash(error)) throw error
      session.endpoint.callsByHash = false
    }
  }
  const { results } = await session.ask([{ method: 'eth_getBlockByHash', params: [block.hash, false] }])
  const header = readHeader(results[0])
  if (!header) throw session.missing(`block ${block.hash}`, 'eth_getBlockByHash')
  await checkCanonical(session, header)
  await work(toQuantity(header.number))
  await checkCanonical(session, header)
}

async function checkCanonical(session: Session, { number, hash }: BlockHeader): Promise<void> {
  const { results } = await session.ask([headerRequest(number)])
  const now = readHeader(results[0])
  if (!now) throw session.missing(`block ${number}`)
  if (now.hash !== hash) throw session.inconsistent(`block ${number} is ${now.hash}, the calls are for ${hash}`)
}

/** EIP-1898 is not known to the node: it cannot read an object where it expects a number. */
function refusesBlockHash({ method, code, verdict, message }: EndpointFailure): boolean {
  if (method !== 'eth_call' || verdict.kind !== 'other') return false
  return (
    code === -32602 || code === -32600 || /unmarshal|invalid (argument|params?|type)|hex string|expected/i.test(message)
  )
}
