import type { Address } from '@dexfeed/dex'
import type { EndpointPool } from '../endpoints/endpoint-pool.ts'
import { isTooOld } from '../endpoints/operation-failure.ts'
import { readBytes, toQuantity } from '../json-rpc/rpc-value.ts'

/**
 * Whether a contract had code at a block (`eth_getCode`). Null: no endpoint keeps the state of that block. Nothing
 * proves the answer: there are nodes that say of a state which they do not keep that it holds no code.
 */
export async function hasCode(pool: EndpointPool, address: Address, number: number): Promise<boolean | null> {
  const operation = { what: `code at block ${number}`, priority: 'bulk', method: 'eth_getCode' } as const
  try {
    return await pool.run(operation, async (session) => {
      const { results } = await session.ask([{ method: 'eth_getCode', params: [address, toQuantity(number)] }])
      return readBytes(results[0], 'eth_getCode result').length > 2
    })
  } catch (error) {
    if (isTooOld(error)) return null
    throw error
  }
}
