import type { Address, BlockHeader, Hex } from '@dexfeed/dex'
import { type EndpointPool, isTooOld, type Session } from '../endpoints/endpoint-pool.ts'
import { EndpointFailure } from '../errors/chain-error.ts'
import { headerRequest, type RpcRequest } from '../json-rpc/messages.ts'
import { readHeader } from '../json-rpc/rpc-block.ts'
import { readBytes, toQuantity } from '../json-rpc/rpc-value.ts'
import type { Call } from './multicall.ts'

export type CallBlock = { hash: Hex } | { number: number }

/**
 * Runs `work` at a block. If the node does not accept the hash, passes the number and checks that it is still the same
 * block.
 */
export async function atBlock(
  session: Session,
  block: CallBlock,
  work: (blockParameter: unknown) => Promise<void>,
): Promise<void> {
  if ('number' in block) return work(toQuantity(block.number))
  if (session.endpoint.callsByHash) {
    try {
      return await work({ blockHash: block.hash })
    } catch (error) {
      if (!(error instanceof EndpointFailure) || !refusesBlockHash(error)) throw error
      session.endpoint.callsByHash = false
    }
  }
  const { results } = await session.request([{ method: 'eth_getBlockByHash', params: [block.hash, false] }])
  const header = readHeader(results[0])
  if (!header) throw session.missing(`block ${block.hash}`, 'eth_getBlockByHash')
  await checkCanonical(session, header)
  await work(toQuantity(header.number))
  await checkCanonical(session, header)
}

async function checkCanonical(session: Session, { number, hash }: BlockHeader): Promise<void> {
  const { results } = await session.request([headerRequest(number)])
  const now = readHeader(results[0])
  if (!now) throw session.missing(`block ${number}`)
  if (now.hash !== hash) throw session.inconsistent(`block ${number} is ${now.hash}, the calls are for ${hash}`)
}

/** Whether the node lacks EIP-1898, so that it cannot parse an object in place of a block number. */
function refusesBlockHash({ method, code, verdict, message }: EndpointFailure): boolean {
  if (method !== 'eth_call' || verdict.kind !== 'other') return false
  return (
    code === -32602 || code === -32600 || /unmarshal|invalid (argument|params?|type)|hex string|expected/i.test(message)
  )
}

/** A call that cannot fail. If it succeeds where another call fails, that call itself is the reason. */
export const CONTROL: Call = { to: '0x0000000000000000000000000000000000000000', data: '0x' }

export function callRequest({ to, data }: Call, blockParameter: unknown): RpcRequest {
  return { method: 'eth_call', params: [{ to, data }, blockParameter] }
}

/**
 * Returns whether an address has code; null if no endpoint keeps that state. This is not proven: some nodes report no
 * code for a state that they do not keep.
 */
export type HasCode = (address: Address, number: number) => Promise<boolean | null>

export async function hasCode(pool: EndpointPool, address: Address, number: number): Promise<boolean | null> {
  const operation = { what: `code at block ${number}`, priority: 'bulk', method: 'eth_getCode' } as const
  try {
    return await pool.run(operation, async (session) => {
      const { results } = await session.request([{ method: 'eth_getCode', params: [address, toQuantity(number)] }])
      return readBytes(results[0], 'eth_getCode result').length > 2
    })
  } catch (error) {
    if (isTooOld(error)) return null
    throw error
  }
}
