import { contractCall } from '../../abi/contract-abi.ts'
import type { Address } from '../../chain.ts'
import { type FormulaKind, NO_OUTPUT, type PoolFormula } from '../../maths/formula.ts'
import type { Pool } from '../../pool.ts'
import { formulaState } from '../../pool-state.ts'
import { present } from '../../present.ts'
import { contractIn } from '../managed-pool.ts'
import type { StateSteps } from '../protocol.ts'

/** PackedTokenBalance: balances fit 128 bits. */
const MAX_BALANCE = 2n ** 128n - 1n

interface Preview {
  amount: bigint
  result: bigint
}

/**
 * Computes a wrapper's preview of an amount from that of a large amount, assuming a fixed rate and rounding down.
 * Returns null if the large result has too few digits.
 */
function previewed({ amount: large, result }: Preview, amount: bigint): bigint | null {
  const lower = (amount * result) / large
  // The rate is below (result + 1) / large.
  const upper = (amount * (result + 1n) - 1n) / large
  return lower === upper ? lower : null
}

/**
 * Buffers of Balancer V3, up to the amounts that their balances can pay: Vault.erc4626BufferWrapOrUnwrap, exact input.
 * Coin 0 is the wrapper, coin 1 its asset. `values`:
 * 1. minimum wrap amount;
 * 2. the buffer's assets and wrappers;
 * 3. a large amount, its `previewDeposit` and its `previewRedeem`.
 */
export const balancerV3Buffer: FormulaKind = { name: 'balancer-v3-buffer', of: formulaOf, work: 10, gas: 150_000 }

function formulaOf(values: readonly bigint[]): PoolFormula | null {
  const [minWrap, assets, wrappers, amount, deposited, redeemed] = values
  if (minWrap === undefined || assets === undefined || wrappers === undefined || amount === undefined) return null
  if (deposited === undefined || redeemed === undefined || values.length !== 6) return null
  if (minWrap < 2n || assets < 0n || assets > MAX_BALANCE || wrappers < 0n || wrappers > MAX_BALANCE) return null
  if (amount <= 0n || deposited <= 0n || redeemed <= 0n) return null
  const balances = [wrappers, assets]
  const previews = [redeemed, deposited].map((result) => ({ amount, result }))
  const previewOf = (from: number, to: number) => (from + to === 1 ? (previews[from] ?? null) : null)
  return {
    balances,
    amountOut(from, to, amountIn) {
      const preview = previewOf(from, to)
      if (preview === null || amountIn < minWrap || amountIn + present(balances[from]) > MAX_BALANCE) return null
      // The vault subtracts one unit from the amount and one from the result, because wrappers round.
      const result = previewed(preview, amountIn - 1n)
      if (result === null || result - 1n < minWrap || result - 1n > present(balances[to])) return null
      return result - 1n
    },
    bound(from, to) {
      const preview = previewOf(from, to)
      return preview === null ? NO_OUTPUT : { rate: Number(preview.result + 1n) / Number(amount), depth: 0 }
    },
  }
}

const GET_BALANCE = contractCall<[assets: bigint, wrappers: bigint]>(
  'function getBufferBalance(address wrapper) view returns (uint256, uint256)',
)
const GET_BUFFER_ASSET = contractCall<[Address]>(
  'function getERC4626BufferAsset(address wrapper) view returns (address)',
)
const GET_MIN_WRAP = contractCall<[bigint]>('function getMinimumWrapAmount() view returns (uint256)')
const ARE_PAUSED = contractCall<[boolean]>('function areBuffersPaused() view returns (bool)')
const GET_ASSET = contractCall<[Address]>('function asset() view returns (address)')
const PREVIEW_DEPOSIT = contractCall<[bigint]>('function previewDeposit(uint256 assets) view returns (uint256)')
const PREVIEW_REDEEM = contractCall<[bigint]>('function previewRedeem(uint256 shares) view returns (uint256)')

/** A preview of this amount shows the rate to about forty digits; its product with any supply still fits 256 bits. */
const LARGE = 10n ** 40n
/** Divisors of the buffer's balances: previews of these parts, and of slightly larger amounts, check the rate. */
const PARTS = [1n, 3n, 7n, 60n, 1_000n, 98_765n]

/**
 * Reads a buffer's state. A buffer pays what two previews of the wrapper return, at a rate that changes with time. Any
 * contract may be the wrapper, so every preview must be the amount times one rate, rounded down.
 */
export function* readBuffer(pool: Pool, timestamp: number): StateSteps {
  const { dex, token1: asset, coins = [] } = pool
  const wrapper = contractIn(pool.address)
  if (coins.length !== 1) return null
  const ofVault = [GET_BALANCE, GET_BUFFER_ASSET].map((call) => ({ to: dex.factory, data: call.data(wrapper) }))
  const settings = [GET_MIN_WRAP, ARE_PAUSED].map((call) => ({ to: dex.factory, data: call.data() }))
  const large = [PREVIEW_DEPOSIT, PREVIEW_REDEEM].map((call) => ({ to: wrapper, data: call.data(LARGE) }))
  const replies = yield [...ofVault, ...settings, { to: wrapper, data: GET_ASSET.data() }, ...large]
  const [balance, bufferAsset, minWrapReply, paused, ownAsset, deposit, redeem] = replies
  const [assets, wrappers] = GET_BALANCE.read(balance) ?? []
  const minWrap = GET_MIN_WRAP.read(minWrapReply)?.[0]
  const [deposited] = PREVIEW_DEPOSIT.read(deposit) ?? []
  const [redeemed] = PREVIEW_REDEEM.read(redeem) ?? []
  if (assets === undefined || wrappers === undefined || minWrap === undefined) return null
  if (deposited === undefined || redeemed === undefined || ARE_PAUSED.read(paused)?.[0] !== false) return null
  if (GET_BUFFER_ASSET.read(bufferAsset)?.[0] !== asset || GET_ASSET.read(ownAsset)?.[0] !== asset) return null

  const samples = [
    ...samplesOf(PREVIEW_DEPOSIT, { amount: LARGE, result: deposited }, assets + wrappers),
    ...samplesOf(PREVIEW_REDEEM, { amount: LARGE, result: redeemed }, assets + wrappers),
  ]
  const previews = yield samples.map(({ call, amount }) => ({ to: wrapper, data: call.data(amount) }))
  const isLinear = samples.every(
    ({ call, preview, amount }, index) => call.read(previews[index])?.[0] === previewed(preview, amount),
  )
  if (!isLinear) return null
  return formulaState('balancer-v3-buffer', [minWrap, assets, wrappers, LARGE, deposited, redeemed], timestamp)
}

function samplesOf(call: typeof PREVIEW_DEPOSIT, preview: Preview, held: bigint) {
  return PARTS.flatMap((part) => [held / part, held / part + part]).map((amount) => ({ call, preview, amount }))
}
