import type { Hex } from '../chain.ts'
import type { Dex, Pool, PoolAddress } from '../pool.ts'
import type { EthCall } from '../venues/protocol.ts'
import { candidatesOf, provePool } from '../venues/prove-pool.ts'
import { decode, decodersOf } from '../venues/registry.ts'
import { blockOfReceipt, hex, type RpcReceipt } from './rpc-receipt.ts'

/**
 * Runs one `eth_call`. Returns null if the contract reverts. Must throw if the node fails, because a missing response
 * does not show whether a contract is a pool.
 */
export type CallContract = (call: EthCall) => Promise<string | null>

interface ReceiptPools {
  /** Verified pools, for `receiptTrades`. */
  pools: ReadonlyMap<PoolAddress, Pool>
  /**
   * Pools inside a configured manager (Uniswap V4) whose tokens no contract returns and which were not created in this
   * receipt. Their swaps will be missing from the trades.
   */
  unknownPools: readonly PoolAddress[]
}

/**
 * Finds the pools that emitted events in a receipt, and verifies each. Any contract can emit a swap event, so emitters
 * that no configured factory, vault or manager confirms are left out.
 *
 * @param call responds for the same network, at the receipt's block or a later one
 * @throws what `call` throws, and a TypeError if a field is not hex text
 */
export async function provePools(
  receipt: RpcReceipt,
  { dexes }: { dexes: readonly Dex[] },
  call: CallContract,
): Promise<ReceiptPools> {
  const block = blockOfReceipt(receipt, { value: '0x0', timestamp: '0x0' })
  const { events } = decode(block, decodersOf(dexes.map(({ kind }) => kind)))
  const pools = new Map<PoolAddress, Pool>()
  const unknownPools: PoolAddress[] = []
  for (const candidate of candidatesOf(events)) {
    const proof = provePool(candidate, dexes)
    let step = proof.next([])
    while (!step.done) step = proof.next(await Promise.all(step.value.map((ethCall) => resultOf(call, ethCall))))
    if (step.value === null) continue
    if ('keyLog' in step.value) unknownPools.push(candidate.pool)
    else pools.set(candidate.pool, step.value)
  }
  return { pools, unknownPools }
}

async function resultOf(call: CallContract, ethCall: EthCall): Promise<Hex | null> {
  const result = await call(ethCall)
  return result === null || result === '0x' ? null : hex(result)
}
