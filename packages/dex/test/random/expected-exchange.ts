import { type Result, solidityPackedKeccak256 } from 'ethers'
import type { Hex } from '../../src/chain/hex.ts'
import type { DexKind } from '../../src/pool.ts'
import type { PoolFamily } from '../../src/pool-event.ts'

export type Arguments = ReturnType<Result['toObject']>
/** What the arguments of an event mean, without the position of the log; null: an impossible exchange. */
export type Expectation = (args: Arguments) => object | null

/** The contract of every log. */
export const EMITTER: Hex = `0x${'aa'.repeat(20)}`

export const lower = (text: string) => text.toLowerCase()
export const token = (address: string) => ({ token: lower(address) })

export const exchanged = (kind: DexKind, sold: object, soldAmount: bigint, bought: object, boughtAmount: bigint) => ({
  ...{ type: 'exchange', family: kind, sold, soldAmount, bought, boughtAmount },
})
/** A trade of a contract that names both tokens: the two are its pool. */
export const settled = (kind: DexKind, sold: string, soldAmount: bigint, bought: string, boughtAmount: bigint) => {
  const tokens = [sold, bought].map((address) => lower(address)).sort()
  return {
    ...exchanged(kind, token(sold), soldAmount, token(bought), boughtAmount),
    pool: `${EMITTER}${solidityPackedKeccak256(['address', 'address'], tokens).slice(2)}`,
  }
}
export const coins = (isFirstSold: boolean): [object, object] =>
  isFirstSold ? [{ coin: 0 }, { coin: 1 }] : [{ coin: 1 }, { coin: 0 }]

/** Events that only show that a pool's amounts changed. */
const TOUCHES: Partial<Record<DexKind, readonly string[]>> = {
  'liquidity-book': [
    ...['DepositedToBins', 'WithdrawnFromBins', 'StaticFeeParametersSet', 'HooksParametersSet', 'FlashLoan'],
    'ForcedDecay',
  ],
  curve: [
    ...['AddLiquidity', 'RemoveLiquidity', 'RemoveLiquidityImbalance', 'RemoveLiquidityOne', 'DonateAdminFees'],
    ...['RampA', 'StopRampA', 'NewFee', 'ApplyNewFee', 'NewParameters', 'Kill', 'Unkill', 'Paused', 'Unpaused'],
    ...['ChangePriceDiffThreshold', 'SetSkipPriceDiff', 'ChangeOracle'],
    ...['ClaimAdminFee', 'RampAgamma', 'Donation', 'SetPeriphery', 'SetPolicyContract'],
  ],
}
export const touches = (kind: DexKind): Record<string, Expectation> =>
  Object.fromEntries((TOUCHES[kind] ?? []).map((name) => [name, () => ({ type: 'touch', family: kind })]))

/** Events of contracts that pools depend on. The place of the log has the contract. */
export const dependencies = (family: PoolFamily, ...names: readonly string[]): Record<string, Expectation> =>
  Object.fromEntries(names.map((name) => [name, () => ({ type: 'dependency', family })]))
