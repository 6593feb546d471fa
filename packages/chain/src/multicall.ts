import type { Address, Hex } from '@dexfeed/dex'
import { Interface } from 'ethers'

/** The same on every chain that has it (github.com/mds1/multicall3). */
export const MULTICALL3: Address = '0xca11bde05977b3631167028862be2a173976ca11'

export interface Call {
  to: Address
  data: Hex
}

export interface CallOutcome {
  success: boolean
  data: Hex
}

/** aggregate3 of Multicall3, every call allowed to fail. */
export interface MulticallCodec {
  encode(calls: readonly Call[]): Hex
  /** Null when the answer is not that of an aggregate3 with so many calls. */
  decode(data: Hex, count: number): CallOutcome[] | null
}

export function multicallCodec(): MulticallCodec {
  const abi = new Interface([
    'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])',
  ])
  return {
    encode: (calls) => abi.encodeFunctionData('aggregate3', [calls.map(({ to, data }) => [to, true, data])]) as Hex,
    decode: (data, count) => {
      try {
        const [outcomes] = abi.decodeFunctionResult('aggregate3', data)
        const list = Array.from(outcomes as Iterable<[boolean, Hex]>, ([success, bytes]) => ({ success, data: bytes }))
        return list.length === count ? list : null
      } catch {
        return null
      }
    },
  }
}
